#include "slosh/surface/redistance.h"

#include <cmath>
#include <vector>

#include "slosh/base/error.h"
#include "slosh/grid/tile.h"

namespace slosh {

namespace {

/// A point of the surface and the normal there, in cells from its block's lowest cell centre.
template <int D>
struct Foot {
    float at[D], normal[D];
    int cell;   ///< Offset in its block of the cell it belongs to.
    float phi;  ///< That cell's distance.
};

/// The foot of a cell next to the surface; false if no neighbour has the other sign.
template <int D>
bool find_foot(const Tile<float, D, 1>& tile, const Index<D>& local, int t, Foot<D>& foot) {
    using T = Tile<float, D, 1>;
    const float p = tile.v[t];
    float slope[D] = {}, steepest = 0;
    bool crossed[D] = {};
    for (int d = 0; d < D; ++d) {
        const float lo = tile.v[t - T::step(d)], hi = tile.v[t + T::step(d)];
        const float a = p - lo, b = hi - p;
        const bool cross_lo = (lo < 0) != (p < 0), cross_hi = (hi < 0) != (p < 0);
        crossed[d] = cross_lo || cross_hi;
        if (cross_lo && cross_hi)
            slope[d] = std::abs(a) > std::abs(b) ? a : b;
        else if (crossed[d])
            slope[d] = cross_lo ? a : b;
        if (crossed[d]) steepest = std::max(steepest, std::abs(slope[d]));
    }
    if (steepest == 0) return false;
    // Along the other axes: the mean slope; differences steeper than those across the surface are
    // steps of an unfinished field, not slopes.
    float length = 0;
    for (int d = 0; d < D; ++d) {
        if (!crossed[d]) {
            const float a = p - tile.v[t - T::step(d)], b = tile.v[t + T::step(d)] - p;
            slope[d] = 0.5f * (std::min(std::max(a, -steepest), steepest) +
                               std::min(std::max(b, -steepest), steepest));
        }
        length += slope[d] * slope[d];
    }
    length = std::sqrt(length);
    foot.phi = p / length;
    for (int d = 0; d < D; ++d) {
        foot.normal[d] = slope[d] / length;
        foot.at[d] = static_cast<float>(local[d]) - foot.phi * foot.normal[d];
    }
    return true;
}

/// Squared distance and number of the nearest foot for every cell of a block.
template <int D>
struct Nearest {
    alignas(64) float square[kBlockCells<D>];
    alignas(64) int foot[kBlockCells<D>];

    void offer(const float (&at)[D], int number, float band) {
        const float limit = band * band;
        int first[D], last[D];  // cells within the band along each axis
        for (int d = 0; d < D; ++d) {
            first[d] = std::max(0, static_cast<int>(std::ceil(at[d] - band)));
            last[d] = std::min(kSide - 1, static_cast<int>(std::floor(at[d] + band)));
            if (first[d] > last[d]) return;
        }
        float along[kSide];
        for (int x = 0; x < kSide; ++x) {
            const float e = static_cast<float>(x) - at[0];
            along[x] = e * e;
        }
        const int z0 = D == 3 ? first[D - 1] : 0, z1 = D == 3 ? last[D - 1] : 0;
        for (int z = z0; z <= z1; ++z) {
            const float ez = D == 3 ? static_cast<float>(z) - at[D - 1] : 0;
            for (int y = first[1]; y <= last[1]; ++y) {
                const float ey = static_cast<float>(y) - at[1];
                const float across = ez * ez + ey * ey;
                if (across > limit) continue;
                float* s = square + (z * kSide + y) * kSide;
                int* f = foot + (z * kSide + y) * kSide;
                for (int x = 0; x < kSide; ++x) {
                    const float e = along[x] + across;
                    f[x] = e < s[x] ? number : f[x];
                    s[x] = e < s[x] ? e : s[x];
                }
            }
        }
    }
};

}  // namespace

template <int D>
void redistance(Field<float, D>& phi, float band) {
    SLOSH_EXPECT(band >= 1 && band <= kSide);
    const Blocks<D>& blocks = phi.blocks();
    std::vector<std::vector<Foot<D>>> feet(blocks.size());
    parallel_for(blocks.size(), 8, [&](std::size_t i) {
        const int b = static_cast<int>(i);
        Tile<float, D, 1> tile;
        tile.load(phi, b);
        bool liquid = false, air = false;
        for (float v : tile.v) {
            liquid |= v < 0;
            air |= v >= 0;
        }
        if (!liquid || !air) return;
        // Crossings into the background are no surface: mirror the rim value there.
        const auto& near = blocks.neighbours(b);
        for_each_cell<D, 1>([&](const Index<D>& local, int, int t) {
            for (int d = 0; d < D; ++d)
                for (int side = -1; side <= 1; side += 2) {
                    if (local[d] != (side < 0 ? 0 : kSide - 1)) continue;
                    if (near[neighbour_code<D>(unit<D>(d) * side)] < blocks.size()) continue;
                    tile.v[t + side * Tile<float, D, 1>::step(d)] = tile.v[t];
                }
        });
        Foot<D> foot;
        for_each_cell<D, 1>([&](const Index<D>& local, int o, int t) {
            if (!find_foot(tile, local, t, foot)) return;
            foot.cell = o;
            feet[b].push_back(foot);
        });
    });

    parallel_for(blocks.size(), 2, [&](std::size_t i) {
        const int b = static_cast<int>(i);
        float* f = phi.block(b);
        thread_local Nearest<D> nearest;
        std::fill_n(nearest.square, kBlockCells<D>, band * band);
        std::fill_n(nearest.foot, kBlockCells<D>, -1);
        // Feet of this block and around, numbered in neighbour order; shifted to this block.
        thread_local std::vector<Foot<D>> all;
        all.clear();
        for (int code = 0; code < kNeighbours<D>; ++code) {
            const int nb = blocks.neighbour(b, code);
            if (nb == blocks.size()) continue;
            const Index<D> shift = neighbour_offset<D>(code) * kSide;
            for (Foot<D> foot : feet[nb]) {
                bool reaches = true;
                for (int d = 0; d < D; ++d) {
                    foot.at[d] += static_cast<float>(shift[d]);
                    reaches = reaches && foot.at[d] > -band && foot.at[d] < kSide - 1 + band;
                }
                if (!reaches) continue;
                nearest.offer(foot.at, static_cast<int>(all.size()), band);
                all.push_back(foot);
            }
        }
        for_each_cell<D, 0>([&](const Index<D>& local, int o, int) {
            float distance = band;
            if (nearest.foot[o] >= 0) {
                // Distance to a disc of radius 1 around the nearest foot, in its tangent plane:
                // feet are a cell apart or less, and further off the plane means nothing.
                const Foot<D>& foot = all[nearest.foot[o]];
                float height = 0;
                for (int d = 0; d < D; ++d)
                    height += foot.normal[d] * (static_cast<float>(local[d]) - foot.at[d]);
                const float beside = std::max(nearest.square[o] - height * height, 0.0f);
                const float over = std::max(std::sqrt(beside) - 1, 0.0f);
                distance = std::sqrt(height * height + over * over);
            }
            f[o] = f[o] < 0 ? -distance : distance;
        });
        for (const Foot<D>& foot : feet[b])
            f[foot.cell] = std::min(std::max(foot.phi, -band), band);
    });
}

template void redistance<2>(Field<float, 2>&, float);
template void redistance<3>(Field<float, 3>&, float);

}  // namespace slosh
