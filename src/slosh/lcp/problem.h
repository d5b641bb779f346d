// The complementarity problem of liquid that may leave walls but not enter them.
//
//     0 <= p_i  perp  w_i >= 0     in the cells i of the set S (those that touch a solid) (C1)
//              w_i  = 0            in all other cells,      w = A p + b                        (C2)
//
// A is the pressure matrix, b the divergence of the predicted velocity. Where p = 0 and w > 0 the
// liquid leaves the wall: the cell is *active*. Only cells of S are bounded: pressure inside the
// liquid may be negative.
//
// The *natural residual* measures both branches in the units of b, by scaling p with the diagonal
// (comparing p with w as they are would compare metres per second with pascals):
//
//     r_i = min(a_ii p_i, w_i)  in S,      r_i = w_i  elsewhere                               (C3)
//
// and a cell of S is active where a_ii p_i < w_i.
//
// A solve has converged when max|r_i| <= max(tolerance * max|b|, absolute), computed in double on
// the system as given.
#pragma once

#include <cstdint>
#include <vector>

#include "slosh/linear/system.h"

namespace slosh {

/// (C1), (C2) on a sparse grid. In `system`, A p = rhs, so b = -rhs.
template <int D>
struct BlockLcp {
    BlockSystem<D> system;
    Field<std::uint8_t, D> constrained;  ///< 1 in S, background 0.

    explicit BlockLcp(BlockSystem<D> s) : system(std::move(s)), constrained(system.blocks) {}
};

struct LcpOptions {
    double tolerance = 1e-6;    ///< Of the natural residual, relative to max|b| ...
    double absolute = 0;        ///< ... or absolute, in the units of b, whichever is larger.
    int max_iterations = 1000;  ///< Cycles, sweeps or inner iterations: what the solver counts.
    bool history = false;       ///< Whether to record the residual after each iteration.
};

struct [[nodiscard]] LcpReport : SolveReport {
    int outer = 0;                ///< Linear systems solved, where the method solves such.
    std::size_t constrained = 0;  ///< Cells in S.
    std::size_t active = 0;       ///< Cells that let go of their wall.
    std::vector<double> history;  ///< Natural residual before the first and after each iteration.
};

/// max|r_i| of (C3), infinite where it is no number. `active`, if given, becomes 1 in active cells,
/// 0 elsewhere.
template <int D>
double natural_residual(const BlockLcp<D>& lcp, const Field<double, D>& p,
                        Field<std::uint8_t, D>* active = nullptr);

}  // namespace slosh
