// The level set inside the ground, near its surface.
//
// Paths and distances read cells of ground beside the water. What advection leaves there means
// nothing: where dry ground held air, a film that ran over it saw a second surface at its underside
// and was gone within a few cells. So the ground shows what lies before it.
#pragma once

#include "slosh/tall/remesh.h"

namespace slosh::tall {

/// Sets phi in the cells of ground that touch open ones, and in those just under them: the mean of
/// what the open neighbours show, that above a cell less: a level surface goes on level.
void extend_into_ground(const Grid& grid, const Terrain& terrain, Columns<float>& phi);

}  // namespace slosh::tall
