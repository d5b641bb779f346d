#include "slosh/lcp/solve.h"

#include "slosh/base/error.h"
#include "slosh/lcp/sparse_solvers.h"

namespace slosh {

namespace {

using Solve = LcpReport (*)(const SparseLcp&, const LcpOptions&, std::vector<double>&,
                            const Control*);

/// Adapts a solver that has no use for a control.
template <LcpReport (*solve)(const SparseLcp&, const LcpOptions&, std::vector<double>&)>
LcpReport without_control(const SparseLcp& lcp, const LcpOptions& options, std::vector<double>& p,
                          const Control*) {
    return solve(lcp, options, p);
}

struct Entry {
    LcpSolver solver;
    Solve solve;
};

constexpr Entry kEntries[] = {
    {{"pgs", "projected Gauss-Seidel: simple, slow on large systems", false},
     without_control<solve_pgs>},
    {{"policy-pcg", "policy iteration, MIC(0)-PCG inside", false}, solve_policy_pcg},
    {{"penalty-pcg", "penalty method, MIC(0)-PCG inside", false}, solve_penalty_pcg},
    {{"newton", "minimum-map Newton method, conjugate gradients inside", false},
     without_control<solve_newton>},
    {{"mprgp", "proportioning with reduced gradient projections, MIC(0) in the face", false},
     solve_mprgp},
};

}  // namespace

const std::vector<LcpSolver>& lcp_solvers() {
    static const std::vector<LcpSolver> all = [] {
        std::vector<LcpSolver> list;
        for (const Entry& entry : kEntries) list.push_back(entry.solver);
        return list;
    }();
    return all;
}

LcpReport solve_lcp(const std::string& word, const SparseLcp& lcp, const LcpOptions& options,
                    std::vector<double>& p, const std::vector<std::uint8_t>* control) {
    std::string words;
    for (const Entry& entry : kEntries) {
        if (word != entry.solver.word) {
            words += std::string(words.empty() ? "" : ", ") + entry.solver.word;
            continue;
        }
        if (entry.solver.needs_cells && lcp.cells.empty())
            throw InputError("solver '" + word + "' needs the grid cell of each row");
        return entry.solve(lcp, options, p, control);
    }
    throw InputError("unknown solver '" + word + "'; choose one of " + words);
}

}  // namespace slosh
