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

/// Sums of one component over one block's particles. The (value, weight) of the four samples around
/// a place in the plane of x and y lie side by side, so that a particle is added by whole, aligned
/// vectors: overlapping stores and loads would stall each other. `fold` adds the overlaps up.
template <int D>
struct Octets {
    static constexpr int kPlaces = kTileSide - 1;  // along x and y; places have a sample above them
    static constexpr int kCount = kPlaces * kPlaces * (D == 3 ? kTileSide : 1);
    alignas(64) float v[8 * kCount];

    /// The sums as a tile of interleaved (value, weight).
    void fold(float* tile) const {
        for (int z = 0; z < (D == 3 ? kTileSide : 1); ++z)
            for (int y = 0; y < kTileSide; ++y)
                for (int x = 0; x < kTileSide; ++x, tile += 2) {
                    float value = 0, weight = 0;
                    for (int corner = 0; corner < 4; ++corner) {
                        const int px = x - (corner & 1), py = y - (corner >> 1);
                        if (px < 0 || py < 0 || px >= kPlaces || py >= kPlaces) continue;
                        const float* q = v + 8 * ((z * kPlaces + py) * kPlaces + px) + 2 * corner;
                        value += q[0];
                        weight += q[1];
                    }
                    tile[0] = value;
                    tile[1] = weight;
                }
    }
};

/// Adds component `axis` of the particles [begin, end) of a block whose lowest cell is `origin`.
template <int D, bool kAffine, bool kPushed>
void scatter_component(const Particles<D>& particles, int axis, std::size_t begin, std::size_t end,
                       const Index<D>& origin, const Push<D>& push, Octets<D>& octets) {
    for (std::size_t i = begin; i < end; i += kLanes) {
        const int n = static_cast<int>(std::min<std::size_t>(kLanes, end - i));
        const Ints active = first_lanes(n);
        Place place[D];
        for (int d = 0; d < D; ++d) {
            Floats x = load_lanes(particles.x[d].data() + i, n) - static_cast<float>(origin[d]);
            if (n < kLanes) x = choose(active, x, Floats{});
            place[d] = d == axis ? place_on_nodes(x) : place_on_centres(x);
        }
        alignas(32) int offset[kLanes];
        Ints o = place[D - 1].index;
        for (int d = D - 2; d >= 0; --d) o = o * Octets<D>::kPlaces + place[d].index;

        // Velocity at the lowest corner; going up along an axis adds that axis' gradient.
        Floats a = load_lanes(particles.v[axis].data() + i, n), c[D] = {};
        if constexpr (kPushed)
            a += load_lanes(push.amount + i, n) * static_cast<float>(push.change[axis]);
        if constexpr (kAffine)
            for (int d = 0; d < D; ++d) {
                c[d] = load_lanes(particles.c[axis][d].data() + i, n);
                a -= c[d] * place[d].t;
            }
        Floats mass = all_lanes(1);
        if (n < kLanes) mass = choose(active, mass, Floats{});
        for (int z = 0; z < (D == 3 ? 2 : 1); ++z) {
            Floats w = mass;
            if constexpr (D == 3) w *= z ? place[2].t : 1 - place[2].t;
            const Floats w_up = w * place[1].t, w_low = w - w_up;
            const Floats w_up1 = w_up * place[0].t, w_up0 = w_up - w_up1;
            const Floats w_low1 = w_low * place[0].t, w_low0 = w_low - w_low1;
            const Floats a_up = a + c[1];
            spill(o, offset);
            // (value, weight) of the samples (low, low), (up, low); (low, up), (up, up).
            add_octets(octets.v, offset, {w_low0 * a, w_low0, w_low1 * (a + c[0]), w_low1},
                       {w_up0 * a_up, w_up0, w_up1 * (a_up + c[0]), w_up1});
            if constexpr (D == 3) {
                a += c[2];
                o += Octets<D>::kPlaces * Octets<D>::kPlaces;
            }
        }
    }
}

}  // namespace

template <int D>
void particles_to_grid(const Particles<D>& particles, const ParticleBlocks<D>& pblocks,
                       FaceField<float, D>& velocity, FaceField<float, D>& weight,
                       const Push<D>& push) {
    const Blocks<D>& grid = velocity.blocks();
    SLOSH_EXPECT(&grid == &weight.blocks());
    SLOSH_EXPECT(pblocks.first.back() == particles.size());
    const std::vector<int> owner = particle_block_of(grid, pblocks);

    constexpr std::size_t kTile = 2 * kTileSamples<D>;
    AlignedVector<float> tiles(static_cast<std::size_t>(pblocks.blocks->size()) * D * kTile);
    parallel_for(pblocks.blocks->size(), 1, [&](std::size_t p) {
        Octets<D> octets;
        for (int axis = 0; axis < D; ++axis) {
            const bool pushed = push.amount && push.change[axis] != 0;
            const auto scatter = particles.affine() ? (pushed ? scatter_component<D, true, true>
                                                              : scatter_component<D, true, false>)
                                                    : (pushed ? scatter_component<D, false, true>
                                                              : scatter_component<D, false, false>);
            std::fill(std::begin(octets.v), std::end(octets.v), 0.0f);
            scatter(particles, axis, pblocks.first[p], pblocks.first[p + 1],
                    pblocks.blocks->first_cell(static_cast<int>(p)), push, octets);
            octets.fold(tiles.data() + (p * D + axis) * kTile);
        }
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
                                   FaceField<float, 2>&, FaceField<float, 2>&, const Push<2>&);
template void particles_to_grid<3>(const Particles<3>&, const ParticleBlocks<3>&,
                                   FaceField<float, 3>&, FaceField<float, 3>&, const Push<3>&);

}  // namespace slosh
