#include "slosh/lcp/policy.h"

#include <algorithm>

#include "slosh/lcp/prepare.h"

namespace slosh {

LcpReport policy_iteration(const SparseLcp& given, const LcpOptions& options,
                           std::vector<double>& p, const std::vector<std::uint8_t>* control,
                           const InnerSolver& inner) {
    PreparedLcp system(given, options, p);
    const SparseLcp& lcp = system.lcp();
    std::function<void()> after_each;
    if (system.records()) after_each = [&] { system.record(p); };

    std::vector<std::uint8_t> active;
    double residual = system.residual(p, &active);
    if (control) {
        active = *control;
        system.hold_pockets(p, active);
    }
    const std::vector<double> nothing;
    LcpReport report;
    while (residual > system.goal() && report.iterations < options.max_iterations &&
           report.outer < options.max_iterations) {
        // Policy evaluation (5.8). Half the goal leaves room for the rounding of the last check.
        for (int i = 0; i < lcp.A.rows(); ++i)
            if (active[i]) p[i] = 0;
        const InnerReport solve =
            inner({.lcp = lcp,
                   .fixed = active,
                   .extra = nothing,
                   .goal = 0.5 * system.goal(),
                   .max_iterations = options.max_iterations - report.iterations,
                   .after_each = after_each},
                  p);
        ++report.outer;
        report.iterations += solve.iterations;
        report.setup_seconds += solve.setup_seconds;
        report.bytes = std::max(report.bytes, solve.bytes);

        // Policy improvement (5.7).
        const std::vector<std::uint8_t> old = active;
        const double before = residual;
        residual = system.residual(p, &active);
        if (active == old && !(residual < before)) break;  // nothing would change any more
    }
    return system.finish(p, std::move(report));
}

}  // namespace slosh
