// Keeping phi a distance near the surface [CM11, sec. 3.4].
#pragma once

#include "slosh/tall/columns.h"

namespace slosh::tall {

/// Makes phi a distance beside the surface, which stays where it is, and bounds it to 5 dx
/// elsewhere. (The paper bounds it to dx beside the surface, which moves a surface where phi is
/// steep.) `room` is a copy to work with.
void clamp_distance(const Grid& grid, Columns<float>& phi, Columns<float>& room);

/// Makes |phi| a distance within five cells; cells beside the surface keep their value, so that it
/// does not move.
void redistance(const Grid& grid, Columns<float>& phi, Columns<float>& room);

}  // namespace slosh::tall
