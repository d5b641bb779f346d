#include "slosh/lcp/solve.h"

#include "slosh/base/error.h"
#include "slosh/lcp/multigrid_solvers.h"
#include "slosh/lcp/sparse_solvers.h"

namespace slosh {

namespace {

using Solve = LcpReport (*)(const SparseLcp&, const LcpOptions&, std::vector<double>&,
                            const Control*);

struct Entry {
    LcpSolver solver;
    Solve solve;
};

constexpr Entry kEntries[] = {
    {{"auto", "the fastest that needs no grid: mprgp", false}, solve_mprgp},
    {{"pgs", "projected Gauss-Seidel: simple, slow on large systems", false},
     [](const SparseLcp& lcp, const LcpOptions& options, std::vector<double>& p, const Control*) {
         return solve_pgs(lcp, options, p);
     }},
    {{"fmg", "projected full multigrid", true},
     [](const SparseLcp& lcp, const LcpOptions& options, std::vector<double>& p, const Control*) {
         return solve_fmg(lcp, options, p);
     }},
    {{"fas", "nonlinear multigrid (full approximation scheme)", true},
     [](const SparseLcp& lcp, const LcpOptions& options, std::vector<double>& p, const Control*) {
         return solve_fas(lcp, options, p);
     }},
    {{"policy-pcg", "policy iteration, MIC(0)-PCG inside", false}, solve_policy_pcg},
    {{"policy-mg", "policy iteration, multigrid inside", true},
     [](const SparseLcp& lcp, const LcpOptions& options, std::vector<double>& p,
        const Control* control) { return solve_policy_mg(lcp, options, p, control); }},
    {{"penalty-pcg", "penalty method, MIC(0)-PCG inside", false}, solve_penalty_pcg},
    {{"penalty-mg", "penalty method, multigrid inside", true},
     [](const SparseLcp& lcp, const LcpOptions& options, std::vector<double>& p,
        const Control* control) { return solve_penalty_mg(lcp, options, p, control); }},
    {{"newton", "minimum-map Newton method, conjugate gradients inside", false},
     [](const SparseLcp& lcp, const LcpOptions& options, std::vector<double>& p, const Control*) {
         return solve_newton(lcp, options, p);
     }},
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
        if (entry.solver.needs_cells && lcp.cells.size() != lcp.b.size())
            throw InputError("solver '" + word + "' needs the grid cell of each row");
        return entry.solve(lcp, options, p, control);
    }
    throw InputError("unknown solver '" + word + "'; choose one of " + words);
}

}  // namespace slosh
