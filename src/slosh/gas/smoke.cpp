#include "slosh/gas/smoke.h"

#include <cmath>

#include "slosh/particles/scatter.h"

namespace slosh {

namespace {

constexpr std::size_t kRange = 8192;

/// Smoke, warmth, weight, nothing: what a sample sums up, added as one vector.
constexpr int kSums = 4;
using Sums = float __attribute__((vector_size(16)));

/// Sums smoke, warmth and weight of the particles [begin, end) of a block into its tile.
template <int D>
void scatter_smoke(const Particles<D>& particles, float ambient, std::size_t begin, std::size_t end,
                   const Index<D>& origin, float* tile) {
    std::fill_n(tile, kSums * kTileSamples<D>, 0.0f);
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
        const Sums sums = {particles.smoke[i], particles.temperature[i] - ambient, 1, 0};
        for (int corner = 0; corner < kChildren<D>; ++corner) {
            float w = 1;
            int o = offset;
            for (int d = 0, stride = 1; d < D; ++d, stride *= kTileSide) {
                const bool up = corner >> d & 1;
                w *= up ? t[d] : 1 - t[d];
                o += up ? stride : 0;
            }
            Sums* at = reinterpret_cast<Sums*>(tile) + o;
            *at += w * sums;
        }
    }
}

template <int D>
void feed(const GasSource<D>& source, const GridGeometry<D>& grid, double time,
          const ParticleBlocks<D>& pblocks, Particles<D>& particles) {
    const Transform<D> at = source.motion.at(time);
    const auto distance = [&](const Point<D>& g) {
        return source.shape->distance(at.unapply(grid.to_world(g)));
    };
    // From a block's centre to its corners, in metres, and a little for rounding.
    const double reach = 0.51 * kSide * std::sqrt(double(D)) * grid.dx;
    parallel_for(pblocks.blocks->size(), 4, [&](std::size_t block) {
        const int b = static_cast<int>(block);
        const Point<D> centre =
            pblocks.blocks->first_cell(b).template as<double>() + Point<D>::filled(0.5 * kSide);
        if (distance(centre) > reach) return;
        for (std::size_t i = pblocks.first[b]; i < pblocks.first[b + 1]; ++i) {
            if (!(distance(particles.position(i)) < 0)) continue;
            particles.smoke[i] = static_cast<float>(source.smoke);
            particles.temperature[i] = static_cast<float>(source.temperature);
            for (int d = 0; d < D && source.velocity; ++d) {
                particles.v[d][i] = static_cast<float>((*source.velocity)[d]);
                for (int e = 0; e < D && particles.affine(); ++e) particles.c[d][e][i] = 0;
            }
        }
    });
}

}  // namespace

template <int D>
void start_gas(const GasSetup<D>& gas, Particles<D>& particles) {
    particles.resize(particles.size(), particles.affine(), true);
    std::fill(particles.smoke.begin(), particles.smoke.end(), 0.0f);
    std::fill(particles.temperature.begin(), particles.temperature.end(),
              static_cast<float>(gas.ambient));
}

template <int D>
void run_gas_sources(const GasSetup<D>& gas, const GridGeometry<D>& grid, double time, double dt,
                     const ParticleBlocks<D>& pblocks, Particles<D>& p) {
    const float ambient = static_cast<float>(gas.ambient);
    const float warmth_left = static_cast<float>(std::exp(-gas.cooling * dt));
    const float smoke_left = static_cast<float>(std::exp(-gas.smoke_decay * dt));
    if (warmth_left < 1 || smoke_left < 1)
        parallel_ranges(p.size(), kRange, [&](std::size_t begin, std::size_t end) {
            for (std::size_t i = begin; i < end; ++i) {
                p.temperature[i] = ambient + (p.temperature[i] - ambient) * warmth_left;
                p.smoke[i] *= smoke_left;
            }
        });
    for (const GasSource<D>& source : gas.sources)
        if (time >= source.start && time < source.end) feed(source, grid, time, pblocks, p);
}

template <int D>
AlignedVector<float> particle_lift(const GasSetup<D>& gas, const Particles<D>& p) {
    AlignedVector<float> lift(p.size());
    const float heat = static_cast<float>(gas.heat_lift), ambient = static_cast<float>(gas.ambient),
                weight = static_cast<float>(gas.smoke_weight);
    parallel_ranges(p.size(), kRange, [&](std::size_t begin, std::size_t end) {
        for (std::size_t i = begin; i < end; ++i)
            lift[i] = heat * (p.temperature[i] - ambient) - weight * p.smoke[i];
    });
    return lift;
}

template <int D>
double max_lift(const GasSetup<D>& gas, const Particles<D>& p) {
    return parallel_max(
        (p.size() + kRange - 1) / kRange,
        [&](std::size_t c) {
            double most = 0;
            for (std::size_t i = c * kRange; i < std::min(p.size(), (c + 1) * kRange); ++i)
                most = std::max(most, std::abs(gas.lift(p.smoke[i], p.temperature[i])));
            return most;
        },
        0, 1);
}

template <int D>
void smoke_to_grid(const GasSetup<D>& gas, const Particles<D>& particles,
                   const ParticleBlocks<D>& pblocks, Field<float, D>& smoke,
                   Field<float, D>& temperature) {
    const Blocks<D>& grid = smoke.blocks();
    SLOSH_EXPECT(&grid == &temperature.blocks() && particles.gas());
    const std::vector<int> owner = particle_block_of(grid, pblocks);
    const float ambient = static_cast<float>(gas.ambient);
    constexpr std::size_t kTile = kSums * kTileSamples<D>;
    AlignedVector<float> tiles(static_cast<std::size_t>(pblocks.blocks->size()) * kTile);
    const auto tile = [&](int p) { return tiles.data() + static_cast<std::size_t>(p) * kTile; };
    parallel_for(pblocks.blocks->size(), 1, [&](std::size_t i) {
        const int p = static_cast<int>(i);
        scatter_smoke(particles, ambient, pblocks.first[p], pblocks.first[p + 1],
                      pblocks.blocks->first_cell(p), tile(p));
    });
    parallel_for(grid.size(), 8, [&](std::size_t i) {
        const int b = static_cast<int>(i);
        alignas(64) float sum[kSums * kBlockCells<D>] = {};
        if (!add_tiles<D, kSums>(grid, owner, b, tile, sum)) {
            std::fill_n(smoke.block(b), kBlockCells<D>, 0.0f);
            std::fill_n(temperature.block(b), kBlockCells<D>, ambient);
            return;
        }
        for (int o = 0; o < kBlockCells<D>; ++o) {
            const float w = sum[kSums * o + 2];
            smoke.block(b)[o] = w > 0 ? sum[kSums * o] / w : 0.0f;
            temperature.block(b)[o] = w > 0 ? ambient + sum[kSums * o + 1] / w : ambient;
        }
    });
}

#define SLOSH_INSTANTIATE(D)                                                                     \
    template void start_gas<D>(const GasSetup<D>&, Particles<D>&);                               \
    template void run_gas_sources<D>(const GasSetup<D>&, const GridGeometry<D>&, double, double, \
                                     const ParticleBlocks<D>&, Particles<D>&);                   \
    template AlignedVector<float> particle_lift<D>(const GasSetup<D>&, const Particles<D>&);     \
    template double max_lift<D>(const GasSetup<D>&, const Particles<D>&);                        \
    template void smoke_to_grid<D>(const GasSetup<D>&, const Particles<D>&,                      \
                                   const ParticleBlocks<D>&, Field<float, D>&, Field<float, D>&);
SLOSH_INSTANTIATE(2)
SLOSH_INSTANTIATE(3)
#undef SLOSH_INSTANTIATE

}  // namespace slosh
