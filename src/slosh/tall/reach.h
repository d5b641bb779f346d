// How far up each column water can be at the end of a step: what is above is not worked on.
#pragma once

#include <vector>

#include "slosh/tall/remesh.h"

namespace slosh::tall {

/// Room of find_reach, kept between steps.
struct ReachRoom {
    std::vector<int> height, across;  ///< World cells, by column.
};

/// Sets the ends of phi and velocity: above the water by how far the fastest of it, at a speed of
/// `cells` cells a m/s, can come in a step, in its own column and in those around, and some more.
/// `squares` has the square of the fastest speed in each column. Returns the speed of the fastest
/// water, in m/s.
float set_reach(const Grid& grid, const Terrain& terrain, const std::vector<float>& squares,
                float cells, ReachRoom& room, Columns<float>& phi, Velocity& velocity);

}  // namespace slosh::tall
