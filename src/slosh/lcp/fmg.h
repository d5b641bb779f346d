// Projected full multigrid for (C1), (C2) [Chentanez2011, Algorithms 1 to 3]: linear multigrid in
// correction form whose smoother keeps p above a bound that is carried to the finest coarse grids.
//
//     p_min = 0 in S, -infinity elsewhere                                       (17)  (M1)
//     coarse p_min = max over the children of p_min - p                         (20)  (M2)
//     a sweep is red, then black, with x = max(x, p_min)                        (18)  (M3)
//
// A solve makes `full_cycles` full cycles, then V-cycles until the tolerance or the cap. Coarse
// operators are discretised anew (geometric.h), transfers are trilinear.
//
// Where we leave the paper:
// - Line 13 of its Algorithm 2 must mean the bound of the *coarser* grid.
// - A row that its bound holds (x = p_min, residual < 0) hands no residual down (`mask_held`). As
//   printed, the residual of active rows, which is not zero at the solution, drives corrections
//   around them for ever: sphere stalls at 2e-3 (32^3) and 3e-3 (64^3) of 0.4.
// - Coarse diagonals are raised where walls nearly fill a coarse cell (hierarchy.h), and a coarse
//   correction is shortened to the step along it that lowers the energy most. Without the first,
//   cycles diverge at 128^3, without the second at 256^3.
// - A bound is applied row by row within the sweep instead of after it, and holds in S (cells that
//   touch a solid), not in cells whose centre is solid.
//
// Known weakness: a pocket without air that must let go of its wall (sum b > 0, prepare.h) is not
// solved. Its coarse grids are singular, and what masked residuals sum to need not vanish there.
#pragma once

#include "slosh/lcp/hierarchy.h"

namespace slosh {

struct FmgOptions {
    HierarchyOptions hierarchy = {
        .transfer = {.kind = CoarseTransfer::Trilinear, .one_sided = false, .normalise = false},
        .galerkin = false,
        .least_diagonal = 1};
    int full_cycles = 3;
    int sweeps = 4;         ///< Before, and after.
    int bound_grids = 3;    ///< S of the paper: coarse grids that know a bound.
    bool mask_held = true;  ///< See above.
    int coarsest_sweeps = 100;
    /// Give up after as many cycles in which the residual did not fall to `stall_factor` of what
    /// it was; the report then says not converged.
    int stall_cycles = 30;
    double stall_factor = 0.99;
};

}  // namespace slosh
