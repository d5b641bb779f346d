// Newton and Euler for one body: masses in the world frame, and motion over a step.
#pragma once

#include "slosh/rigid/body.h"

namespace slosh {

template <int D>
using TwistMatrix = Mat<kFreedoms<D>>;

/// M of the kinetic energy V^T M V / 2, in the world frame.
template <int D>
TwistMatrix<D> mass_matrix(const Body<D>& body, const BodyState<D>& state);

/// Change of the twist per impulse: M^-1, with the locked degrees of freedom held, or along the
/// one motion n that a joint leaves: n n^T / (n^T M n).
template <int D>
TwistMatrix<D> inverse_mass(const Body<D>& body, const BodyState<D>& state);

/// L with L L^T = `matrix`, symmetric and positive semi-definite: zero rows where it is zero.
template <int D>
TwistMatrix<D> cholesky(const TwistMatrix<D>& matrix);

/// The impulse of weight and of the body's own forces over a step from `time`.
template <int D>
Twist<D> outer_impulse(const Body<D>& body, const Point<D>& gravity, double time, double dt);

/// Adds M^-1 impulse to the velocities.
template <int D>
void apply_impulse(const Body<D>& body, const Twist<D>& impulse, BodyState<D>& state);

/// Takes off what a joint does not allow, as its reaction would: the kinetic energy of the change
/// is least.
template <int D>
void obey_joint(const Body<D>& body, BodyState<D>& state);

/// Moves the body over dt with its velocities; damping first. Free spin keeps its angular momentum,
/// so the angular velocity changes as the inertia turns with the body.
template <int D>
void move_body(const Body<D>& body, double dt, BodyState<D>& state);

/// J (2D: J/m)
template <int D>
double kinetic_energy(const Body<D>& body, const BodyState<D>& state);

/// Greatest speed of a point of the body. m/s
template <int D>
double max_speed(const Body<D>& body, const BodyState<D>& state);

}  // namespace slosh
