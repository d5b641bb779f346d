// Water that lets go of solids: P >= 0 in the cells that solids touch, inside the multigrid
// [CM11b, sec. 3.1: p_min, algorithms 2 and 3].
//
// The row of such a cell becomes a complementarity: either P > 0 and the divergence vanishes, or
// P = 0 and the cell may open. A level solves for a correction, so its bound is what the finer
// level has left of its own (DownsampleSubtract, eqs. 19, 20):
//
//     lower_coarse = max over the eight cells of (lower - P)
//
// The paper projects point by point. A column that is solved whole is projected whole: its
// tridiagonal complementarity is solved by choosing, row by row, which of the two conditions
// holds, until the choice stands. That is exact, and two or three solves do.
//
// Unknowns are q = w P' with P = P_rest + P' (projection.h), so that on the finest level the bound
// is -w P_rest. The bottoms of tall cells are free: there is no room for air under them.
#pragma once

#include <vector>

#include "slosh/tall/projection.h"

namespace slosh::tall {

inline constexpr float kUnbounded = -1e30f;

void make_room_for_bounds(Level& level);
/// Bounds of the finest level, from its rows; q is raised to them.
void set_bounds(const RestPressure& rest, Level& finest);
/// Bounds of the coarse column (x, z) from those of the fine cells and their q.
void bound_column(const Level& fine, Level& coarse, int x, int z);

/// Solves the columns of a batch that break a bound anew, within bounds.
void hold_bounds(Level& level, const Batch& batch);
/// Raises q of a column to its bounds.
void enforce_bounds(Level& level, int c);
/// Clears the residual r of cells that a bound holds.
void drop_held(const Level& level, int c, float* r);

/// A cell without pressure beside a solid, and how the water moves off.
struct ReleasedCell {
    int column = 0, offset = 0;
    float phi = 0;    ///< Before the step. m
    float apart = 0;  ///< Speed away from the solid. m/s
    float gap = 0;    ///< Of the cell's centre from the solid. m
    int side = 0;     ///< On which the solid is: x-, x+, y-, y+, z-, z+.
};

/// The released cells after a projection, with phi as it is.
std::vector<ReleasedCell> released_cells(const Level& finest, const MovingSolids& solids,
                                         const Columns<float>& phi, const Velocity& velocity);

/// Lets air in behind water that has left: after advection phi is at least that of a surface that
/// has moved off the solid [CM11b, sec. 3.2]. A path that starts in a solid finds the water before
/// it, so without this the level set would stay where it is.
void let_air_in(const Grid& grid, const std::vector<ReleasedCell>& released, double dt,
                Columns<float>& phi);

}  // namespace slosh::tall
