#include "slosh/surface/mesher.h"

#include <doctest/doctest.h>

#include <cstring>
#include <map>

#include "surface/scenes.h"

using namespace slosh;
using namespace slosh::test;

namespace {

template <int D>
GridGeometry<D> one_cell(double dx = 1) {
    GridGeometry<D> g;
    g.dx = dx;
    g.cells = Index<D>::filled(1);
    return g;
}

/// How often each directed edge occurs, minus how often its reverse does; and how often in all.
struct Edges {
    int unbalanced = 0, odd = 0, shared_by_more = 0, count = 0;
};
Edges edges(const SurfaceMesh& mesh) {
    std::map<std::pair<std::uint32_t, std::uint32_t>, std::pair<int, int>> uses;  // both ways, net
    for (const auto& e : mesh.elements)
        for (int k = 0; k < 3; ++k) {
            const auto a = e[k], b = e[(k + 1) % 3];
            auto& u = uses[{std::min(a, b), std::max(a, b)}];
            ++u.first;
            u.second += a < b ? 1 : -1;
        }
    Edges r;
    r.count = static_cast<int>(uses.size());
    for (const auto& [key, u] : uses) {
        r.odd += u.first % 2;
        r.unbalanced += u.second != 0;
        r.shared_by_more += u.first > 2;
    }
    return r;
}

double enclosed_volume(const SurfaceMesh& mesh) {
    double v = 0;
    for (const auto& e : mesh.elements) {
        const auto a = mesh.vertices[e[0]].as<double>(), b = mesh.vertices[e[1]].as<double>();
        const auto c = mesh.vertices[e[2]].as<double>();
        v += mesh.dim == 3 ? dot(a, cross(b, c)) / 6 : (a[0] * b[1] - a[1] * b[0]) / 2;
    }
    return v;
}

double area(const SurfaceMesh& mesh) {
    double s = 0;
    for (const auto& e : mesh.elements) {
        const auto a = mesh.vertices[e[0]].as<double>(), b = mesh.vertices[e[1]].as<double>();
        const auto c = mesh.vertices[e[2]].as<double>();
        s += mesh.dim == 3 ? length(cross(b - a, c - a)) / 2 : length(b - a);
    }
    return s;
}

template <int D>
double ball(const Point<D>& x, double centre, double radius) {
    return length(x - Point<D>::filled(centre)) - radius;
}

/// Random signs: every pattern of a cube's corners occurs.
template <int D>
Field<float, D> noise(int cells) {
    return sampled<D>(box_topology<D>(Index<D>::filled(0), Index<D>::filled(cells)), 1, 0.5,
                      [](const Point<D>& x) {
                          std::uint64_t id = 0;
                          for (int d = 0; d < D; ++d)
                              id = id * 1000 + static_cast<std::uint64_t>(x[d]);
                          return hash_uniform(7, id, 0) - 0.5;
                      });
}

}  // namespace

TEST_CASE("A ball's mesh is closed, of sphere type, outward, and of the right size") {
    const double r = 10, dx = 0.1;
    const auto phi = sampled<3>(box_topology<3>(Index<3>::filled(-16), Index<3>::filled(16)), 3,
                                0.5, [&](const Point<3>& x) { return ball<3>(x, 0.3, r); });
    GridGeometry<3> grid = one_cell<3>(dx);
    grid.origin = {5, 6, 7};
    const auto mesh = mesh_surface<3>(phi, grid);
    const auto e = edges(mesh);
    CHECK(e.odd == 0);
    CHECK(e.unbalanced == 0);
    CHECK(e.shared_by_more == 0);
    CHECK(static_cast<int>(mesh.vertices.size()) - e.count +
              static_cast<int>(mesh.elements.size()) ==
          2);
    const double scale = r * dx;
    // Positive: outward. The vertices lie on chords, so both are a little small.
    CHECK(enclosed_volume(mesh) ==
          doctest::Approx(4.0 / 3 * M_PI * std::pow(scale, 3)).epsilon(0.01));
    CHECK(area(mesh) == doctest::Approx(4 * M_PI * scale * scale).epsilon(0.01));
    const Point<3> centre = Point<3>{5, 6, 7} + Point<3>::filled(0.03);
    int inward = 0;
    for (const auto& t : mesh.elements) {
        const auto a = mesh.vertices[t[0]].as<double>(), b = mesh.vertices[t[1]].as<double>();
        const auto c = mesh.vertices[t[2]].as<double>();
        inward += dot(cross(b - a, c - a), a - centre) <= 0;
    }
    CHECK(inward == 0);
}

TEST_CASE("A disc's outline is one closed loop, counter-clockwise, of the right size") {
    const auto phi = sampled<2>(box_topology<2>(Index<2>::filled(-16), Index<2>::filled(16)), 3,
                                0.5, [&](const Point<2>& x) { return ball<2>(x, 0.3, 10); });
    const auto mesh = mesh_surface<2>(phi, one_cell<2>());
    REQUIRE(mesh.elements.size() == mesh.vertices.size());
    std::vector<std::uint32_t> next(mesh.vertices.size());
    for (const auto& e : mesh.elements) next[e[0]] = e[1];
    std::size_t steps = 0;
    std::uint32_t at = 0;
    do {
        at = next[at];
        ++steps;
    } while (at != 0 && steps <= mesh.vertices.size());
    CHECK(steps == mesh.vertices.size());
    CHECK(enclosed_volume(mesh) == doctest::Approx(M_PI * 100).epsilon(0.01));
    CHECK(area(mesh) == doctest::Approx(M_PI * 20).epsilon(0.01));
}

TEST_CASE("A mesh of random signs is closed, up to the border of the topology") {
    const auto mesh = mesh_surface<3>(noise<3>(16), one_cell<3>());
    const auto e = edges(mesh);
    CHECK(e.count > 5000);
    CHECK(e.odd == 0);
    CHECK(e.unbalanced == 0);
    const auto flat = mesh_surface<2>(noise<2>(64), one_cell<2>());
    std::vector<int> out(flat.vertices.size()), in(flat.vertices.size());
    for (const auto& s : flat.elements) {
        ++out[s[0]];
        ++in[s[1]];
    }
    for (std::size_t v = 0; v < out.size(); ++v) CHECK((out[v] == 1 && in[v] == 1));
}

TEST_CASE("Liquid that fills its topology is closed at the border") {
    const auto blocks =
        std::make_shared<const Blocks<3>>(std::vector<Index<3>>{{0, 0, 0}, {1, 0, 0}, {5, 5, 5}});
    Field<float, 3> phi(blocks, 1);
    phi.fill(-1);
    const auto mesh = mesh_surface<3>(phi, one_cell<3>());
    const auto e = edges(mesh);
    CHECK(e.odd == 0);
    CHECK(e.unbalanced == 0);
    // Two boxes; the crossing is half-way to the next cell centre. Their edges, 224 cells long, are
    // cut by a chamfer of about a quarter of a cell's area.
    CHECK(static_cast<int>(mesh.vertices.size()) - e.count +
              static_cast<int>(mesh.elements.size()) ==
          4);
    CHECK(enclosed_volume(mesh) == doctest::Approx(3 * 512 - 224 * 0.25).epsilon(0.01));
}

TEST_CASE("A mesh does not depend on deep blocks that it leaves out") {
    // A large ball: its inner blocks hold no surface and must not grow one.
    const auto phi = sampled<3>(box_topology<3>(Index<3>::filled(-40), Index<3>::filled(40)), 3,
                                0.5, [&](const Point<3>& x) { return ball<3>(x, 0.3, 30); });
    const auto mesh = mesh_surface<3>(phi, one_cell<3>());
    const auto e = edges(mesh);
    CHECK(static_cast<int>(mesh.vertices.size()) - e.count +
              static_cast<int>(mesh.elements.size()) ==
          2);
}

TEST_CASE_TEMPLATE("Vertices carry the velocity of their place", Dm, Dim<2>, Dim<3>) {
    constexpr int D = Dm::value;
    const auto blocks = box_topology<D>(Index<D>::filled(-16), Index<D>::filled(16));
    const auto phi =
        sampled<D>(blocks, 3, 0.5, [](const Point<D>& x) { return ball<D>(x, 0.3, 9); });
    const GridGeometry<D> grid = one_cell<D>(0.5);
    FaceField<float, D> u(blocks, 0);
    for (int d = 0; d < D; ++d)
        for (int b = 0; b < blocks->size(); ++b)
            for (int o = 0; o < kBlockCells<D>; ++o)
                u.axis(d).block(b)[o] = static_cast<float>(
                    grid.face(d, blocks->first_cell(b) + local_cell<D>(o))[(d + 1) % D]);
    const auto mesh = mesh_surface<D>(phi, grid, &u);
    double worst = 0;
    for (std::size_t v = 0; v < mesh.vertices.size(); ++v)
        for (int d = 0; d < D; ++d)
            worst = std::max<double>(
                worst, std::abs(mesh.velocities[v][d] - mesh.vertices[v][(d + 1) % D]));
    CHECK(worst < 1e-5);
}

TEST_CASE_TEMPLATE("A mesh has the same bytes on 1, 2 and 3 threads", Dm, Dim<2>, Dim<3>) {
    constexpr int D = Dm::value;
    std::vector<SurfaceMesh> meshes;
    for (int threads : {1, 2, 3}) {
        set_threads(threads);
        meshes.push_back(mesh_surface<D>(noise<D>(24), one_cell<D>()));
    }
    set_threads(0);
    for (const auto& m : meshes) {
        REQUIRE(m.vertices.size() == meshes[0].vertices.size());
        REQUIRE(m.elements.size() == meshes[0].elements.size());
        CHECK(std::memcmp(m.vertices.data(), meshes[0].vertices.data(), m.vertices.size() * 12) ==
              0);
        CHECK(std::memcmp(m.elements.data(), meshes[0].elements.data(), m.elements.size() * 12) ==
              0);
    }
}
