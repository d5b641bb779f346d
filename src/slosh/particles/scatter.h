// Spreading particles onto the grid without races and without atomics.
//
// The particles of a block reach one sample beyond it on each side. They are summed into a tile of
// 10^D samples of their own (samples -1 ... 8 of the block), in particle order; afterwards every
// grid block adds the parts of the 3^D tiles that overlap it, in a fixed order. So the sums do not
// depend on threads.
#pragma once

#include <vector>

#include "slosh/base/error.h"
#include "slosh/grid/field.h"
#include "slosh/particles/particles.h"

namespace slosh {

constexpr int kTileSide = kSide + 2;  ///< Samples along a scatter tile's edge.
template <int D>
constexpr int kTileSamples = D == 2 ? kTileSide* kTileSide : kTileSide* kTileSide* kTileSide;

/// For every block of `grid` the particle block at the same place, or -1. Checks that the grid
/// holds every particle block and its neighbours.
template <int D>
std::vector<int> particle_block_of(const Blocks<D>& grid, const ParticleBlocks<D>& pblocks) {
    std::vector<int> owner(static_cast<std::size_t>(grid.size()) + 1, -1);
    parallel_for(pblocks.blocks->size(), 64, [&](std::size_t p) {
        const int b = grid.find(pblocks.blocks->coord(static_cast<int>(p)));
        SLOSH_EXPECT(b < grid.size());
        for (int n : grid.neighbours(b)) SLOSH_EXPECT(n < grid.size());
        owner[b] = static_cast<int>(p);
    });
    return owner;
}

/// Adds to `sum` (K floats per cell of grid block b) what the tiles around it hold of its cells.
/// `tile(p)` gives the tile of particle block p: K floats per sample, x fastest. Returns false,
/// with `sum` untouched, if no tile overlaps the block.
template <int D, int K, class TileOf>
bool add_tiles(const Blocks<D>& grid, const std::vector<int>& owner, int b, const TileOf& tile,
               float* sum) {
    // Offset -1, 0, 1 of the other block: its samples that lie here, and our cells under them.
    constexpr int kFrom[3] = {kSide + 1, 1, 0}, kTo[3] = {0, 0, kSide - 1},
                  kCount[3] = {1, kSide, 1};
    bool any = false;
    for (int code = 0; code < kNeighbours<D>; ++code) {
        const int p = owner[grid.neighbour(b, code)];
        if (p < 0) continue;
        any = true;
        const float* from = tile(p);
        const Index<D> o = neighbour_offset<D>(code) + Index<D>::filled(1);
        const int oz = D == 3 ? o[D - 1] : 1;
        for (int z = 0; z < (D == 3 ? kCount[oz] : 1); ++z)
            for (int y = 0; y < kCount[o[1]]; ++y) {
                int s = (kFrom[o[1]] + y) * kTileSide + kFrom[o[0]];
                int c = (kTo[o[1]] + y) * kSide + kTo[o[0]];
                if constexpr (D == 3) {
                    s += (kFrom[oz] + z) * kTileSide * kTileSide;
                    c += (kTo[oz] + z) * kSide * kSide;
                }
                const float* in = from + K * s;
                float* out = sum + K * c;
                if (o[0] == 1)
                    for (int x = 0; x < K * kSide; ++x) out[x] += in[x];
                else
                    for (int k = 0; k < K; ++k) out[k] += in[k];
            }
    }
    return any;
}

}  // namespace slosh
