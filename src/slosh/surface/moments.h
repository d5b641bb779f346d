// Number and centre of the particles around each cell, the raw material of the level set.
//
// Each particle is spread with the multilinear hat onto the 2^D nearest cell centres, as a weight
// and as its offset from that centre, (w, w (x_p - x_i)). Blurring these moments on the grid with
// the taps [a 1 a] widens the kernel afterwards at a cost per cell instead of per particle.
#pragma once

#include <array>
#include <cmath>
#include <cstdint>
#include <vector>

#include "slosh/grid/field.h"
#include "slosh/grid/tile.h"
#include "slosh/particles/particles.h"

namespace slosh {

/// (weight, weighted offset x, y, z); a SIMD register, so a moment is added in one instruction.
using Moment = float __attribute__((vector_size(16)));

/// Spreads the particles [begin, end) of a block whose lowest cell is `corner` (in cells 1/R of a
/// grid cell) into a dense array of (8 R + 2)^D moments, one cell of halo on each side. `select`
/// (one byte a cell of the block, R = 1 only) leaves out particles in cells that hold 0.
template <int D, int R>
void deposit_moments(const Particles<D>& particles, std::uint32_t begin, std::uint32_t end,
                     const Index<D>& corner, const std::uint8_t* select, Moment* tile) {
    constexpr int stride = kSide * R + 2;
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
            const float s = x[d][p] * R - low[d];
            // A particle on the upper rim of its block may round onto it: keep it in the tile.
            const int c = std::min(std::max(static_cast<int>(s), 0), kSide * R - 1);
            cell[d] = c;
            const float u = s - static_cast<float>(c) - 0.5f;  // from the home cell's centre
            const int back = u < 0;
            t[d] = u + static_cast<float>(back);
            base += (c + 1 - back) * step[d];
        }
        if constexpr (R == 1) {
            if (select) {
                for (int d = D - 1; d >= 0; --d) home = home * kSide + cell[d];
                if (!select[home]) continue;
            }
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

/// Blurs a dense (kSide + 2)^D tile of moments with [a 1 a] along each axis; the result is the
/// block's own kSide^D cells. Offsets are re-based to each receiving cell.
template <int D>
void blur_moments(const Moment* in, float a, Moment* out);

/// How far the surface of a half space of particles is from a point whose particles, weighted by
/// the kernel, have their centre at a given distance.
///
/// The kernel along the surface normal is piecewise linear through taps[k] at distance k cells.
/// With the liquid below height 0, a point at height z sees its centre of particles at distance
/// c(z), which grows from 0 deep inside to the kernel's reach; this is the inverse, z(c). So the
/// level set has slope one through a flat surface, and its zero set lies on it with no radius to
/// tune.
class HalfSpaceProfile {
public:
    explicit HalfSpaceProfile(const std::vector<double>& taps);
    /// Signed height over the surface, in cells; negative inside.
    float operator()(float distance) const {
        const float s = std::min(distance * scale_, static_cast<float>(kSize) - 1.001f);
        const int i = static_cast<int>(s);
        return table_[i] + (table_[i + 1] - table_[i]) * (s - static_cast<float>(i));
    }

private:
    static constexpr int kSize = 512;
    float scale_ = 0;
    std::array<float, kSize> table_{};
};

}  // namespace slosh
