// What pictures and files show of tall-cell water: its surface, and the ground.
//
// The level set that is meshed is the intersection of the water with the room above the ground and
// between the sides. The simulation's ground is rounded to whole cells; here it is cut at its real
// height, so that a beach is smooth.
#include <cmath>

#include "slosh/surface/mesher.h"
#include "slosh/tall/sample.h"
#include "slosh/tall/simulation.h"

namespace slosh::tall {

namespace {

/// Gap between water and what it touches, in cells: a renderer must not meet two surfaces in one
/// place.
constexpr float kGap = 0.08f;
/// Squares of the ground's mesh along the side of a column.
constexpr int kGroundCells = 3;

/// World heights that can hold water, as cells [low, high).
struct Span {
    int low = 0, high = 0;
};

Span span_of(const Water& w) {
    const Grid& g = w.grid();
    Span s{1 << 30, -(1 << 30)};
    for (int z = 0; z < g.nz(); ++z)
        for (int x = 0; x < g.nx(); ++x) {
            const int c = g.column(x, z);
            s.low = std::min(s.low, w.terrain()[static_cast<std::size_t>(z) * g.nx() + x]);
            s.high = std::max(s.high, g.highest(c) + 1);
        }
    return {s.low - 1, s.high};
}

/// phi in cells at cell (x, y, z), the water going on under the ground that it lies on.
float water_at(const Water& w, int x, int y, int z, int ground) {
    const Grid& g = w.grid();
    const int c = g.column(x, z), from = std::max(y, ground);
    const float cells = w.phi().value(g, c, from, Under::Bottom) / static_cast<float>(g.dx());
    return y >= ground ? cells : cells - static_cast<float>(ground - y);
}

}  // namespace

SurfaceMesh Simulation::surface() const {
    const Water& w = *water_;
    const Grid& g = w.grid();
    const double dx = setup_.dx;
    const Span span = span_of(w);
    std::vector<float> ground(static_cast<std::size_t>(g.nx()) * g.nz());  // cells
    for (int z = 0; z < g.nz(); ++z)
        for (int x = 0; x < g.nx(); ++x)
            ground[static_cast<std::size_t>(z) * g.nx() + x] =
                static_cast<float>((ground_height(setup_, setup_.lower[0] + (x + 0.5) * dx,
                                                  setup_.lower[2] + (z + 0.5) * dx) -
                                    setup_.lower[1]) /
                                   dx);

    // The sides lie between the last cells and the background: at -1/2 and +1/2.
    const float edge = 0.5f - kGap;
    std::vector<Index<3>> coords;
    for (int bz = 0; bz <= (g.nz() - 1) >> 3; ++bz)
        for (int by = span.low >> 3; by <= (span.high - 1) >> 3; ++by)
            for (int bx = 0; bx <= (g.nx() - 1) >> 3; ++bx) coords.push_back({{bx, by, bz}});
    Field<float, 3> phi(std::make_shared<const Blocks<3>>(std::move(coords)), 0.5f + kGap);
    parallel_for(static_cast<std::size_t>(phi.blocks().size()), 4, [&](std::size_t n) {
        const int b = static_cast<int>(n);
        const Index<3> first = phi.blocks().first_cell(b);
        for (int o = 0; o < kBlockCells<3>; ++o) {
            const Index<3> at = first + local_cell<3>(o);
            const int x = at[0], y = at[1], z = at[2];
            if (!g.inside(x, z)) continue;
            const std::size_t k = static_cast<std::size_t>(z) * g.nx() + x;
            float v = water_at(w, x, y, z, w.terrain()[k]);
            v = std::max(v, ground[k] - (static_cast<float>(y) + 0.5f) + kGap);
            if (x == 0 || z == 0 || x == g.nx() - 1 || z == g.nz() - 1) v = std::max(v, -edge);
            phi.block(b)[o] = v;
        }
    });
    SurfaceMesh mesh =
        mesh_surface<3>(phi, {setup_.lower, dx, {{g.nx(), span.high - span.low, g.nz()}}});
    parallel_for(mesh.vertices.size(), 256, [&](std::size_t i) {
        const Point<3> p = (mesh.vertices[i].as<double>() - setup_.lower) / dx;
        const Stencil s(g, static_cast<float>(p[0] - 0.5), static_cast<float>(p[1] - 0.5),
                        static_cast<float>(p[2] - 0.5));
        const Float4 u = sample(w.velocity(), g, s);
        mesh.velocities[i] = {{u[0], u[1], u[2]}};
    });
    return mesh;
}

SurfaceMesh ground_mesh(const Setup& s) {
    // Finer than the columns, so that towers and cliffs stand straight, and one more ring at the
    // floor for the skirts.
    SurfaceMesh mesh;
    const int cx = kGroundCells * s.nx, cz = kGroundCells * s.nz, nx = cx + 1, nz = cz + 1;
    const double dx = s.dx / kGroundCells;
    const float floor = static_cast<float>(s.lower[1] - 0.5 * s.dx);
    const auto add = [&](int x, int z, bool down) {
        const double px = s.lower[0] + x * dx, pz = s.lower[2] + z * dx;
        const double h = ground_height(s, px, pz);
        mesh.vertices.push_back({{static_cast<float>(px), down ? floor : static_cast<float>(h),
                                  static_cast<float>(pz)}});
    };
    const auto quad = [&](std::uint32_t a, std::uint32_t b, std::uint32_t c, std::uint32_t d) {
        mesh.elements.push_back({a, b, c});
        mesh.elements.push_back({a, c, d});
    };
    for (int z = 0; z < nz; ++z)
        for (int x = 0; x < nx; ++x) add(x, z, false);
    const auto at = [&](int x, int z) { return static_cast<std::uint32_t>(z * nx + x); };
    for (int z = 0; z < cz; ++z)
        for (int x = 0; x < cx; ++x) quad(at(x, z), at(x, z + 1), at(x + 1, z + 1), at(x + 1, z));
    // Around the border, each edge with the ground on its left seen from above.
    std::vector<Index<2>> ring;
    for (int x = 0; x < cx; ++x) ring.push_back({{x, cz}});
    for (int z = cz; z > 0; --z) ring.push_back({{cx, z}});
    for (int x = cx; x > 0; --x) ring.push_back({{x, 0}});
    for (int z = 0; z < cz; ++z) ring.push_back({{0, z}});
    const auto low = static_cast<std::uint32_t>(mesh.vertices.size());
    for (const Index<2>& r : ring) add(r[0], r[1], true);
    const auto n = static_cast<std::uint32_t>(ring.size());
    for (std::uint32_t i = 0; i < n; ++i) {
        const std::uint32_t j = (i + 1) % n;
        quad(at(ring[i][0], ring[i][1]), low + i, low + j, at(ring[j][0], ring[j][1]));
    }
    mesh.velocities.resize(mesh.vertices.size());
    return mesh;
}

}  // namespace slosh::tall
