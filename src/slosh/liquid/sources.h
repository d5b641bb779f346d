// Where liquid comes from and where it goes: the initial fill, inflows and drains.
#pragma once

#include <functional>

#include "slosh/liquid/setup.h"
#include "slosh/liquid/simulation.h"

namespace slosh {

/// Signed distance (m) to the nearest solid or closed wall at a world point; negative inside.
template <int D>
using SolidDistance = std::function<double(const Point<D>&)>;

/// Whether some source has a viscosity of its own: then particles carry theirs.
template <int D>
bool has_viscosities(const LiquidSetup<D>& setup);

/// Fills the initial shapes with jittered particles, outside of solids. A place that several shapes
/// claim is filled once, with the velocity of the first.
template <int D>
void seed_initial_liquid(const LiquidSetup<D>& setup, const SolidDistance<D>& solid,
                         LiquidState<D>& state);

/// Fills every empty sub-cell of the active inflows with a new particle and gives all liquid inside
/// them the inflow's velocity. Returns how many particles are new.
template <int D>
std::size_t run_inflows(const LiquidSetup<D>& setup, const SolidDistance<D>& solid,
                        LiquidState<D>& state);

/// Removes particles inside active drains and outside the domain. Returns how many.
template <int D>
std::size_t run_drains(const LiquidSetup<D>& setup, LiquidState<D>& state);

}  // namespace slosh
