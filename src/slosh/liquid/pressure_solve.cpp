#include "slosh/liquid/pressure_solve.h"

#include "slosh/base/error.h"
#include "slosh/lcp/auto.h"
#include "slosh/lcp/solve.h"
#include "slosh/lcp/words.h"
#include "slosh/linear/surface_guess.h"

namespace slosh {

std::string meant_solver(const PressureOptions& options) {
    return options.solver == "auto" && options.sticky ? "linear" : options.solver;
}

std::string next_solver(const PressureOptions& options) {
    if (options.sticky) return meant_solver(options) == "linear" ? "linear-mic" : "linear";
    if (meant_solver(options) != "auto") return "auto";
    // With bodies the matrix is no M-matrix, for which alone policy iteration is known to end.
    return options.bodies ? "mprgp" : "policy-pcg";
}

template <int D>
void WarmStart<D>::guess(const BlockLcp<D>& lcp, double new_dt, Field<double, D>& new_q,
                         Field<std::uint8_t, D>& new_active) const {
    if (!q.blocks_ptr() || !(dt > 0)) return;
    const Blocks<D>& blocks = *lcp.system.blocks;
    const double scale = new_dt / dt;
    parallel_for(blocks.size(), 16, [&](std::size_t i) {
        const int b = static_cast<int>(i), old = q.blocks().find(blocks.coord(b));
        if (old == q.blocks().size()) return;
        const std::uint8_t* unknown = lcp.system.unknown.block(b);
        const std::uint8_t* constrained = lcp.constrained.block(b);
        for (int o = 0; o < kBlockCells<D>; ++o) {
            new_q.block(b)[o] = unknown[o] ? scale * q.block(old)[o] : 0;
            new_active.block(b)[o] = constrained[o] & active.block(old)[o];
        }
    });
    relax_surface(lcp.system, lcp.constrained, new_q);
}
template struct WarmStart<2>;
template struct WarmStart<3>;

namespace {

/// By way of the sparse matrix, for the solvers of the literature.
template <int D>
LcpReport solve_sparse(const BlockLcp<D>& lcp, const std::string& solver, const LcpOptions& options,
                       Field<double, D>& q, Field<std::uint8_t, D>& active) {
    const SparseLcp rows = to_sparse(lcp);
    std::vector<double> p = to_rows(lcp, q);
    Field<double, D> marks(lcp.system.blocks);
    for (int b = 0; b < lcp.system.blocks->size(); ++b)
        for (int o = 0; o < kBlockCells<D>; ++o) marks.block(b)[o] = active.block(b)[o];
    std::vector<std::uint8_t> control;
    for (double mark : to_rows(lcp, marks)) control.push_back(mark > 0);
    const LcpReport report = solve_lcp(solver, rows, options, p, &control);
    from_rows(lcp, p, q);
    (void)natural_residual(lcp, q, &active);
    return report;
}

}  // namespace

template <int D>
LcpReport solve_pressure(const BlockLcp<D>& lcp, const std::string& solver,
                         const PressureOptions& options, Field<double, D>& q,
                         Field<std::uint8_t, D>& active, std::unique_ptr<Multigrid<D>>& hierarchy) {
    SLOSH_EXPECT(!lcp.system.bodies || knows_bodies(solver));
    std::vector<double> history;
    const SolveOptions linear{.tolerance = options.tolerance,
                              .max_iterations = options.max_iterations,
                              .history = options.history ? &history : nullptr};
    const LcpOptions constrained{.tolerance = options.tolerance,
                                 .max_iterations = options.max_iterations,
                                 .history = options.history};
    LcpReport report;
    if (solver == "linear-mic") {
        static_cast<SolveReport&>(report) = solve_mic(lcp.system, linear, q);
    } else if (solver == "linear") {
        hierarchy = std::make_unique<Multigrid<D>>(lcp.system);
        static_cast<SolveReport&>(report) = solve_multigrid(lcp.system, *hierarchy, linear, q);
    } else if (solver == "auto") {
        hierarchy = std::make_unique<Multigrid<D>>(lcp.system, MultigridOptions{}, lcp.constrained);
        report = solve_auto(lcp, *hierarchy, constrained, q, active);
    } else {
        report = solve_sparse(lcp, solver, constrained, q, active);
    }
    if (!history.empty()) report.history = std::move(history);
    return report;
}

#define SLOSH_INSTANTIATE(D)                                                        \
    template LcpReport solve_pressure<D>(const BlockLcp<D>&, const std::string&,    \
                                         const PressureOptions&, Field<double, D>&, \
                                         Field<std::uint8_t, D>&, std::unique_ptr<Multigrid<D>>&);
SLOSH_INSTANTIATE(2)
SLOSH_INSTANTIATE(3)
#undef SLOSH_INSTANTIATE

}  // namespace slosh
