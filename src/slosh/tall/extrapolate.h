// Velocity in the air, from that of the water [CM11, sec. 3.3].
#pragma once

#include <vector>

#include "slosh/tall/level.h"
#include "slosh/tall/velocity.h"

namespace slosh::tall {

/// Room that the extrapolation keeps between steps: velocities of the coarser grids.
struct ExtrapolationRoom {
    Velocity next;
    std::vector<Velocity> coarse;
};

/// Gives every cell without water a velocity: two layers along the gradient of phi (eq. 7), all
/// others from coarser grids, down and up the hierarchy. `levels` has the grids, finest first; phi
/// and open are read from the finest. Water keeps its velocity.
void extrapolate(const std::vector<Level>& levels, ExtrapolationRoom& room, Velocity& velocity);

}  // namespace slosh::tall
