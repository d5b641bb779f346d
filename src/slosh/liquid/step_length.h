// How long a substep may be.
#pragma once

#include "slosh/liquid/simulation.h"

namespace slosh {

/// The largest speed of particles and bodies; not a number if one of theirs is none. m/s.
template <int D>
double fastest(const LiquidSetup<D>& setup, const LiquidState<D>& state);

/// Cuts the remaining time: no particle crosses more than `cfl` cells, and gravity `g` (m/s^2)
/// alone moves nothing by more than `fall` cells (a first step from rest would otherwise be far too
/// long, and the shortest waves on the grid would come near the limit of stability). A gas has no
/// such waves: buoyancy alone may move it by a cell.
template <int D>
double step_length(const LiquidSetup<D>& setup, const LiquidState<D>& state, double g,
                   double remaining, double max_speed);

}  // namespace slosh
