// Policy iteration for (C1), (C2): guess the active set, solve the linear system that is left,
// improve the guess [Lai2021, Algorithm 2].
//
//     active rows:  a_ii p_i < w_i                             (5.7), with p scaled as in (C3)
//     p = 0 in active rows,  A p + b = 0 in all others         (5.8)
//
// For an M-matrix the iterates are monotone from the first solve on, so the loop ends.
#pragma once

#include "slosh/lcp/inner.h"

namespace slosh {

/// `control`, if given, is the active set to start with (the last step's, say); else p gives it.
/// Iterations are those of `inner`, whose sum `max_iterations` bounds.
LcpReport policy_iteration(const SparseLcp& lcp, const LcpOptions& options, std::vector<double>& p,
                           const std::vector<std::uint8_t>* control, const InnerSolver& inner);

}  // namespace slosh
