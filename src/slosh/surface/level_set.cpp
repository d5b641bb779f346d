#include "slosh/surface/level_set.h"

#include "slosh/surface/byte_rows.h"
#include "slosh/surface/moment_field.h"

namespace slosh {

namespace {

constexpr int kReach = 2;            // of the blurred kernel, cells
constexpr int kMargin = kReach + 1;  // particles this near to an empty cell matter

/// What each block has to do.
template <int D>
struct Marks {
    Field<std::uint8_t, D> occupied;      ///< kOccupied where a cell holds particles.
    Field<std::uint8_t, D> evaluate;      ///< Cells next to an empty one, with particles in reach.
    Field<std::uint8_t, D> select;        ///< Cells whose particles those can see.
    std::vector<std::uint8_t> evaluates;  ///< Per block: any cell to evaluate.
};

template <int D>
Marks<D> mark_surface(Field<std::uint8_t, D> occupied) {
    const BlocksPtr<D> blocks = occupied.blocks_ptr();
    Marks<D> marks;
    marks.occupied = std::move(occupied);
    marks.evaluate = Field<std::uint8_t, D>(blocks, 0);
    marks.select = Field<std::uint8_t, D>(blocks, 0);
    marks.evaluates.resize(blocks->size());
    parallel_for(blocks->size(), 8, [&](std::size_t i) {
        const int b = static_cast<int>(i);
        Tile<std::uint8_t, D, kMargin> tile;
        tile.load(marks.occupied, b);
        std::uint8_t* near = marks.evaluate.block(b);
        std::uint8_t* seen = marks.select.block(b);
        dilate<D, 1, kMargin>(tile, near);
        dilate<D, kMargin, kMargin>(tile, seen);
        for (int o = 0; o < kBlockCells<D>; ++o) {
            near[o] = static_cast<std::uint8_t>((near[o] & kEmpty) && (seen[o] & kOccupied));
            seen[o] &= kEmpty;
        }
        marks.evaluates[b] = any_marked(near, kBlockCells<D>);
    });
    return marks;
}

}  // namespace

template <int D>
void level_set_from_particles(const Particles<D>& particles, const ParticleBlocks<D>& blocks,
                              const LevelSetOptions& options, const Field<float, D>* solid,
                              Field<float, D>& phi) {
    const BlocksPtr<D>& topology = phi.blocks_ptr();
    const std::vector<int> home = home_blocks(blocks, *topology);
    const Marks<D> marks = mark_surface(occupancy(particles, blocks, home, solid, topology));
    const Field<Moment, D> moments =
        gather_moments(particles, blocks, home, topology, &marks.select);

    const float a = options.tap;
    const HalfSpaceProfile profile([a](double s) { return blurred_hat(s, a); }, kReach);
    const float lone = -profile(options.thin);
    const float full = static_cast<float>(options.particles_per_cell);
    const float blurred = static_cast<float>(std::pow(1 + 2 * a, D));
    parallel_for(topology->size(), 2, [&](std::size_t i) {
        const int b = static_cast<int>(i);
        float* out = phi.block(b);
        const std::uint8_t* n = marks.occupied.block(b);
        if (!marks.evaluates[b]) {
            // Full of particles, or of solid.
            for (int o = 0; o < kBlockCells<D>; ++o)
                out[o] = n[o] & kOccupied ? -options.far : options.far;
            return;
        }
        Tile<Moment, D, 1> tile;
        tile.load(moments, b);
        alignas(64) Moment wide[kBlockCells<D>];
        blur_moments<D>(tile.v, a, wide);

        // Open space, where a solid is within the kernel's reach.
        bool near_solid = false;
        alignas(64) Moment open_tile[Tile<Moment, D, 1>::kCells], open_wide[kBlockCells<D>];
        if (solid) {
            Tile<float, D, 2> s;
            s.load(*solid, b);
            float least = s.v[0];
            for (float v : s.v) least = std::min(least, v);
            near_solid = least < 1;
            if (near_solid) {
                open_moments<D>(s, open_tile);
                blur_moments<D>(open_tile, a, open_wide);
            }
        }
        const std::uint8_t* evaluate = marks.evaluate.block(b);
        for_each_cell<D, 1>([&](const Index<D>&, int o, int t) {
            if (!evaluate[o]) {
                out[o] = n[o] & kOccupied ? -options.far : options.far;
                return;
            }
            const Moment everything = {1, 0, 0, 0};
            const Moment open = near_solid ? open_wide[o] : everything;
            const float share = near_solid ? open[0] / blurred : 1;
            if (wide[o][0] <= 0 || share < 0.05f) {
                out[o] = options.far;
                return;
            }
            const float density = wide[o][0] / (blurred * full * share);
            float h = height<D>(wide[o], open, profile) + thin_height(density, lone);
            const float here = near_solid ? open_tile[t][0] : 1;
            if (here > 0.5f) h = std::max(h, gap_height(tile.v[t][0] / (full * here), density));
            out[o] = std::min(std::max(h, -options.far), options.far);
        });
    });

    // Particles too lonely to make their surroundings liquid: at least their own cell is.
    std::vector<std::vector<int>> lonely(topology->size());
    parallel_for(topology->size(), 4, [&](std::size_t i) {
        const int b = static_cast<int>(i);
        const std::uint8_t* n = marks.occupied.block(b);
        const float* f = phi.block(b);
        bool candidates = false;
        for (int o = 0; o < kBlockCells<D>; ++o) candidates |= (n[o] & kOccupied) && f[o] >= 0;
        if (!candidates) return;
        Tile<float, D, 1> tile;
        tile.load(phi, b);
        for_each_cell<D, 1>([&](const Index<D>&, int o, int t) {
            if (!(n[o] & kOccupied) || f[o] < 0) return;
            for (int code = 0; code < kNeighbours<D>; ++code) {
                const Index<D> off = neighbour_offset<D>(code);
                int at = t;
                for (int d = 0; d < D; ++d) at += off[d] * Tile<float, D, 1>::step(d);
                if (tile.v[at] < 0) return;
            }
            lonely[b].push_back(o);
        });
    });
    parallel_for(topology->size(), 64, [&](std::size_t b) {
        for (int o : lonely[b]) phi.block(static_cast<int>(b))[o] = -options.drop;
    });
}

template void level_set_from_particles<2>(const Particles<2>&, const ParticleBlocks<2>&,
                                          const LevelSetOptions&, const Field<float, 2>*,
                                          Field<float, 2>&);
template void level_set_from_particles<3>(const Particles<3>&, const ParticleBlocks<3>&,
                                          const LevelSetOptions&, const Field<float, 3>*,
                                          Field<float, 3>&);

}  // namespace slosh
