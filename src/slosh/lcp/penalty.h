// The penalty method for (C1), (C2): negative pressure in S is not forbidden but made expensive
// [Lai2021, Algorithm 3].
//
//     (A + rho D Pi) p = -b,    Pi_ii = 1 where row i is in S and p_i < 0       (5.11), (5.13)
//
// The diagonal D of A gives rho no unit. A penalised row ends at a_ii p_i = -w_i / rho; with
// rho = 1e3 / tolerance (6.1) that is below the tolerance while w stays below 1e3 max|b|.
#pragma once

#include "slosh/lcp/inner.h"

namespace slosh {

/// `control`, if given, is where to start with a penalty; else the sign of p says.
/// Iterations are those of `inner`, whose sum `max_iterations` bounds.
LcpReport penalty_method(const SparseLcp& lcp, const LcpOptions& options, std::vector<double>& p,
                         const std::vector<std::uint8_t>* control, const InnerSolver& inner);

}  // namespace slosh
