// Number and centre of the particles around each cell, the raw material of the level set.
//
// Each particle is spread with the multilinear hat onto the 2^D nearest cell centres, as a weight
// and as its offset from that centre, (w, w (x_p - x_i)). Blurring these moments on the grid with
// the taps [a 1 a] widens the kernel afterwards at a cost per cell instead of per particle.
#pragma once

#include <array>
#include <cmath>
#include <cstdint>
#include <functional>
#include <vector>

#include "slosh/grid/field.h"
#include "slosh/grid/tile.h"
#include "slosh/particles/particles.h"

namespace slosh {

/// (weight, weighted offset x, y, z); a SIMD register, so a moment is added in one instruction.
using Moment = float __attribute__((vector_size(16)));

/// Weight of a particle at a distance along one axis: the hat, blurred with [a 1 a].
inline double blurred_hat(double s, double a) {
    s = std::abs(s);
    return s < 1 ? 1 + (a - 1) * s : s < 2 ? a * (2 - s) : 0;
}

/// Blurs a dense (kSide + 2)^D tile of moments with [a 1 a] along each axis; the result is the
/// block's own kSide^D cells. Offsets are re-based to each receiving cell.
template <int D>
void blur_moments(const Moment* in, float a, Moment* out);

/// How far the surface of a half space of particles is from a point whose particles, weighted by
/// the kernel, have their centre at a given distance.
///
/// `kernel` is the weight along the surface normal, even, zero beyond `reach` cells. With the
/// liquid below height 0, a point at height z sees its centre of particles at distance c(z), which
/// grows from 0 deep inside to the kernel's reach; this is the inverse, z(c). So the level set has
/// slope one through a flat surface, and its zero set lies on it with no radius to tune.
class HalfSpaceProfile {
public:
    HalfSpaceProfile(const std::function<double(double)>& kernel, double reach);
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
