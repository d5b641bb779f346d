// Newton's method for the minimum map H_i(p) = min(a_ii p_i, w_i), H_i = w_i outside S, which is
// (4.5) of [Lai2021] in the scaling of (C3), with the line search of [Andersen2017].
//
// The generalised Jacobian has row i of A where w_i <= a_ii p_i and a unit row elsewhere, so a full
// Newton step is one policy evaluation (5.8); conjugate gradients without a preconditioner find it.
// The step is shortened, along the projection onto p >= 0, until the merit theta = |H|^2 / 2 falls
// enough. Where we depart: if no length will do, full steps are taken from then on. That is policy
// iteration, which converges for M-matrices, while the merit may have local minima.
#include <algorithm>
#include <cmath>

#include "slosh/lcp/cholesky.h"
#include "slosh/lcp/prepare.h"
#include "slosh/lcp/sparse_solvers.h"
#include "slosh/lcp/vectors.h"

namespace slosh {

namespace {

constexpr double kShorten = 0.5;    // factor from one trial length to the next
constexpr double kDecrease = 1e-4;  // share of the linear decrease that is enough
constexpr double kShortest = 1e-6;  // give up below this length

}  // namespace

LcpReport solve_newton(const SparseLcp& given, const LcpOptions& options, std::vector<double>& p) {
    PreparedLcp system(given, options, p);
    const SparseLcp& lcp = system.lcp();
    const std::size_t n = p.size();
    std::vector<double> w(n), target(n), trial(n);
    const auto merit = [&](const std::vector<double>& x) {
        lcp.A.multiply(x, w);
        return 0.5 * parallel_sum(
                         n,
                         [&](std::size_t i) {
                             double h = w[i] + lcp.b[i];
                             if (lcp.constrained[i]) h = std::min(h, system.diagonal()[i] * x[i]);
                             return h * h;
                         },
                         kRowChunk);
    };

    LcpReport report;
    const std::vector<double> nothing;
    std::vector<std::uint8_t> active;
    double residual = system.residual(p, &active);
    bool search = true;
    while (residual > system.goal() && report.iterations < options.max_iterations &&
           report.outer < options.max_iterations) {
        // Newton's equation, written for p + dp.
        for_each_row(n, [&](std::size_t i) { target[i] = active[i] ? 0 : p[i]; });
        const InnerReport solve =
            conjugate_gradients({.lcp = lcp,
                                 .fixed = active,
                                 .extra = nothing,
                                 .goal = 0.5 * system.goal(),
                                 .max_iterations = options.max_iterations - report.iterations,
                                 .after_each = {}},
                                nullptr, target);
        ++report.outer;
        report.iterations += solve.iterations;
        report.bytes = std::max(report.bytes, solve.bytes + 3 * n * sizeof(double));

        // Armijo's rule: the linear model of theta falls by 2 theta over a full step.
        const double theta = search ? merit(p) : 0;
        double length = 1;
        for (bool done = !search; !done; length *= kShorten) {
            if (length < kShortest) {
                search = false;
                break;
            }
            for_each_row(n, [&](std::size_t i) {
                trial[i] = p[i] + length * (target[i] - p[i]);
                if (lcp.constrained[i]) trial[i] = std::max(trial[i], 0.0);
            });
            ++report.iterations;
            done = merit(trial) <= (1 - 2 * kDecrease * length) * theta;
        }
        const std::vector<std::uint8_t> old = active;
        const double before = residual;
        p = search ? trial : target;
        residual = system.residual(p, &active);
        system.record(p);
        if (!search && active == old && !(residual < before)) break;
    }
    return system.finish(p, std::move(report));
}

}  // namespace slosh
