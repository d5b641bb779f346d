#include "slosh/particles/density.h"

#include <cmath>

#include "slosh/particles/scatter.h"

namespace slosh {

namespace {

/// Sums the weights of the particles [begin, end) of a block into its tile.
template <int D>
void scatter_weights(const Particles<D>& particles, std::size_t begin, std::size_t end,
                     const Index<D>& origin, float* tile) {
    std::fill_n(tile, kTileSamples<D>, 0.0f);
    for (std::size_t i = begin; i < end; ++i) {
        // Cell centre j sits at j + 1/2 and is sample j + 1 of the tile.
        float t[D];
        int offset = 0;
        for (int d = D - 1; d >= 0; --d) {
            const float x = particles.x[d][i] - static_cast<float>(origin[d]) + 0.5f;
            const int low = static_cast<int>(x);
            t[d] = x - static_cast<float>(low);
            offset = offset * kTileSide + low;
        }
        for (int corner = 0; corner < 1 << (D - 1); ++corner) {
            float w = 1;
            int o = offset;
            for (int d = 1, stride = kTileSide; d < D; ++d, stride *= kTileSide) {
                const bool up = corner >> (d - 1) & 1;
                w *= up ? t[d] : 1 - t[d];
                o += up ? stride : 0;
            }
            const float upper = w * t[0];
            tile[o] += w - upper;
            tile[o + 1] += upper;
        }
    }
}

}  // namespace

template <int D>
void particle_density(const Particles<D>& particles, const ParticleBlocks<D>& pblocks,
                      Field<float, D>& density) {
    const Blocks<D>& grid = density.blocks();
    SLOSH_EXPECT(pblocks.first.back() == particles.size());
    const std::vector<int> owner = particle_block_of(grid, pblocks);
    AlignedVector<float> tiles(static_cast<std::size_t>(pblocks.blocks->size()) * kTileSamples<D>);
    const auto tile = [&](int p) {
        return tiles.data() + static_cast<std::size_t>(p) * kTileSamples<D>;
    };
    parallel_for(pblocks.blocks->size(), 1, [&](std::size_t i) {
        const int p = static_cast<int>(i);
        scatter_weights(particles, pblocks.first[p], pblocks.first[p + 1],
                        pblocks.blocks->first_cell(p), tile(p));
    });
    parallel_for(grid.size(), 16, [&](std::size_t i) {
        const int b = static_cast<int>(i);
        std::fill_n(density.block(b), kBlockCells<D>, 0.0f);
        add_tiles<D, 1>(grid, owner, b, tile, density.block(b));
    });
}

template void particle_density<2>(const Particles<2>&, const ParticleBlocks<2>&, Field<float, 2>&);
template void particle_density<3>(const Particles<3>&, const ParticleBlocks<3>&, Field<float, 3>&);

}  // namespace slosh
