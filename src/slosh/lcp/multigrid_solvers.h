// The multigrid solvers of the literature for (C1), (C2) on sparse rows. They need the cells of
// the rows. Iterations are V-cycles; `outer` counts linear systems.
#pragma once

#include "slosh/lcp/fas.h"
#include "slosh/lcp/fmg.h"
#include "slosh/lcp/linear_multigrid.h"
#include "slosh/lcp/sparse_solvers.h"

namespace slosh {

/// `fas`: nonlinear multigrid (fas.h).
LcpReport solve_fas(const SparseLcp& lcp, const LcpOptions& options, std::vector<double>& p,
                    const FasOptions& fas = {});

/// `policy-mg`: policy iteration (policy.h) with linear V-cycles inside.
LcpReport solve_policy_mg(const SparseLcp& lcp, const LcpOptions& options, std::vector<double>& p,
                          const Control* control = nullptr,
                          const LinearMultigridOptions& multigrid = {});

/// `penalty-mg`: the penalty method (penalty.h) with linear V-cycles inside.
LcpReport solve_penalty_mg(const SparseLcp& lcp, const LcpOptions& options, std::vector<double>& p,
                           const Control* control = nullptr,
                           const LinearMultigridOptions& multigrid = {});

/// `fmg`: projected full multigrid (fmg.h). Iterations are full cycles and V-cycles together.
LcpReport solve_fmg(const SparseLcp& lcp, const LcpOptions& options, std::vector<double>& p,
                    const FmgOptions& fmg = {});

}  // namespace slosh
