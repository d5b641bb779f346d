#include "slosh/lcp/multigrid_solvers.h"
#include "slosh/lcp/penalty.h"
#include "slosh/lcp/policy.h"

namespace slosh {

LcpReport solve_policy_mg(const SparseLcp& lcp, const LcpOptions& options, std::vector<double>& p,
                          const Control* control, const LinearMultigridOptions& multigrid) {
    return policy_iteration(lcp, options, p, control, multigrid_inner(multigrid));
}

LcpReport solve_penalty_mg(const SparseLcp& lcp, const LcpOptions& options, std::vector<double>& p,
                           const Control* control, const LinearMultigridOptions& multigrid) {
    return penalty_method(lcp, options, p, control, multigrid_inner(multigrid));
}

}  // namespace slosh
