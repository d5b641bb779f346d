// What pictures and files show of tall-cell water: its surface, and the ground.
//
// The level set that is meshed is the intersection of the water with the room between the sides and
// above the floor. Where there is terrain the water goes on under it, a little deeper than the
// lowest ground around each column: the simulation's ground is rounded to whole cells, and so the
// shore is where the surface meets the ground as it is, and nowhere else do the two meshes cross.
#include <cmath>

#include "slosh/surface/mesher.h"
#include "slosh/tall/sample.h"
#include "slosh/tall/simulation.h"

namespace slosh::tall {

namespace {

/// Gap between water and what it touches, in cells: a renderer must not meet two surfaces in one
/// place.
constexpr float kGap = 0.08f;
/// How far water reaches into terrain, in cells.
constexpr float kSunk = 0.2f;
/// Squares of the ground's mesh along the side of a column.
constexpr int kGroundCells = 3;

/// The level set that is shown: on the cells of the simulation, or on finer ones.
struct ShownSurface {
    const Grid& grid;
    const Columns<float>& phi;
    const Terrain& terrain;

    explicit ShownSurface(const Water& w)
        : grid(w.fine_surface() ? w.fine_surface()->grid() : w.grid()),
          phi(w.fine_surface() ? w.fine_surface()->phi() : w.phi()),
          terrain(w.fine_surface() ? w.fine_surface()->terrain() : w.terrain()) {}

    /// The lowest world cell to mesh: below all ground.
    int lowest() const { return *std::min_element(terrain.begin(), terrain.end()) - 1; }
};

/// Blocks from `low` up to the highest cell in use of each block of columns; above is air.
BlocksPtr<3> blocks_of(const ShownSurface& s, int low) {
    const Grid& g = s.grid;
    const int nx = (g.nx() + 7) / 8, nz = (g.nz() + 7) / 8;
    std::vector<int> high(static_cast<std::size_t>(nx) * nz, low);
    for (int z = 0; z < g.nz(); ++z)
        for (int x = 0; x < g.nx(); ++x) {
            const int c = g.column(x, z);
            int& h = high[static_cast<std::size_t>(z / 8) * nx + x / 8];
            h = std::max(h, g.top(c) + s.phi.end(c));
        }
    std::vector<Index<3>> coords;
    for (int z = 0; z < nz; ++z)
        for (int x = 0; x < nx; ++x)
            for (int y = low >> 3; y <= high[static_cast<std::size_t>(z) * nx + x] >> 3; ++y)
                coords.push_back({{x, y, z}});
    return std::make_shared<const Blocks<3>>(std::move(coords));
}

/// The least value of the columns around (x, z) and of itself.
template <class T>
T least_around(const Grid& g, const std::vector<T>& f, int x, int z) {
    T least = f[static_cast<std::size_t>(z) * g.nx() + x];
    for (int k = std::max(0, z - 1); k <= std::min(g.nz() - 1, z + 1); ++k)
        for (int i = std::max(0, x - 1); i <= std::min(g.nx() - 1, x + 1); ++i)
            least = std::min(least, f[static_cast<std::size_t>(k) * g.nx() + i]);
    return least;
}

}  // namespace

std::function<SurfaceMesh()> Simulation::surface_later() const {
    const Water& w = *water_;
    const ShownSurface shown(w);
    const Grid& g = shown.grid;
    const double dx = g.dx();
    const int low = shown.lowest();
    std::vector<float> finer;  // heights of the ground between the columns, in fine cells
    if (w.fine_surface())
        for (int z = 0; z < g.nz(); ++z)
            for (int x = 0; x < g.nx(); ++x)
                finer.push_back(
                    static_cast<float>((ground_height(setup_, setup_.lower[0] + (x + 0.5) * dx,
                                                      setup_.lower[2] + (z + 0.5) * dx) -
                                        setup_.lower[1]) /
                                       dx));
    const std::vector<float>& ground = w.fine_surface() ? finer : ground_;

    // The sides lie between the last cells and the background: at -1/2 and +1/2.
    const float edge = 0.5f - kGap;
    const bool buried = !setup_.ground.empty();
    Field<float, 3> phi(blocks_of(shown, low), 0.5f + kGap);
    const float cells = static_cast<float>(1 / dx);
    parallel_for(static_cast<std::size_t>(phi.blocks().size()), 4, [&](std::size_t n) {
        const Index<3> first = phi.blocks().first_cell(static_cast<int>(n));
        float* out = phi.block(static_cast<int>(n));
        for (int k = 0; k < 64; ++k) {
            const int x = first[0] + k % 8, z = first[2] + k / 8;
            if (!g.inside(x, z)) continue;
            const int c = g.column(x, z);
            const std::size_t i = static_cast<std::size_t>(z) * g.nx() + x;
            const float floor = buried ? least_around(g, ground, x, z) - kSunk : ground[i] + kGap;
            // In the ground phi is known beside other columns' water, and shows what lies before
            // it; below that the water goes on down.
            const int known = buried ? least_around(g, shown.terrain, x, z) : shown.terrain[i];
            const int lowest = std::min(shown.terrain[i], std::max(known, g.top(c)));
            const float least =
                x == 0 || z == 0 || x == g.nx() - 1 || z == g.nz() - 1 ? -edge : -1e30f;
            for (int j = 0; j < 8; ++j) {
                const int y = first[1] + j, from = std::max(y, lowest);
                const float water = shown.phi.value(g, c, from, Under::Bottom) * cells -
                                    static_cast<float>(from - y);
                const float under = floor - (static_cast<float>(y) + 0.5f);
                out[k % 8 + 8 * j + 64 * (k / 8)] = std::max({water, under, least});
            }
        }
    });
    // A copy of the velocity, which the next step changes; in the same place as the last, if that
    // is no longer in use: fresh memory costs more than the copy.
    if (!shown_velocity_ || shown_velocity_.use_count() > 1)
        shown_velocity_ = std::make_shared<Velocity>();
    shown_velocity_->copy_used(w.velocity());
    return [phi = std::move(phi), copy = std::shared_ptr<const Velocity>(shown_velocity_),
            g = w.grid(), cells_of = GridGeometry<3>{setup_.lower, dx, {{g.nx(), g.ny(), g.nz()}}},
            dx = setup_.dx, lower = setup_.lower] {
        SurfaceMesh mesh = mesh_surface<3>(phi, cells_of);
        parallel_for(mesh.vertices.size(), 256, [&](std::size_t i) {
            const Point<3> p = (mesh.vertices[i].as<double>() - lower) / dx;
            const Stencil s(g, static_cast<float>(p[0] - 0.5), static_cast<float>(p[1] - 0.5),
                            static_cast<float>(p[2] - 0.5));
            const Float4 u = sample(*copy, g, s);
            mesh.velocities[i] = {{u[0], u[1], u[2]}};
        });
        return mesh;
    };
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
