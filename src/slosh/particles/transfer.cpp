#include "slosh/particles/transfer.h"

#include "slosh/particles/lanes.h"
#include "slosh/particles/scatter.h"

namespace slosh {

namespace {

/// Where eight particles sit among the samples of one axis: tile index of the lower sample, and
/// the fraction of the way to the upper one.
struct Place {
    Ints index;
    Floats t;
};

/// Among samples at i (faces along their own axis). A position just below a block's upper end can
/// round to it; the clamp keeps it in the last cell.
Place place_on_nodes(Floats x) {
    const Ints i = truncated(min_lanes(x, all_lanes(kSide - 1)));
    return {i + 1, x - as_floats(i)};
}
/// Among samples at i + 1/2.
Place place_on_centres(Floats x) {
    const Floats shifted = x + 0.5f;
    const Ints i = truncated(shifted);
    return {i, shifted - as_floats(i)};
}

/// Turns lane-wise (value, weight) of the lower and upper sample along x into one vector
/// (v0, w0, v1, w1) per particle and adds each to its place in the tile.
inline void add_quads(float* tile, const int* offset, Floats v0, Floats w0, Floats v1, Floats w1) {
    __m256 r[4] = {__m256(v0), __m256(w0), __m256(v1), __m256(w1)};
    transpose_halves(r);
    const auto add = [&](int lane, __m128 q) {
        float* p = tile + 2 * offset[lane];
        _mm_storeu_ps(p, _mm_add_ps(_mm_loadu_ps(p), q));
    };
    for (int i = 0; i < 4; ++i) add(i, _mm256_castps256_ps128(r[i]));
    for (int i = 0; i < 4; ++i) add(i + 4, _mm256_extractf128_ps(r[i], 1));
}

/// Adds one component of eight particles to its tile of interleaved (value, weight).
template <int D>
inline void scatter_component(const Place (&place)[D], Floats v, const Floats* c, Floats mass,
                              float* tile) {
    alignas(32) int offset[kLanes];
    Ints o = place[D - 1].index;
    for (int d = D - 2; d >= 0; --d) o = o * kTileSide + place[d].index;
    *reinterpret_cast<Ints*>(offset) = o;

    // Velocity at the lowest corner; going up along an axis adds that axis' gradient.
    Floats low = v;
    if (c)
        for (int d = 0; d < D; ++d) low -= c[d] * place[d].t;
    const Floats rise = c ? c[0] : Floats{};
    for (int corner = 0; corner < 1 << (D - 1); ++corner) {
        Floats w = mass, a = low;
        int step = 0;
        for (int d = 1, stride = kTileSide; d < D; ++d, stride *= kTileSide) {
            const bool up = corner >> (d - 1) & 1;
            w *= up ? place[d].t : 1 - place[d].t;
            if (up) step += stride;
            if (up && c) a += c[d];
        }
        const Floats w1 = w * place[0].t, w0 = w - w1;
        add_quads(tile + 2 * step, offset, w0 * a, w0, w1 * (a + rise), w1);
    }
}

/// Sums the particles [begin, end) of a block whose lowest cell is `origin` into D tiles.
template <int D, bool kAffine>
void scatter_block(const Particles<D>& particles, std::size_t begin, std::size_t end,
                   const Index<D>& origin, float* tiles) {
    std::fill_n(tiles, 2 * D * kTileSamples<D>, 0.0f);
    for (std::size_t i = begin; i < end; i += kLanes) {
        const int n = static_cast<int>(std::min<std::size_t>(kLanes, end - i));
        const Ints active = first_lanes(n);
        const Floats mass = choose(active, all_lanes(1), Floats{});
        Place node[D], centre[D];
        for (int d = 0; d < D; ++d) {
            const Floats x = load_lanes(particles.x[d].data() + i, n) - static_cast<float>(origin[d]);
            const Floats safe = choose(active, x, Floats{});
            node[d] = place_on_nodes(safe);
            centre[d] = place_on_centres(safe);
        }
        for (int axis = 0; axis < D; ++axis) {
            Place place[D];
            for (int d = 0; d < D; ++d) place[d] = d == axis ? node[d] : centre[d];
            const Floats v = load_lanes(particles.v[axis].data() + i, n);
            Floats c[D];
            if constexpr (kAffine)
                for (int d = 0; d < D; ++d) c[d] = load_lanes(particles.c[axis][d].data() + i, n);
            scatter_component<D>(place, v, kAffine ? c : nullptr, mass,
                                 tiles + 2 * axis * kTileSamples<D>);
        }
    }
}

}  // namespace

template <int D>
void particles_to_grid(const Particles<D>& particles, const ParticleBlocks<D>& pblocks,
                       FaceField<float, D>& velocity, FaceField<float, D>& weight) {
    const Blocks<D>& grid = velocity.blocks();
    SLOSH_EXPECT(&grid == &weight.blocks());
    SLOSH_EXPECT(pblocks.first.back() == particles.size());
    const std::vector<int> owner = particle_block_of(grid, pblocks);

    constexpr std::size_t kTile = 2 * kTileSamples<D>;
    AlignedVector<float> tiles(static_cast<std::size_t>(pblocks.blocks->size()) * D * kTile);
    parallel_for(pblocks.blocks->size(), 1, [&](std::size_t p) {
        const auto scatter =
            particles.affine() ? scatter_block<D, true> : scatter_block<D, false>;
        scatter(particles, pblocks.first[p], pblocks.first[p + 1],
                pblocks.blocks->first_cell(static_cast<int>(p)), tiles.data() + p * D * kTile);
    });

    parallel_for(grid.size(), 8, [&](std::size_t i) {
        const int b = static_cast<int>(i);
        for (int axis = 0; axis < D; ++axis) {
            alignas(64) float sum[2 * kBlockCells<D>] = {};
            float* v = velocity.axis(axis).block(b);
            float* w = weight.axis(axis).block(b);
            const auto tile = [&](int p) {
                return tiles.data() + (static_cast<std::size_t>(p) * D + axis) * kTile;
            };
            if (!add_tiles<D, 2>(grid, owner, b, tile, sum)) {
                std::fill_n(v, kBlockCells<D>, 0.0f);
                std::fill_n(w, kBlockCells<D>, 0.0f);
                continue;
            }
            for (int c = 0; c < kBlockCells<D>; ++c) {
                w[c] = sum[2 * c + 1];
                v[c] = w[c] > 0 ? sum[2 * c] / w[c] : 0.0f;
            }
        }
    });
}

template void particles_to_grid<2>(const Particles<2>&, const ParticleBlocks<2>&,
                                   FaceField<float, 2>&, FaceField<float, 2>&);
template void particles_to_grid<3>(const Particles<3>&, const ParticleBlocks<3>&,
                                   FaceField<float, 3>&, FaceField<float, 3>&);

}  // namespace slosh
