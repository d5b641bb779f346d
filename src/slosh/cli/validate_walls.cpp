// Validation case 6: walls that let go, on the projection alone (6b, 6c, 6d) and in whole runs
// (6a).
#include <fmt/format.h>

#include "slosh/cli/validate_liquid.h"
#include "slosh/cli/validate_rows.h"
#include "slosh/lcp/auto.h"
#include "slosh/pressure/fixed_problem.h"
#include "slosh/pressure/separation.h"
#include "slosh/shape/csg.h"
#include "slosh/shape/primitives.h"

namespace slosh::cli {

namespace {

constexpr double kGravity = 9.81;

template <int D>
GridGeometry<D> unit_grid(int n) {
    return {.origin = {}, .dx = 1.0 / n, .cells = Index<D>::filled(n)};
}

/// Projects with separating walls; q becomes the pressure. Returns whether the solve converged.
template <int D>
bool project_separating(FixedProblem<D>& problem, Field<double, D>& q) {
    BlockLcp<D> lcp(assemble_matrix(problem.phi, problem.solid));
    assemble_rhs(problem.velocity, problem.solid, lcp.system);
    mark_constrained(lcp.system, problem.solid, Separation::Cell, lcp.constrained);
    make_consistent(lcp);
    q = Field<double, D>(problem.blocks);
    Field<std::uint8_t, D> active(problem.blocks);
    const LcpReport report = solve_auto(lcp, {.tolerance = 1e-10}, q, active);
    subtract_gradient(lcp.system, problem.phi, problem.solid, q, problem.velocity, problem.known);
    return report.converged;
}

/// Largest of |u - expected| over the faces that carry liquid.
template <int D>
double largest_deviation(const FixedProblem<D>& problem, const Point<D>& expected) {
    double most = 0;
    for (int d = 0; d < D; ++d)
        for (int b = 0; b < problem.blocks->size(); ++b)
            for (int o = 0; o < kBlockCells<D>; ++o)
                if (problem.known.axis(d).block(b)[o])
                    most = std::max(most,
                                    std::abs(problem.velocity.axis(d).block(b)[o] - expected[d]));
    return most;
}

// ---- 6a: a slab thrown at the ceiling falls from it at g ---------------------------------------

/// Acceleration of the centre of mass over 0.1 s, from when it first moves down, in units of g.
double fall_of_slab(Separation separation) {
    LiquidSetup<2> setup = closed_box<2>({48, 48}, 1.0 / 48);
    setup.step.separation = separation;
    setup.liquid.push_back(
        {.shape = box<2>({0, 0.6}, {1, 0.8}), .velocity = {0, 2}, .spin = {}, .centre = {}});
    LiquidSimulation<2> simulation(setup);
    const auto speed = [&] {
        const auto& p = simulation.state().particles;
        double sum = 0;
        for (std::size_t i = 0; i < p.size(); ++i) sum += p.velocity(i)[1];
        return sum / static_cast<double>(p.size());
    };
    // It arrives after 0.12 s and has come to rest at the ceiling soon after that.
    run_to<2>(simulation, 0.2, [](const StepReport&) {});
    const double before = speed();
    run_to<2>(simulation, 0.3, [](const StepReport&) {});
    return (speed() - before) / (-kGravity * 0.1);
}

}  // namespace

void validate_slab(ValidateReport& report) {
    report.compare("6a", "acceleration off the ceiling / g", fall_of_slab(Separation::Cell), 1,
                   1e-3);
    report.tell("6a/off", "the same with sticky walls", fall_of_slab(Separation::Off));
}

// ---- 6b: a tank that is accelerated downwards --------------------------------------------------

void validate_falling_tank(ValidateReport& report) {
    const double dt = 0.01, level = 0.53;
    for (double a : {0.5 * kGravity, 1.5 * kGravity}) {
        FixedProblem<2> problem(unit_grid<2>(40), {}, Fractions::Area,
                                [&](const Point<2>& x) { return x[1] - level; });
        problem.set_velocity([&](const Point<2>&) { return Point<2>{0, -kGravity * dt}; });
        for (int b = 0; b < problem.blocks->size(); ++b)
            std::fill_n(problem.solid.velocity.axis(1).block(b), kBlockCells<2>,
                        static_cast<float>(-a * dt));
        Field<double, 2> q;
        const bool converged = project_separating(problem, q);
        const std::string name = fmt::format("6b/a={:.1f}g", a / kGravity);
        const double used = std::min(a, kGravity);
        double worst = 0;  // p = rho (g - a) depth, and none at all in free fall
        for (int b = 0; b < problem.blocks->size(); ++b)
            for (int o = 0; o < kBlockCells<2>; ++o) {
                const double value = q.block(b)[o];
                if (value == 0 && used < kGravity) continue;
                const Point<2> x =
                    problem.grid.centre(problem.blocks->first_cell(b) + local_cell<2>(o));
                const double exact = (kGravity - used) * dt * (level - x[1]) / problem.grid.dx;
                worst = std::max(
                    worst, std::abs(value - exact) * problem.grid.dx / (kGravity * dt * level));
            }
        add_small(report, name, "max |p - rho (g - a) d| / (rho g h)", worst, converged ? 1e-6 : 0);
        add_small(report, name, "max |u - u_expected| / (g dt)",
                  largest_deviation<2>(problem, {0, -used * dt}) / (kGravity * dt), 1e-3);
    }
}

// ---- 6c: a wall that is withdrawn leaves the liquid where it is --------------------------------

void validate_withdrawn_wall(ValidateReport& report) {
    FixedProblem<2> problem(unit_grid<2>(40), {}, Fractions::Area,
                            [](const Point<2>& x) { return x[1] - 0.53; });
    problem.set_velocity([](const Point<2>&) { return Point<2>{}; });
    for (int b = 0; b < problem.blocks->size(); ++b)
        for (int o = 0; o < kBlockCells<2>; ++o)
            if ((problem.blocks->first_cell(b) + local_cell<2>(o))[0] <= 0)
                problem.solid.velocity.axis(0).block(b)[o] = -1;
    Field<double, 2> q;
    const bool converged = project_separating(problem, q);
    add_small(report, "6c", "max |u| / U", largest_deviation<2>(problem, {}), converged ? 1e-6 : 0);
}

// ---- 6d: Newton's bucket: where all walls are pressed, nothing changes ------------------------

void validate_bucket(ValidateReport& report) {
    const double omega = 4, radius = 0.4, dt = 0.005;
    // The axis is y; z0 keeps the floor wet in the middle.
    const auto r2 = [](const Point<3>& x) {
        return (x[0] - 0.5) * (x[0] - 0.5) + (x[2] - 0.5) * (x[2] - 0.5);
    };
    const auto surface = [&](const Point<3>& x) {
        return 0.3 + omega * omega * r2(x) / (2 * kGravity);
    };
    const std::vector<Solid<3>> bucket = {
        {"bucket", invert<3>(cylinder<3>({0.5, 0.1, 0.5}, {0.5, 0.95, 0.5}, radius)), {}}};
    const auto make = [&] {
        FixedProblem<3> problem(unit_grid<3>(40), bucket, Fractions::Area,
                                [&](const Point<3>& x) { return x[1] - surface(x); });
        // u + dt (omega^2 r + g): what is left after advection of the rigid rotation.
        problem.set_velocity([&](const Point<3>& x) {
            const double dx = x[0] - 0.5, dz = x[2] - 0.5, w2 = omega * omega * dt;
            return Point<3>{omega * dz + w2 * dx, -kGravity * dt, -omega * dx + w2 * dz};
        });
        return problem;
    };
    FixedProblem<3> sticky = make(), separating = make();
    Field<double, 3> linear, q;
    bool converged = sticky.project(1e-10, linear).converged;
    converged &= project_separating(separating, q);
    double worst = 0, scale = 0;
    for (int b = 0; b < sticky.blocks->size(); ++b)
        for (int o = 0; o < kBlockCells<3>; ++o) {
            worst = std::max(worst, std::abs(q.block(b)[o] - linear.block(b)[o]));
            scale = std::max(scale, std::abs(linear.block(b)[o]));
        }
    add_small(report, "6d", "max |p - p_linear| / max p", worst / scale, converged ? 1e-6 : 0);
}

}  // namespace slosh::cli
