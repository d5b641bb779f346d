// Momentum of liquid that touches no wall.
//
// Pressure pushes with the mass that the grid has of the liquid, rho times open volume; particles
// answer with theirs, which is the same only on average. So a step that gives bodies exactly what
// it takes from the grid still changes the sum over particles and bodies by about a thousandth a
// second. Where liquid meets nothing but air and bodies, the right sum is known: what it is off by
// is taken off all particles evenly. At walls nothing is done: their share is not known that well.
#pragma once

#include "slosh/linear/system.h"
#include "slosh/liquid/setup.h"
#include "slosh/shape/solid_field.h"

namespace slosh {

/// kg (2D: kg/m)
template <int D>
double particle_mass(const LiquidSetup<D>& setup);

/// Sum of m v. kg m/s
template <int D>
Point<D> momentum(const LiquidSetup<D>& setup, const Particles<D>& particles);

/// Whether a cell of liquid has a face that a solid or a closed side, not a body, closes.
template <int D>
bool touches_scene(const Field<std::uint8_t, D>& unknown, const SolidFields<D>& solid);

/// Makes the sum `wanted` by the same change of velocity for every particle.
template <int D>
void set_momentum(const LiquidSetup<D>& setup, const Point<D>& wanted, Particles<D>& particles);

}  // namespace slosh
