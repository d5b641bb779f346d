#include "slosh/cli/bench_lcp_variants.h"

#include "slosh/lcp/multigrid_solvers.h"
#include "slosh/lcp/solve.h"

namespace slosh::cli {

LcpReport solve_variant(const std::string& word, const SparseLcp& lcp, const LcpOptions& options,
                        std::vector<double>& p, const std::vector<std::uint8_t>* control) {
    FasOptions fas;
    TransferOptions& transfer = fas.hierarchy.transfer;
    if (word == "fas-trilinear") transfer.kind = CoarseTransfer::Trilinear;
    if (word == "fas-constant") transfer.kind = CoarseTransfer::Constant;
    if (word == "fas-simple") transfer.one_sided = transfer.normalise = false;
    if (word == "fas-direct") fas.hierarchy.galerkin = false;
    if (word == "fas-2") fas.pre_sweeps = fas.post_sweeps = 2;
    if (word == "fas-w") fas.visits = 2;
    if (word.rfind("fas-", 0) == 0) return solve_fas(lcp, options, p, fas);

    LinearMultigridOptions exact;
    exact.reduction = 0;
    if (word == "policy-mg-exact") return solve_policy_mg(lcp, options, p, control, exact);
    if (word == "penalty-mg-exact") return solve_penalty_mg(lcp, options, p, control, exact);
    return solve_lcp(word, lcp, options, p, control);
}

LcpReport solve_fmg_cycles(const SparseLcp& lcp, int cycles, std::vector<double>& p) {
    return solve_fmg(lcp, {.tolerance = 0, .max_iterations = cycles}, p);
}

}  // namespace slosh::cli
