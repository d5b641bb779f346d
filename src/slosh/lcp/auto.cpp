#include "slosh/lcp/auto.h"

#include <algorithm>
#include <cmath>

#include "slosh/base/timer.h"
#include "slosh/lcp/walls.h"
#include "slosh/linear/coarse_system.h"

namespace slosh {

namespace {

/// r is computed afresh, in double, each time it has fallen by this.
constexpr double kReplace = 1e-6;
/// Share of the goal by which p may fall below zero in S before directions start afresh.
constexpr double kSlack = 0.01;
/// Share of S that may change sides in a cycle before directions start afresh, and before the next
/// cycle looks at the set between its sweeps and the coarse correction.
constexpr double kFew = 0.02;

/// Times that cells may be held in vain before bounds are minded to the end.
constexpr int kOften = 2;

/// Share of S that the first sweeps from p = 0 may put at its bound. Beyond it they are too far
/// from the truth, and three cycles would go by before the set is about right: it is found on cells
/// twice the size instead, to this residual, unless there are few unknowns.
constexpr double kMany = 0.3;
constexpr std::size_t kSmall = 50000;
constexpr LcpOptions kGuess{.tolerance = 0.05, .max_iterations = 20};

/// p from the problem on cells twice the size. A coarse cell is in S where any of its children is,
/// so p is not below zero there.
template <int D>
LcpReport guess_from_coarse(const BlockLcp<D>& lcp, Multigrid<D>& multigrid, Field<double, D>& p) {
    BlockLcp<D> coarse(multigrid.coarser(lcp.system));
    const Coarsening<D>& up = multigrid.finest().coarsening;
    coarse.constrained = coarse_marks(lcp.constrained, up);
    Field<double, D> coarse_p(up.coarse);
    Field<std::uint8_t, D> active(up.coarse);
    LcpReport report = solve_auto(coarse, kGuess, coarse_p, active);
    // A guess that is no number is none.
    if (std::isfinite(report.residual))
        copy_to_children(coarse_p, up, multigrid.finest().weight, lcp.system, p);
    return report;
}

}  // namespace

template <int D>
LcpReport solve_auto(const BlockLcp<D>& lcp, const LcpOptions& options, Field<double, D>& p,
                     Field<std::uint8_t, D>& active) {
    const double wall = wall_seconds(), cpu = cpu_seconds();
    Multigrid<D> multigrid(lcp.system, {}, lcp.constrained);
    const double built = wall_seconds() - wall, built_cpu = cpu_seconds() - cpu;
    LcpReport report = solve_auto(lcp, multigrid, options, p, active);
    report.setup_seconds += built;
    report.seconds += built;
    report.cpu_seconds += built_cpu;
    return report;
}

template <int D>
LcpReport solve_auto(const BlockLcp<D>& lcp, Multigrid<D>& multigrid, const LcpOptions& options,
                     Field<double, D>& p, Field<std::uint8_t, D>& active) {
    const double wall = wall_seconds(), cpu = cpu_seconds();
    LcpReport report;
    const BlockSystem<D>& system = lcp.system;
    const double largest = largest_of(system.rhs, multigrid.finest());
    const double goal = goal_of(options, largest);
    Walls<D> walls(lcp, multigrid.finest(), p, active);

    const double weight = multigrid.finest().weight;
    // r in units of max|b|, so that float neither overflows nor loses small systems; p likewise.
    const double unit = largest > 0 ? largest : 1, p_unit = unit / weight;
    PcgPasses<D> it(system, multigrid, p);
    it.set_early(walls.blocks());
    it.know_bodies();
    report.unknowns = system.unknowns();
    report.bytes = multigrid.bytes() + it.bytes() + walls.low().bytes();
    report.setup_seconds = wall_seconds() - wall;

    bool cold = is_zero(p, multigrid.finest());
    const bool warm = !cold;
    double worst = largest;
    const auto start = [&] {
        worst = it.true_residual(unit);
        worst = std::max(worst, walls.settle(it, unit));
        // The float residual is good to a few digits: close calls are for the double one.
        if (worst <= 1.1 * goal) worst = walls.judge(it, unit);
    };
    if (cold) {
        it.residual_of_zero(unit);
        (void)walls.settle(it, unit);
    } else {
        start();
        if (walls.constrained_count() > 0) walls.guess_near();
    }
    const std::size_t constrained = walls.constrained_count();
    double rho = 0, alpha = 0, curvature = 1;
    double replaced = worst;  // the residual when r was last computed from p
    // Cells that changed sides in the last cycle; at first unknown, but taken to be few: a solve
    // that is not cold brings the set of the last step along.
    std::size_t changed = 1;
    int judged = 0;     // how often in vain
    int released = 0;   // how often cells were held that should not have been
    bool alike = true;  // whether this cycle is the same linear map as the last one, on one set
    // Even one cell that the coarser levels see wrongly can spoil the step for all.
    const auto tell_coarser = [&] {
        if (multigrid.has_active() && !walls.is_stale()) return;
        const double since = wall_seconds();
        multigrid.set_active(system, active, walls.take_stale_blocks());
        report.setup_seconds += wall_seconds() - since;
        ++report.outer;
    };
    const auto is_few = [&](std::size_t cells) {
        return static_cast<double>(cells) <= kFew * static_cast<double>(constrained);
    };
    while (worst > goal && report.iterations < options.max_iterations) {
        double rho_new = 0;
        const bool rested = changed == 0, held = walls.is_held();
        if (held) {
            rho_new = it.precondition();
        } else if (!cold && is_few(changed)) {
            // The set rests, or nearly so, or is that of the last step: the whole cycle in one go.
            tell_coarser();
            changed = 0;
            rho_new = it.cycle(walls.low());
        } else {
            it.smooth(walls.low());
            changed = walls.find_active(it.z(), false);
            if (cold && changed > kMany * static_cast<double>(constrained) &&
                report.unknowns > kSmall) {
                cold = false;
                report.bytes += guess_from_coarse(lcp, multigrid, p).bytes;
                start();
                replaced = worst;
                continue;
            }
            cold = false;
            tell_coarser();
            rho_new = it.precondition(walls.low());
        }
        if (!held) changed += walls.find_active(it.z(), true);
        if (changed) it.set_active(active);
        // A set that changes a little leaves the last direction worth something; the new one is
        // made conjugate to it by what they are, not by what they would be on one set.
        const bool few = is_few(changed);
        const double beta = !(rho > 0 && few)             ? 0
                            : rested && !changed && alike ? rho_new / rho
                                                          : -it.along_last() / curvature;
        alike = true;
        curvature = it.search(alpha * p_unit, beta);
        walls.let_be(it);
        alpha = 0;
        if (!(rho_new > 0) || !(curvature > 0)) {
            // The direction is spoilt by rounding: start afresh, once.
            if (rho == 0) break;
            rho = 0;
            (void)it.true_residual(unit);
            walls.forget_held(it);
            continue;
        }
        if (options.history) report.history.push_back(worst);
        rho = rho_new;
        alpha = rho / curvature;
        // On a set that changes much, z itself is known to respect the bounds; more of it is not.
        if (!few) {
            alpha = std::min(alpha, 1.0);
            rho = 0;  // the next direction is not conjugate to this one
        }
        worst = held ? unit * it.descend(alpha) : walls.descend(it, alpha, alpha * p_unit, unit);
        ++report.iterations;
        if (!held && walls.largest_rise() * unit > kSlack * goal) rho = 0;
        // Two cycles without a change, or one after the first of a warm solve: what is left is most
        // likely linear. (A body's rows reach cells that are held, too.)
        const bool rests = !changed && (rested || (warm && report.iterations > 1));
        if (!held && rests && worst > goal && !system.bodies && released < kOften) {
            // A cycle that minds bounds is not quite linear, and so not quite the next one. Where
            // cells were off their bound r is another now, and not orthogonal to the last
            // direction: that never mends itself, and can grow.
            alike = false;
            if (!walls.hold_active(it, multigrid, unit)) rho = 0;
        }
        if (worst <= std::max(goal, kReplace * replaced)) {
            it.finish(alpha * p_unit);
            alpha = 0;
            const double recurrence = worst;
            // Far off, the last direction no longer is conjugate to anything: start afresh.
            const auto check_direction = [&] {
                if (std::abs(worst - recurrence) > 0.1 * worst) rho = 0;
            };
            if (worst > goal && walls.is_held()) {
                // In mid-solve, on a set that rests: only r is wanted, the end will judge.
                worst = replaced = std::max(worst, it.true_residual(unit));
                walls.forget_held(it);
                check_direction();
                continue;
            }
            worst = replaced = walls.judge(it, unit);
            check_direction();
            // In vain twice: a block may have been let be too soon, and judge() did not tell which.
            if (worst > goal && walls.is_held()) {
                if (!walls.hold_on_or_release(it, multigrid, unit)) {
                    ++released;
                    changed = 1;  // at least: the set did not rest
                }
            } else if (worst > goal) {
                walls.look_after_again(it, unit, ++judged > 1);
            }
        }
    }
    if (alpha != 0) it.finish(alpha * p_unit);
    if (worst > goal || report.iterations == 0) worst = walls.judge(it, unit);
    multigrid.release();
    report.active = walls.mark_judged();
    if (!multigrid.has_active()) multigrid.set_active(system, active, {});
    if (options.history) report.history.push_back(worst);
    report.constrained = constrained;
    report.residual = worst;
    report.converged = worst <= goal;
    report.relative_residual = largest > 0 ? worst / largest : 0;
    report.seconds = wall_seconds() - wall;
    report.cpu_seconds = cpu_seconds() - cpu;
    return report;
}

#define SLOSH_INSTANTIATE(D)                                                                   \
    template LcpReport solve_auto<D>(const BlockLcp<D>&, const LcpOptions&, Field<double, D>&, \
                                     Field<std::uint8_t, D>&);                                 \
    template LcpReport solve_auto<D>(const BlockLcp<D>&, Multigrid<D>&, const LcpOptions&,     \
                                     Field<double, D>&, Field<std::uint8_t, D>&);
SLOSH_INSTANTIATE(2)
SLOSH_INSTANTIATE(3)
#undef SLOSH_INSTANTIATE

}  // namespace slosh
