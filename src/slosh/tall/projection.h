// Divergence and pressure gradient on a tall-cell grid [CM11, eqs. (13)-(18)].
//
// The velocity on the face to a neighbour is the mean of the two cells, weighted by how open the
// neighbour is; the closed part moves with the solid. Eq. (17) halves the pressure gradient of a
// cell beside a wall, and water at rest would seep through its floor: here a cell takes the mean
// over its *open* faces, which is the paper's elsewhere and exact for hydrostatic pressure. Eq.
// (18) is u -= dt/rho grad p.
//
// Deep water has a large pressure of which little is news: P is the pressure of still water up to
// one level, P_rest(y) = drop (level - y) with drop = g dt, and a rest P'. The solve is for P'
// alone, w P' = level.q. The part of P_rest cancels gravity to the last digit wherever no air is;
// beside air the ghost value (16) is that of the whole P. In float the whole pressure of a lake
// 40 cells deep is off by 1e-6 m/s a step, the same way each step, and the bottoms of tall cells,
// half unseen by the divergence, drifted away.
#pragma once

#include <immintrin.h>

#include <limits>
#include <vector>

#include "slosh/tall/level.h"
#include "slosh/tall/solid_cells.h"
#include "slosh/tall/velocity.h"

namespace slosh::tall {

/// Walls of the domain and bodies, as far as they move.
struct MovingSolids {
    /// Speed along the axis of the walls x-, x+, z-, z+. m/s
    float wall[4] = {0, 0, 0, 0};
    const SolidCells* bodies = nullptr;  ///< Null: there are none.
};

/// The pressure of still water, by which q is less than the whole.
struct RestPressure {
    float drop = 0;   ///< What it loses a cell upwards: the velocity that gravity adds. m/s
    float level = 0;  ///< World cell, whole at centres, at which it is zero.

    float operator()(int y) const { return drop * (level - static_cast<float>(y)); }
};

/// P_rest of eight cells from world cell y.
inline __m256 rest_of_eight(const RestPressure& rest, int y) {
    const __m256 at = _mm256_add_ps(_mm256_set1_ps(static_cast<float>(y)),
                                    _mm256_setr_ps(0, 1, 2, 3, 4, 5, 6, 7));
    return _mm256_mul_ps(_mm256_set1_ps(rest.drop), _mm256_sub_ps(_mm256_set1_ps(rest.level), at));
}

/// Rates at which water is to grow. 1/s
struct Growth {
    double everywhere = 0;
    const std::vector<float>* columns = nullptr;  ///< On top of that, x fastest; null: nowhere.
};

/// level.b from the velocity; both with fresh cells below. The velocity has fallen by rest.drop.
/// Every liquid cell is asked to grow: semi-Lagrangian surfaces lose crests and sheets, and so the
/// volume that is left is made to grow.
void divergence(const Velocity& velocity, const MovingSolids& solids, const RestPressure& rest,
                const Growth& growth, Level& level);

/// The larger of a squared speed and that of u; infinite if u is not a number.
inline float faster(float most, const Float4& u) {
    constexpr float kEndless = std::numeric_limits<float>::infinity();
    const float square = _mm_cvtss_f32(_mm_dp_ps(u, u, 0x71));
    return square < kEndless ? std::max(most, square) : kEndless;
}

/// Takes the pressure gradient of level.q and `rest` off the velocity of every liquid cell. Returns
/// the square of the largest speed left in each column (m^2/s^2); infinite if one is not a number.
std::vector<float> subtract_gradient(const Level& level, const RestPressure& rest,
                                     Velocity& velocity);

}  // namespace slosh::tall
