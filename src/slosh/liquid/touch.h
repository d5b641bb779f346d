// What a hand does to a running simulation: pull a body, push liquid, pour, tilt and shake.
//
// A container that is tilted or shaken is simulated in its own frame: the walls and the grid stay,
// and gravity becomes what somebody inside the container feels,
//
//     g' = R^T (g - a)
//
// with R its rotation and a the acceleration of its shaking. (Of a turn that goes on, the swirl and
// the centrifugal push are left out: a hand turns slowly.) So every wall moves, those of the domain
// as well, and nothing has to fit into a larger box.
#pragma once

#include "slosh/liquid/setup.h"

namespace slosh {

/// The force of a spring from the point `grab` of a body (in the frame of its shape) to the world
/// point `target`. It is stiff enough to lead a body about and soft enough never to shoot one away:
/// critically damped for a body of this mass, taken implicitly over a step of at most `dt`.
template <int D>
BodyForce<D> spring_force(const Body<D>& body, const BodyState<D>& state, const Point<D>& grab,
                          const Point<D>& target, double liquid_density, double dt);

/// Draws the velocity of particles within `radius` of `at` (m) towards `velocity` (m/s); wholly at
/// the centre, not at all at the rim.
template <int D>
void push_particles(const GridGeometry<D>& grid, const Point<D>& at, const Point<D>& velocity,
                    double radius, Particles<D>& particles);

/// An inflow in the shape of a ball that pours until it is taken away.
template <int D>
Inflow<D> pouring(const Point<D>& at, const Point<D>& velocity, double radius);

}  // namespace slosh
