#include "slosh/particles/density.h"

#include <cmath>

#include "slosh/particles/lanes.h"
#include "slosh/particles/scatter.h"

namespace slosh {

namespace {

/// Sums of one block's particles. The weights of the 2^D samples around a place lie side by side,
/// so that a particle is added by one vector; `fold` adds the overlaps up.
template <int D>
struct Corners {
    static constexpr int kPlaces = kTileSide - 1;  // along an axis; places have a sample above them
    static constexpr int kCount = kPlaces * kPlaces * (D == 3 ? kPlaces : 1);
    alignas(64) float v[8 * kCount];

    void fold(float* tile) const {
        std::fill_n(tile, kTileSamples<D>, 0.0f);
        const float* q = v;
        for (int z = 0; z < (D == 3 ? kPlaces : 1); ++z)
            for (int y = 0; y < kPlaces; ++y)
                for (int x = 0; x < kPlaces; ++x, q += 8)
                    for (int corner = 0; corner < 1 << D; ++corner) {
                        const int sx = x + (corner & 1), sy = y + (corner >> 1 & 1);
                        const int sz = z + (corner >> 2);
                        tile[(sz * kTileSide + sy) * kTileSide + sx] += q[corner];
                    }
    }
};

/// Adds the weights of the particles [begin, end) of a block whose lowest cell is `origin`.
template <int D>
void scatter_weights(const Particles<D>& particles, std::size_t begin, std::size_t end,
                     const Index<D>& origin, Corners<D>& corners) {
    for (std::size_t i = begin; i < end; i += kLanes) {
        const int n = static_cast<int>(std::min<std::size_t>(kLanes, end - i));
        const Ints active = first_lanes(n);
        // Cell centre j sits at j + 1/2 and is sample j + 1 of the tile.
        Floats t[D];
        Ints place = {};
        for (int d = D - 1; d >= 0; --d) {
            Floats x =
                load_lanes(particles.x[d].data() + i, n) - static_cast<float>(origin[d]) + 0.5f;
            if (n < kLanes) x = choose(active, x, Floats{});
            const Ints low = truncated(x);
            t[d] = x - as_floats(low);
            place = place * Corners<D>::kPlaces + low;
        }
        alignas(32) int at[kLanes];
        spill(place, at);
        Floats mass = all_lanes(1);
        if (n < kLanes) mass = choose(active, mass, Floats{});
        Floats w[2][4] = {};
        for (int z = 0; z < (D == 3 ? 2 : 1); ++z) {
            Floats along = mass;
            if constexpr (D == 3) along *= z ? t[2] : 1 - t[2];
            const Floats up = along * t[1], low = along - up;
            w[z][1] = low * t[0];
            w[z][0] = low - w[z][1];
            w[z][3] = up * t[0];
            w[z][2] = up - w[z][3];
        }
        add_octets(corners.v, at, w[0], w[1]);
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
        Corners<D> corners;
        std::fill(std::begin(corners.v), std::end(corners.v), 0.0f);
        scatter_weights(particles, pblocks.first[p], pblocks.first[p + 1],
                        pblocks.blocks->first_cell(p), corners);
        corners.fold(tile(p));
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
