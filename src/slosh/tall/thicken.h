// Thin sheets, kept alive by particles [CM11, sec. 3.9.2].
//
// A cell is thin where phi_thin <= phi <= 0 and phi is positive a way of 2 |phi_thin| to both sides
// along its normal. There a disk of particles is laid into the middle of the sheet; each moves with
// the water and, after advection, is a ball of water of the radius -phi that it had, or a little
// more than half a cell: what is thinner falls between cell centres and is lost.
#pragma once

#include <vector>

#include "slosh/tall/velocity.h"

namespace slosh::tall {

struct ThickeningOptions {
    bool on = true;
    double thin = 1.5;  ///< -phi_thin, in cells.
    /// Least radius of a ball, in cells: a smaller one between cell centres would be lost by the
    /// grid.
    double least_radius = 0.55;
    int particles = 16;  ///< A thin cell.
};

/// A ball of water, in cells.
struct ThickBall {
    float x, y, z, radius;
};

/// The balls of thin cells where they will be after a step of dt. Velocity is known around water;
/// it may live on a coarser grid than phi.
std::vector<ThickBall> find_thin(const Grid& grid, const std::vector<int>& terrain,
                                 const Columns<float>& phi, const Grid& velocity_grid,
                                 const Velocity& velocity, double dt,
                                 const ThickeningOptions& options);

/// phi becomes the union of the water and the balls, in reach.
void thicken(const Grid& grid, const std::vector<ThickBall>& balls, Columns<float>& phi);

}  // namespace slosh::tall
