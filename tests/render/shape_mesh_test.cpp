#include "slosh/render/shape_mesh.h"

#include <doctest/doctest.h>

#include <map>

#include "render/shapes.h"
#include "slosh/base/parallel.h"

using namespace slosh;

namespace {
double volume(const SurfaceMesh& m) {
    double v = 0;
    for (const auto& e : m.elements) {
        const auto a = m.vertices[e[0]].as<double>(), b = m.vertices[e[1]].as<double>(),
                   c = m.vertices[e[2]].as<double>();
        v += dot(a, cross(b, c)) / 6;
    }
    return v;
}
/// Every edge is used once in each direction.
bool is_closed(const SurfaceMesh& m) {
    std::map<std::pair<std::uint32_t, std::uint32_t>, int> edges;
    for (const auto& e : m.elements)
        for (int k = 0; k < 3; ++k) ++edges[{e[k], e[(k + 1) % 3]}];
    for (const auto& [edge, count] : edges) {
        const auto back = edges.find({edge.second, edge.first});
        if (back == edges.end() || back->second != count) return false;
    }
    return !edges.empty();
}
const Box<3> kRegion = {{-1.03, -1.02, -1.04}, {1.05, 1.06, 1.01}};
}  // namespace

TEST_CASE("A meshed ball is closed, faces outward and has the ball's volume") {
    const auto mesh = mesh_shape(*ball<3>({0.1, 0, -0.1}, 0.7), kRegion, 0.05);
    CHECK(is_closed(mesh));
    const double exact = 4 * M_PI / 3 * 0.7 * 0.7 * 0.7;
    // Tangent planes meet outside the sphere, chords lie inside: both by about dx^2 / (8 r), which
    // is 0.2 % of the volume.
    CHECK(volume(mesh) == doctest::Approx(exact).epsilon(0.003));
}

TEST_CASE("A meshed box keeps its edges sharp, rotated or not") {
    const Point<3> half = {0.5, 0.3, 0.4};
    const auto box = block<3>({0, 0, 0}, half);
    const double c = std::cos(0.5), s = std::sin(0.5);
    const FunctionShape<3> turned([&](const Point<3>& x) {
        return box->distance({c * x[0] - s * x[1], s * x[0] + c * x[1], x[2]});
    });
    const double exact = 8 * half[0] * half[1] * half[2];
    // Bevelled edges of width dx/2 would already lose 1 %.
    const auto straight = mesh_shape(*box, kRegion, 0.05),
               tilted = mesh_shape(turned, kRegion, 0.05);
    CHECK(volume(straight) == doctest::Approx(exact).epsilon(1e-3));
    CHECK(volume(tilted) == doctest::Approx(exact).epsilon(2e-3));
    CHECK(is_closed(straight));
    CHECK(is_closed(tilted));
}

TEST_CASE("A container's mesh faces its inside") {
    const auto mesh = mesh_shape(*hollow<3>({0, 0, 0}, 0.8), kRegion, 0.05);
    CHECK(is_closed(mesh));
    CHECK(volume(mesh) < 0);
}

TEST_CASE("The mesh is the same on one thread and on two") {
    const auto shape = ball<3>({0, 0, 0}, 0.9);
    const int before = threads();
    set_threads(1);
    const auto one = mesh_shape(*shape, kRegion, 0.07);
    set_threads(2);
    const auto two = mesh_shape(*shape, kRegion, 0.07);
    set_threads(before);
    CHECK(one.vertices == two.vertices);
    CHECK(one.elements == two.elements);
}
