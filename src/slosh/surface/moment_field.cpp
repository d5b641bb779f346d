#include "slosh/surface/moment_field.h"

#include "slosh/base/error.h"
#include "slosh/surface/byte_rows.h"

namespace slosh {

namespace {

/// Spreads the particles [begin, end) of a block whose lowest cell is `corner` into a dense array
/// of 10^D moments, one cell of halo on each side. `select` (one byte a cell of the block, or null)
/// leaves out the particles in cells that hold 0.
template <int D>
void deposit_moments(const Particles<D>& particles, std::uint32_t begin, std::uint32_t end,
                     const Index<D>& corner, const std::uint8_t* select, Moment* tile) {
    constexpr int stride = kSide + 2;
    constexpr int step[3] = {1, stride, stride * stride};
    const float* x[D];
    float low[D];
    for (int d = 0; d < D; ++d) {
        x[d] = particles.x[d].data();
        low[d] = static_cast<float>(corner[d]);
    }
    for (std::uint32_t p = begin; p < end; ++p) {
        int cell[D];
        float t[D];
        int base = 0, home = 0;
        for (int d = 0; d < D; ++d) {
            const float s = x[d][p] - low[d];
            // A particle on the upper rim of its block may round onto it: keep it in the tile.
            const int c = std::min(std::max(static_cast<int>(s), 0), kSide - 1);
            cell[d] = c;
            const float u = s - static_cast<float>(c) - 0.5f;  // from the home cell's centre
            const int back = u < 0;
            t[d] = u + static_cast<float>(back);
            base += (c + 1 - back) * step[d];
        }
        if (select) {
            for (int d = D - 1; d >= 0; --d) home = home * kSide + cell[d];
            if (!select[home]) continue;
        }
        Moment offset = {1, 0, 0, 0};
        for (int d = 0; d < D; ++d) offset[d + 1] = t[d];
        float w[kChildren<D>] = {1};
        for (int d = 0, n = 1; d < D; ++d, n *= 2)
            for (int i = 0; i < n; ++i) {
                w[i + n] = w[i] * t[d];
                w[i] -= w[i + n];
            }
        for (int i = 0; i < kChildren<D>; ++i) {
            const Moment at = {0, float(i & 1), float(i >> 1 & 1), float(i >> 2 & 1)};
            const int o = (i & 1) * step[0] + (i >> 1 & 1) * step[1] + (i >> 2 & 1) * step[2];
            tile[base + o] += w[i] * (offset - at);
        }
    }
}

}  // namespace

template <int D>
std::vector<int> home_blocks(const ParticleBlocks<D>& blocks, const Blocks<D>& topology) {
    std::vector<int> home(blocks.blocks->size());
    for (int b = 0; b < blocks.blocks->size(); ++b) {
        home[b] = topology.find(blocks.blocks->coord(b));
        SLOSH_EXPECT(home[b] < topology.size());
    }
    return home;
}

template <int D>
Field<std::uint8_t, D> occupancy(const Particles<D>& particles, const ParticleBlocks<D>& blocks,
                                 const std::vector<int>& home, const Field<float, D>* solid,
                                 const BlocksPtr<D>& topology) {
    Field<std::uint8_t, D> marks(topology, kEmpty);
    parallel_for(blocks.blocks->size(), 4, [&](std::size_t b) {
        std::uint8_t* cells = marks.block(home[b]);
        const Index<D> corner = blocks.blocks->first_cell(static_cast<int>(b));
        // Cell numbers first, in a batch that vectorises; byte stores could alias the positions.
        constexpr std::uint32_t batch = 64;
        const auto mark = [&](std::uint32_t p, auto n) {
            std::int32_t cell[batch] = {};
            for (int d = D - 1; d >= 0; --d) {
                const float* x = particles.x[d].data() + p;
                const float low = static_cast<float>(corner[d]);
                for (std::uint32_t i = 0; i < n; ++i) {
                    const int c = static_cast<int>(x[i] - low);
                    cell[i] = cell[i] * kSide + std::min(std::max(c, 0), kSide - 1);
                }
            }
            for (std::uint32_t i = 0; i < n; ++i) cells[cell[i]] = kOccupied;
        };
        const std::uint32_t end = blocks.first[b + 1];
        std::uint32_t p = blocks.first[b];
        for (; end - p >= batch; p += batch)
            mark(p, std::integral_constant<std::uint32_t, batch>());
        mark(p, end - p);
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

// Blocks of one colour (parity of their coordinates) spread into disjoint cells, so a colour runs
// in parallel and the order of sums is fixed.
template <int D>
Field<Moment, D> gather_moments(const Particles<D>& particles, const ParticleBlocks<D>& blocks,
                                const std::vector<int>& home, const BlocksPtr<D>& topology,
                                const Field<std::uint8_t, D>* select) {
    Field<Moment, D> moments(topology, Unfilled{}, Moment{});
    std::vector<std::uint8_t> selects(static_cast<std::size_t>(topology->size()) + 1, !select);
    if (select)
        parallel_for(topology->size(), 32, [&](std::size_t b) {
            selects[b] = any_marked(select->block(static_cast<int>(b)), kBlockCells<D>);
        });
    parallel_for(topology->size(), 16, [&](std::size_t i) {
        const int b = static_cast<int>(i);
        std::uint8_t near = 0;
        for (int n : topology->neighbours(b)) near |= selects[n];
        if (near) std::fill_n(moments.block(b), kBlockCells<D>, Moment{});
    });
    constexpr int stride = kSide + 2;
    constexpr int cells = D == 3 ? stride * stride * stride : stride * stride;
    std::vector<int> colour[kChildren<D>];
    for (int b = 0; b < blocks.blocks->size(); ++b) {
        if (!selects[home[b]]) continue;
        int c = 0;
        for (int d = 0; d < D; ++d) c |= (blocks.blocks->coord(b)[d] & 1) << d;
        colour[c].push_back(b);
    }
    for (const std::vector<int>& list : colour)
        parallel_for(list.size(), 1, [&](std::size_t i) {
            const int b = list[i];
            alignas(64) Moment tile[cells] = {};
            deposit_moments<D>(particles, blocks.first[b], blocks.first[b + 1],
                               blocks.blocks->first_cell(b),
                               select ? select->block(home[b]) : nullptr, tile);
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
    return moments;
}

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

template std::vector<int> home_blocks<2>(const ParticleBlocks<2>&, const Blocks<2>&);
template Field<std::uint8_t, 2> occupancy<2>(const Particles<2>&, const ParticleBlocks<2>&,
                                             const std::vector<int>&, const Field<float, 2>*,
                                             const BlocksPtr<2>&);
template Field<Moment, 2> gather_moments<2>(const Particles<2>&, const ParticleBlocks<2>&,
                                            const std::vector<int>&, const BlocksPtr<2>&,
                                            const Field<std::uint8_t, 2>*);
template void open_moments<2>(const Tile<float, 2, 2>&, Moment*);
template std::vector<int> home_blocks<3>(const ParticleBlocks<3>&, const Blocks<3>&);
template Field<std::uint8_t, 3> occupancy<3>(const Particles<3>&, const ParticleBlocks<3>&,
                                             const std::vector<int>&, const Field<float, 3>*,
                                             const BlocksPtr<3>&);
template Field<Moment, 3> gather_moments<3>(const Particles<3>&, const ParticleBlocks<3>&,
                                            const std::vector<int>&, const BlocksPtr<3>&,
                                            const Field<std::uint8_t, 3>*);
template void open_moments<3>(const Tile<float, 3, 2>&, Moment*);

}  // namespace slosh
