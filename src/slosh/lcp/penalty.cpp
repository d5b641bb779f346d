#include "slosh/lcp/penalty.h"

#include <algorithm>
#include <cmath>

#include "slosh/lcp/prepare.h"

namespace slosh {

LcpReport penalty_method(const SparseLcp& given, const LcpOptions& options, std::vector<double>& p,
                         const std::vector<std::uint8_t>* control, const InnerSolver& inner) {
    PreparedLcp system(given, options, p);
    const SparseLcp& lcp = system.lcp();
    const int n = lcp.A.rows();
    std::function<void()> after_each;
    if (system.records()) after_each = [&] { system.record(p); };

    double largest_b = 0;
    for (double b : lcp.b) largest_b = std::max(largest_b, std::abs(b));
    // A goal of zero cannot be met by a finite penalty; 1e16 is as good as infinite.
    const double rho = std::min(1e3 * largest_b / system.goal(), 1e16);

    const std::vector<std::uint8_t> fixed(n, 0);
    std::vector<std::uint8_t> penalised(n, 0);
    const auto find_violations = [&] {
        for (int i = 0; i < n; ++i) penalised[i] = p[i] < 0;
        system.hold_pockets(p, penalised);
    };
    find_violations();
    if (control) {
        penalised = *control;
        system.hold_pockets(p, penalised);
    }
    double residual = system.residual(p);
    LcpReport report;
    std::vector<double> extra(n, 0);
    while (residual > system.goal() && report.iterations < options.max_iterations &&
           report.outer < options.max_iterations) {
        for (int i = 0; i < n; ++i) {
            if (penalised[i] && extra[i] == 0) p[i] = 0;  // a better guess than what violates
            extra[i] = penalised[i] ? rho * system.diagonal()[i] : 0;
        }
        // (5.14). Half the goal leaves room for the rounding of the last check.
        const InnerReport solve =
            inner({.lcp = lcp,
                   .fixed = fixed,
                   .extra = extra,
                   .goal = 0.5 * system.goal(),
                   .max_iterations = options.max_iterations - report.iterations,
                   .after_each = after_each},
                  p);
        ++report.outer;
        report.iterations += solve.iterations;
        report.setup_seconds += solve.setup_seconds;
        report.bytes = std::max(report.bytes, solve.bytes);

        const std::vector<std::uint8_t> old = penalised;
        const double before = residual;
        residual = system.residual(p);
        find_violations();
        if (penalised == old && !(residual < before)) break;  // nothing would change any more
    }
    return system.finish(p, std::move(report));
}

}  // namespace slosh
