#include "slosh/surface/level_set.h"

#include "slosh/base/error.h"
#include "slosh/surface/byte_rows.h"
#include "slosh/surface/moments.h"

namespace slosh {

namespace {

constexpr int kReach = 2;            // of the blurred kernel, cells
constexpr int kMargin = kReach + 1;  // particles this near to an empty cell matter

// What a byte of marks says about its cell; bits, so that one dilation spreads both.
constexpr std::uint8_t kEmpty = 1, kOccupied = 2;

/// Marks the cells that hold particles, and those that hold neither particles nor solid.
template <int D>
Field<std::uint8_t, D> occupancy(const Particles<D>& particles, const ParticleBlocks<D>& blocks,
                                 const std::vector<int>& home, const Field<float, D>* solid,
                                 const BlocksPtr<D>& topology) {
    Field<std::uint8_t, D> marks(topology, kEmpty);
    parallel_for(blocks.blocks->size(), 4, [&](std::size_t b) {
        std::uint8_t* cells = marks.block(home[b]);
        const Index<D> corner = blocks.blocks->first_cell(static_cast<int>(b));
        // Cell numbers first, in a batch that vectorises; byte stores could alias the positions.
        const std::uint32_t end = blocks.first[b + 1];
        constexpr std::uint32_t batch = 64;
        std::int32_t cell[batch];
        for (std::uint32_t p = blocks.first[b]; p < end; p += batch) {
            const std::uint32_t n = std::min(batch, end - p);
            std::fill_n(cell, batch, 0);
            for (int d = D - 1; d >= 0; --d) {
                const float* x = particles.x[d].data() + p;
                const float low = static_cast<float>(corner[d]);
                for (std::uint32_t i = 0; i < n; ++i) {
                    const int c = static_cast<int>(x[i] - low);
                    cell[i] = cell[i] * kSide + std::min(std::max(c, 0), kSide - 1);
                }
            }
            for (std::uint32_t i = 0; i < n; ++i) cells[cell[i]] = kOccupied;
        }
    });
    if (solid)
        parallel_for(topology->size(), 16, [&](std::size_t i) {
            const int b = static_cast<int>(i);
            const float* s = solid->block(b);
            std::uint8_t* m = marks.block(b);
            for (int o = 0; o < kBlockCells<D>; ++o)
                m[o] = static_cast<std::uint8_t>(s[o] < 0 ? m[o] & ~kEmpty : m[o]);
        });
    return marks;
}

/// What each block has to do.
template <int D>
struct Marks {
    Field<std::uint8_t, D> occupied;  ///< kOccupied where a cell holds particles.
    Field<std::uint8_t, D>
        evaluate;  ///< Cells next to an empty one, particles in reach: phi is computed.
    Field<std::uint8_t, D> select;  ///< Cells whose particles that computation can see.
    std::vector<std::uint8_t> evaluates, selects;  ///< Per block: any such cell.
};

template <int D>
Marks<D> mark_surface(Field<std::uint8_t, D> occupied) {
    const BlocksPtr<D> blocks = occupied.blocks_ptr();
    Marks<D> marks{std::move(occupied),
                   Field<std::uint8_t, D>(blocks, 0),
                   Field<std::uint8_t, D>(blocks, 0),
                   {},
                   {}};
    marks.evaluates.resize(blocks->size());
    marks.selects.resize(blocks->size());
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
        marks.selects[b] = any_marked(seen, kBlockCells<D>);
    });
    return marks;
}

/// Sums the moments of all selected particles. Blocks of one colour (parity of their coordinates)
/// spread into disjoint cells, so a colour runs in parallel and the order of sums is fixed.
template <int D>
void gather_moments(const Particles<D>& particles, const ParticleBlocks<D>& blocks,
                    const std::vector<int>& home, const Marks<D>& marks,
                    Field<Moment, D>& moments) {
    constexpr int stride = kSide + 2;
    constexpr int cells = D == 3 ? stride * stride * stride : stride * stride;
    std::vector<int> colour[kChildren<D>];
    for (int b = 0; b < blocks.blocks->size(); ++b) {
        if (!marks.selects[home[b]]) continue;
        int c = 0;
        for (int d = 0; d < D; ++d) c |= (blocks.blocks->coord(b)[d] & 1) << d;
        colour[c].push_back(b);
    }
    for (const std::vector<int>& list : colour)
        parallel_for(list.size(), 1, [&](std::size_t i) {
            const int b = list[i];
            alignas(64) Moment tile[cells] = {};
            deposit_moments<D, 1>(particles, blocks.first[b], blocks.first[b + 1],
                                  blocks.blocks->first_cell(b), marks.select.block(home[b]), tile);
            const auto& near = moments.blocks().neighbours(home[b]);
            for (int z = 0; z < (D == 3 ? stride : 1); ++z)
                for (int y = 0; y < stride; ++y) {
                    const Moment* row = tile + (z * stride + y) * stride;
                    const int nz = D == 3 ? 9 * (z == 0 ? 0 : z > kSide ? 2 : 1) : 0;
                    const int code = nz + 3 * (y == 0 ? 0 : y > kSide ? 2 : 1);
                    const int o =
                        kSide * ((y - 1) & 7) + (D == 3 ? kSide * kSide * ((z - 1) & 7) : 0);
                    moments.block(near[code])[o + kSide - 1] += row[0];
                    Moment* mid = moments.block(near[code + 1]) + o;
                    for (int x = 0; x < kSide; ++x) mid[x] += row[x + 1];
                    moments.block(near[code + 2])[o] += row[kSide + 1];
                }
        });
}

/// Moments of the space outside solids about each cell centre, on a tile with one cell of halo.
/// Around a centre the solid is taken as the half space that its distance and gradient say.
template <int D>
void open_moments(const Tile<float, D, 2>& solid, Moment* tile) {
    using T = Tile<float, D, 2>;
    constexpr int n = kSide + 2;
    for (int z = 0; z < (D == 3 ? n : 1); ++z)
        for (int y = 0; y < n; ++y)
            for (int x = 0; x < n; ++x) {
                Index<D> c;
                c[0] = x - 1;
                c[1] = y - 1;
                if constexpr (D == 3) c[2] = z - 1;
                const int o = T::offset(c);
                const float s = std::min(std::max(solid.v[o], -1.0f), 1.0f);
                float g[D], length = 0;
                for (int d = 0; d < D; ++d) {
                    g[d] = solid.v[o + T::step(d)] - solid.v[o - T::step(d)];
                    length += g[d] * g[d];
                }
                length = std::sqrt(std::max(length, 1e-12f));
                // Hat of radius 1 cut at -s: its mass and first moment beyond the cut.
                const float v = 1 - std::abs(s);
                const float tail = 0.5f * v * v;
                const float moment = tail * (1 - 2 * v / 3);
                Moment m = {s < 0 ? tail : 1 - tail, 0, 0, 0};
                for (int d = 0; d < D; ++d) m[d + 1] = moment * g[d] / length;
                tile[(z * n + y) * n + x] = m;
            }
}

/// Height over the surface of a point, from the particles' moments about it and those of the
/// open space; the centre of the open space is where the profile of a half space applies, and from
/// there the surface is taken as flat.
template <int D>
float height(const Moment& m, const Moment& open, const HalfSpaceProfile& profile) {
    float e[D], square = 0, across = 0;
    for (int d = 0; d < D; ++d) {
        const float o = open[d + 1] / open[0];
        e[d] = o - m[d + 1] / m[0];
        square += e[d] * e[d];
        across += e[d] * o;
    }
    const float distance = std::sqrt(square);
    return profile(distance) - across / std::max(distance, 1e-3f);
}

}  // namespace

template <int D>
void level_set_from_particles(const Particles<D>& particles, const ParticleBlocks<D>& blocks,
                              const LevelSetOptions& options, const Field<float, D>* solid,
                              Field<float, D>& phi) {
    const BlocksPtr<D>& topology = phi.blocks_ptr();
    std::vector<int> home(blocks.blocks->size());
    for (int b = 0; b < blocks.blocks->size(); ++b) {
        home[b] = topology->find(blocks.blocks->coord(b));
        SLOSH_EXPECT(home[b] < topology->size());
    }
    const Marks<D> marks = mark_surface(occupancy(particles, blocks, home, solid, topology));
    Field<Moment, D> moments(topology, Moment{});
    gather_moments(particles, blocks, home, marks, moments);

    const float a = options.tap;
    const HalfSpaceProfile profile({1.0, a});
    const float full = options.particles_per_cell;  // weight in a cell of full liquid
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
            float h = height<D>(wide[o], open, profile);
            // A gap between two surfaces has the centre of its particles within; what tells it
            // from liquid is that no particle is near.
            const float here = near_solid ? open_tile[t][0] : 1;
            if (here > 0.5f) h = std::max(h, 0.5f - tile.v[t][0] / (0.12f * full * here));
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
