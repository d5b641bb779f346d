#include "slosh/view/frame.h"

#include <doctest/doctest.h>

#include <cmath>

#include "slosh/base/error.h"

using namespace slosh;
using namespace slosh::view;

namespace {

/// A wavy sheet of n x n vertices, its triangles row by row.
SurfaceMesh sheet(int n) {
    SurfaceMesh m;
    for (int j = 0; j < n; ++j)
        for (int i = 0; i < n; ++i) {
            const float x = float(i) / float(n - 1), z = float(j) / float(n - 1);
            m.vertices.push_back({x, 0.3f + 0.1f * std::sin(9 * x) * std::cos(7 * z), z});
            m.velocities.push_back({x, 0, z});
        }
    for (int j = 0; j + 1 < n; ++j)
        for (int i = 0; i + 1 < n; ++i) {
            const auto at = [&](int a, int b) { return std::uint32_t(b * n + a); };
            m.elements.push_back({at(i, j), at(i, j + 1), at(i + 1, j)});
            m.elements.push_back({at(i + 1, j), at(i, j + 1), at(i + 1, j + 1)});
        }
    return m;
}

const Box<3> kRoom{{-0.1, -0.1, -0.1}, {1.1, 1.1, 1.1}};

}  // namespace

TEST_CASE("a frame comes back as it was sent, rounded to sixteen bits") {
    ShownFrame f;
    f.number = 17;
    f.time = 0.53;
    f.surface = sheet(20);
    f.points.positions = {{0.1f, 0.2f, 0.3f}, {0.9f, 0.0f, 1.0f}, {5, -5, 0.5f}};
    f.points.speeds = {0, 1, 0.5f};
    f.points.densities = {1, 0.25f, 2};
    f.points.thicknesses = {0, thickness(1e8), thickness(10)};
    Transform<3> t;
    t.rotation = rotation_matrix<3>({10, 20, 30});
    t.translation = {1, -2, 3};
    f.bodies = {t, {}};
    f.tilt = {0, 0, 12};
    const std::string bytes = encode_frame(f, kRoom, 3, 1);
    const ShownFrame g = decode_frame(bytes);
    CHECK(g.number == 17);
    CHECK(g.time == doctest::Approx(0.53));
    CHECK(g.surface.elements == f.surface.elements);
    REQUIRE(g.surface.vertices.size() == f.surface.vertices.size());
    const double step = 1.2 / 65535;
    for (std::size_t i = 0; i < g.surface.vertices.size(); ++i)
        for (int d = 0; d < 3; ++d)
            CHECK(std::abs(g.surface.vertices[i][d] - f.surface.vertices[i][d]) <
                  0.51 * step + 1e-7);
    REQUIRE(g.points.positions.size() == 3);
    CHECK(g.points.positions[2][0] == doctest::Approx(1.1));  // outside: at the border
    CHECK(g.points.positions[2][1] == doctest::Approx(-0.1));
    CHECK(g.points.densities[1] == doctest::Approx(0.25).epsilon(0.02));
    CHECK(g.points.thicknesses[1] == 1);
    CHECK(g.points.thicknesses[2] == doctest::Approx(4.0 / 11).epsilon(0.01));
    CHECK(g.points.speeds[2] == doctest::Approx(0.5).epsilon(0.01));
    REQUIRE(g.bodies.size() == 2);
    CHECK(g.bodies[0].translation[1] == doctest::Approx(-2));
    CHECK(g.bodies[0].rotation.row[0][1] == doctest::Approx(t.rotation.row[0][1]));
    CHECK(g.tilt[2] == doctest::Approx(12));
}

TEST_CASE("outlines in the plane") {
    ShownFrame f;
    f.surface.dim = 2;
    f.surface.vertices = {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}};
    f.surface.elements = {{0, 1, 0}, {1, 2, 0}, {2, 0, 0}};
    const ShownFrame g = decode_frame(encode_frame(f, kRoom, 1, 0));
    CHECK(g.surface.dim == 2);
    REQUIRE(g.surface.elements.size() == 3);
    CHECK(g.surface.elements[2][0] == 2);
    CHECK(g.surface.vertices[1][0] == doctest::Approx(1).epsilon(1e-4));
}

TEST_CASE("an empty frame") {
    const ShownFrame g = decode_frame(encode_frame({}, kRoom, 1, 0));
    CHECK(g.surface.vertices.empty());
    CHECK(g.points.positions.empty());
}

TEST_CASE("packing beats plain sixteen bits by half") {
    ShownFrame f;
    f.surface = sheet(128);
    const std::size_t plain = f.surface.vertices.size() * 6 + f.surface.elements.size() * 12;
    CHECK(encode_frame(f, kRoom, 1, 0).size() < plain / 2);
}

TEST_CASE("broken bytes are refused") {
    ShownFrame f;
    f.surface = sheet(8);
    const std::string whole = encode_frame(f, kRoom, 1, 0);
    CHECK_THROWS_AS(decode_frame(""), InputError);
    CHECK_THROWS_AS(decode_frame("SLSH"), InputError);
    for (std::size_t n = 0; n < whole.size(); n += 7)
        CHECK_THROWS_AS(decode_frame(std::string_view(whole).substr(0, n)), InputError);
    std::string other = whole;
    other[5] = char(0xff);  // a header longer than the message
    CHECK_THROWS_AS(decode_frame(other), InputError);
}
