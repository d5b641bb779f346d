// Full approximation scheme multigrid for (C1), (C2) [Lai2021, Algorithm 6]: V-cycles for the
// nonlinear equation itself, so that coarse grids know the constraint too.
//
//     N(q)_i = min( (A q + b)_i, s_i q_i )  in S,    (A q + b)_i  elsewhere   (5.18, scaled)  (F1)
//
// On each grid N(q) = f is smoothed by
//
//     q_i = max( f_i/s_i, (f_i - b_i - sum_{j!=i} a_ij q_j) / a_ii )
//
// With q~ the restricted q, the coarse problem and the correction are
//
//     N_H(q_H) = N_H(q~) + R(f - N(q)),     q += P (q_H - q~)                          (5.23)  (F2)
//
// What the paper leaves open, and what trials showed (docs/multigrid-lcp.md):
// - s_i = a_ii gives both branches the unit of b, since R mixes their residuals.
// - q~ is the *least* value over the constrained rows that a coarse cell restricts from, so that a
//   coarse cell with one active row touches the bound. With q~ = R q the cycles grow with N, and
//   without the scaling as well they stall.
// - A coarse cell is in S if one of its children is. With most of them, cycles stall at 128^3.
// - Three sweeps: the text says that it smooths twice, but Algorithm 5 with N_max = 2 counts
//   k = 0, 1, 2. With two, cycles are up to 1.9 times the paper's instead of 1.6.
#pragma once

#include "slosh/lcp/hierarchy.h"

namespace slosh {

struct FasOptions {
    enum class Scale { None, Diagonal };  ///< s_i of (F1): 1 or a_ii.
    enum class Restrict {
        Transposed,
        Mean,
        Least
    };                                     ///< q~: R q; its weights summed to 1; see top.
    enum class Coarse { Any, Most, All };  ///< Children in S that put a coarse cell in S.

    HierarchyOptions hierarchy;
    Scale scale = Scale::Diagonal;
    Restrict restrict_solution = Restrict::Least;
    Coarse coarse_constraint = Coarse::Any;
    int pre_sweeps = 3, post_sweeps = 3;  ///< Before and after the coarse correction.
    int visits = 1;                       ///< Of each coarser grid: 1 is a V-cycle, 2 a W-cycle.
    int coarsest_sweeps = 100;
};

}  // namespace slosh
