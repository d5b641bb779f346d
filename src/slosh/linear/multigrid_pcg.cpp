// Conjugate gradients around the multigrid cycle.
//
// x and the true residual are double; r, z, p and q = A p are float in the multigrid's layout. r
// follows the recurrence r -= alpha q and is replaced by the true residual b - A x, computed in
// double, each time it has fallen by kReplace: by then float rounding has moved it by about 1e-7 of
// the largest residual since. The last word is always the true residual.
#include <cmath>
#include <vector>

#include "slosh/base/timer.h"
#include "slosh/linear/pcg_passes.h"

namespace slosh {

namespace {

constexpr double kReplace = 3e-6;

}  // namespace

template <int D>
SolveReport solve_multigrid(const BlockSystem<D>& system, const SolveOptions& options,
                            const MultigridOptions& cycle, Field<double, D>& x) {
    const double wall = wall_seconds(), cpu = cpu_seconds();
    Multigrid<D> multigrid(system, cycle);
    const double built = wall_seconds() - wall, built_cpu = cpu_seconds() - cpu;
    SolveReport report = solve_multigrid(system, multigrid, options, x);
    report.setup_seconds += built;
    report.seconds += built;
    report.cpu_seconds += built_cpu;
    return report;
}

template <int D>
SolveReport solve_multigrid(const BlockSystem<D>& system, Multigrid<D>& multigrid,
                            const SolveOptions& options, Field<double, D>& x) {
    const double wall = wall_seconds(), cpu = cpu_seconds();
    SolveReport report;
    PcgPasses<D> it(system, multigrid, x);
    it.know_bodies();
    report.unknowns = system.unknowns();
    report.bytes = multigrid.bytes() + it.bytes();
    report.setup_seconds = wall_seconds() - wall;

    const double largest = largest_of(system.rhs, multigrid.finest());
    const double goal = goal_of(options, largest);

    // r in units of max|b|, so that float neither overflows nor loses small systems.
    const double unit = largest > 0 ? largest : 1;
    const double x_unit = unit / multigrid.finest().weight;
    double worst = largest;
    if (is_zero(x, multigrid.finest()))
        it.residual_of_zero(unit);
    else
        worst = it.true_residual(unit);
    double replaced = worst;  // the true residual at the last replacement
    if (options.history) options.history->assign(1, worst);
    double rho = 0, alpha = 0;
    const auto replace = [&] {
        it.finish(alpha * x_unit);
        alpha = 0;
        worst = replaced = it.true_residual(unit);
    };
    while (worst > goal && report.iterations < options.max_iterations) {
        const double rho_new = it.precondition();
        const double beta = rho > 0 ? rho_new / rho : 0;
        const double curvature = it.search(alpha * x_unit, beta);
        alpha = 0;
        if (!(rho_new > 0) || !(curvature > 0)) {
            // The direction is spoilt by rounding: start afresh, once.
            if (rho == 0) break;
            rho = 0;
            replace();
            continue;
        }
        rho = rho_new;
        alpha = rho / curvature;
        worst = it.descend(alpha) * unit;
        ++report.iterations;
        if (options.history) options.history->push_back(worst);
        if (worst <= std::max(goal, kReplace * replaced)) {
            const double recurrence = worst;
            replace();
            // Far off, the old direction no longer is conjugate to anything: start afresh.
            if (std::abs(worst - recurrence) > 0.1 * worst) rho = 0;
        }
    }
    if (alpha != 0) replace();

    report.residual = worst;
    report.converged = worst <= goal;
    report.relative_residual = largest > 0 ? worst / largest : 0;
    report.seconds = wall_seconds() - wall;
    report.cpu_seconds = cpu_seconds() - cpu;
    return report;
}

template <int D>
SolveReport solve_multigrid(const BlockSystem<D>& system, const SolveOptions& options,
                            Field<double, D>& x) {
    return solve_multigrid(system, options, MultigridOptions{}, x);
}

template SolveReport solve_multigrid<2>(const BlockSystem<2>&, const SolveOptions&,
                                        Field<double, 2>&);
template SolveReport solve_multigrid<2>(const BlockSystem<2>&, Multigrid<2>&, const SolveOptions&,
                                        Field<double, 2>&);
template SolveReport solve_multigrid<3>(const BlockSystem<3>&, const SolveOptions&,
                                        Field<double, 3>&);
template SolveReport solve_multigrid<3>(const BlockSystem<3>&, Multigrid<3>&, const SolveOptions&,
                                        Field<double, 3>&);

template SolveReport solve_multigrid<2>(const BlockSystem<2>&, const SolveOptions&,
                                        const MultigridOptions&, Field<double, 2>&);
template SolveReport solve_multigrid<3>(const BlockSystem<3>&, const SolveOptions&,
                                        const MultigridOptions&, Field<double, 3>&);

}  // namespace slosh
