// The outer loops of policy.h and penalty.h around MIC(0)-PCG.
#include "slosh/lcp/cholesky.h"
#include "slosh/lcp/penalty.h"
#include "slosh/lcp/policy.h"
#include "slosh/lcp/sparse_solvers.h"

namespace slosh {

LcpReport solve_policy_pcg(const SparseLcp& lcp, const LcpOptions& options, std::vector<double>& p,
                           const Control* control) {
    return policy_iteration(lcp, options, p, control, solve_mic_pcg);
}

LcpReport solve_penalty_pcg(const SparseLcp& lcp, const LcpOptions& options, std::vector<double>& p,
                            const Control* control) {
    return penalty_method(lcp, options, p, control, solve_mic_pcg);
}

}  // namespace slosh
