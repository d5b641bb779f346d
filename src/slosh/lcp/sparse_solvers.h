// Solvers of (C1), (C2) for any sparse symmetric M-matrix. Each works on its own copy of what it
// changes, takes `p` as first guess and leaves the solution there; `control`, where a method can
// use it, is an active set to start from.
#pragma once

#include "slosh/lcp/sparse.h"

namespace slosh {

using Control = std::vector<std::uint8_t>;  ///< 1 in active rows.

/// `pgs`: projected Gauss-Seidel [Lai2021, Algorithm 5]. Iterations are sweeps.
LcpReport solve_pgs(const SparseLcp& lcp, const LcpOptions& options, std::vector<double>& p);

/// `policy-pcg`: policy iteration (policy.h) with MIC(0)-PCG inside.
LcpReport solve_policy_pcg(const SparseLcp& lcp, const LcpOptions& options, std::vector<double>& p,
                           const Control* control = nullptr);

/// `penalty-pcg`: the penalty method (penalty.h) with MIC(0)-PCG inside.
LcpReport solve_penalty_pcg(const SparseLcp& lcp, const LcpOptions& options, std::vector<double>& p,
                            const Control* control = nullptr);

/// `newton`: minimum-map Newton method with a line search [Andersen2017]. Iterations are those of
/// conjugate gradients and of the line search together.
LcpReport solve_newton(const SparseLcp& lcp, const LcpOptions& options, std::vector<double>& p);

/// `mprgp`: modified proportioning with reduced gradient projections [Dostal2005]. Iterations are
/// its steps, of one multiplication with A each, or two for those that meet a bound.
LcpReport solve_mprgp(const SparseLcp& lcp, const LcpOptions& options, std::vector<double>& p,
                      const Control* control = nullptr);

}  // namespace slosh
