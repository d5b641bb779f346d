// The pressure system of a liquid with sub-grid solids and a free surface.
//
// The projected velocity is the one of least kinetic energy distance to u* that neither compresses
// the liquid nor enters a solid [Batty2007]. On the MAC grid, with q = dt p / (rho dx) in m/s:
//
//     u_f = u*_f - (q_i - q_j)                 between liquid cells j, i                       (P1)
//     u_f = u*_f -+ q_i / theta                between liquid cell i and air [Gibou2002]       (P2)
//     sum_f s_f ( w_f u_f + (1 - w_f) u_solid,f ) = 0      in every liquid cell                (P3)
//
// w_f is the open fraction of the face, s_f the outward sign, theta the share of the way from the
// liquid cell's centre to the air cell's at which phi vanishes. (P3) with (P1), (P2) inserted is a
// BlockSystem with c_f = w_f, excess sum w_f/theta and rhs = minus the net outflow of u*.
//
// Solving for q keeps every coefficient near one whatever dt, rho and dx are, and the residual is a
// velocity: times dt/dx it is the relative volume error of one step.
//
// A liquid cell is one with phi < 0 *after* phi has been carried into the solids: a cell behind a
// sliver of an open face is liquid, never air at p = 0, or pressure would leak into the wall.
#pragma once

#include <algorithm>

#include "slosh/linear/cell_mask.h"
#include "slosh/linear/system.h"
#include "slosh/shape/solid_field.h"

namespace slosh {

/// Lower bound of theta. Small enough that the hydrostatic state stays exact in practice (only the
/// ratio q/theta enters, so a small theta costs no accuracy), large enough for float coefficients.
constexpr float kMinTheta = 1e-5f;

/// Share of the way from a liquid centre (phi_liquid < 0) to an air centre (phi_air >= 0).
inline float surface_theta(float phi_liquid, float phi_air) {
    return std::max(phi_liquid / (phi_liquid - phi_air), kMinTheta);
}
/// The same of eight pairs, bit for bit.
inline __m256 surface_theta(__m256 phi_liquid, __m256 phi_air) {
    return _mm256_max_ps(_mm256_div_ps(phi_liquid, _mm256_sub_ps(phi_liquid, phi_air)),
                         _mm256_set1_ps(kMinTheta));
}

/// Whether any cell of block `b` is an unknown. Most blocks around the liquid have none: skip them.
template <int D>
bool has_unknowns(const BlockSystem<D>& system, int b) {
    return any_nonzero<D>(system.unknown.block(b));
}

/// Matrix of (P3). `phi` at cell centres in cells, extended into solids.
template <int D>
BlockSystem<D> assemble_matrix(const Field<float, D>& phi, const SolidFields<D>& solid);

/// Right-hand side of (P3): minus the net outflow of `u` (m/s).
template <int D>
void assemble_rhs(const FaceField<float, D>& u, const SolidFields<D>& solid,
                  BlockSystem<D>& system);

/// Applies (P1), (P2). Sets `known` to 1 on every face that is open and has liquid on a side, to 0
/// elsewhere: those others are left for extrapolation.
template <int D>
void subtract_gradient(const BlockSystem<D>& system, const Field<float, D>& phi,
                       const SolidFields<D>& solid, const Field<double, D>& q,
                       FaceField<float, D>& u, FaceField<std::uint8_t, D>& known);

/// The same for u = 0, of which nothing is read.
template <int D>
void minus_gradient(const BlockSystem<D>& system, const Field<float, D>& phi,
                    const SolidFields<D>& solid, const Field<double, D>& q, FaceField<float, D>& u,
                    FaceField<std::uint8_t, D>& known);

}  // namespace slosh
