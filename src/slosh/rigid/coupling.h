// Bodies and liquid in one pressure solve [Batty2007, sec. 3.1].
//
// A body moves the faces it covers. With beta_f the part of face f that it closes, j_f its motion
// there along the face's axis per unit of each degree of freedom, and s_f the outward sign,
//
//     K_i = sum_f s_f beta_f j_f          the liquid that cell i loses per unit of twist V    (B1)
//     V   = V* + rho dx^D M^-1 sum_i K_i q_i                                                  (B2)
//
// where q = dt p / (rho dx): the paper's J is K^T, and what pressure does to the body is the exact
// transpose of what the body does to the liquid. (B2) in the equation of incompressibility (P3)
// gives (A + F F^T) q = b with F = K L, L L^T = rho dx^D M^-1, and b that of the predicted V*.
//
// *Weight.* In liquid at rest q is linear, and (B2) pushes with the weight of the liquid that the
// faces say is displaced: not quite rho V g, as fractions of faces know a volume to about 1e-3
// only. The paper suggests to take M from the same fractions; then mass would change as a body
// moves, and momentum would not be kept. Here M is the true one, and a body wholly under liquid is
// weighed against the displaced liquid by the same fractions: hydrostatic_error() comes off its
// weight. So a body as heavy as the liquid rests to rounding, and others feel exactly (m - rho V)
// g.
#pragma once

#include <memory>

#include "slosh/linear/system.h"
#include "slosh/rigid/dynamics.h"
#include "slosh/shape/solid_field.h"

namespace slosh {

/// K of (B1) for the cells that are unknowns. Entries of body n are group n.
template <int D>
LowRank<D> body_fluxes(const GridGeometry<D>& grid, const std::vector<BodyFace>& faces,
                       const Field<std::uint8_t, D>& unknown,
                       const std::vector<BodyState<D>>& states);

/// F = K L. `density` is the liquid's.
template <int D>
LowRank<D> body_term(const LowRank<D>& fluxes, const GridGeometry<D>& grid, double density,
                     const std::vector<Body<D>>& bodies, const std::vector<BodyState<D>>& states);

/// The impulse rho dx^D K^T q of the pressure on each body. N s, N m s.
template <int D>
std::vector<Twist<D>> pressure_impulses(const LowRank<D>& fluxes, const GridGeometry<D>& grid,
                                        double density, const Field<double, D>& q);

/// The impulse over dt by which the fractions' buoyancy in liquid at rest differs from Archimedes'
/// (to be taken off the bodies); zero for bodies that liquid does not enclose.
template <int D>
std::vector<Twist<D>> hydrostatic_error(const LowRank<D>& fluxes, const GridGeometry<D>& grid,
                                        const Blocks<D>& blocks, double density,
                                        const std::vector<Body<D>>& bodies,
                                        const std::vector<BodyState<D>>& states,
                                        const Point<D>& gravity, double dt);

}  // namespace slosh
