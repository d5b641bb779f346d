// Validation cases of viscous liquid: 4a (Stokes, Table 1 of the viscous paper), 5b, 5c.
#include <fmt/format.h>

#include "slosh/cli/validate_liquid.h"
#include "slosh/cli/validate_rows.h"
#include "slosh/rigid/mass.h"
#include "slosh/shape/csg.h"
#include "slosh/shape/primitives.h"

namespace slosh::cli {

namespace {

// ---- 4a: a ball sinks in a spherical shell ------------------------------------------------------

constexpr double kRadius = 0.05;       // m
constexpr double kBallDensity = 3000;  // kg/m^3
constexpr int kShell = 4;              // radius of the shell over the ball's
constexpr int kCells = 6;              // along the ball's radius: 54^3 cells in all
constexpr int kPasses = 5;             // of viscosity and pressure in a step
constexpr int kCoarse = 3;  // cells, and one pass, where only the order of magnitude counts

/// Drag in a concentric shell over that in unbounded liquid, exact for Stokes flow.
double shell_factor(double lambda) {
    const double l3 = std::pow(lambda, 3), l5 = std::pow(lambda, 5), l6 = std::pow(lambda, 6);
    return (1 - l5) / (1 - 2.25 * lambda + 2.5 * l3 - 2.25 * l5 + l6);
}

LiquidSetup<3> ball_in_shell(double viscosity, Coupling coupling, int cells, int passes) {
    const double dx = kRadius / cells;
    const int n = 2 * kShell * cells + 6;
    LiquidSetup<3> setup = closed_box<3>(Index<3>::filled(n), dx);
    const Point<3> middle = Point<3>::filled(0.5 * n * dx);
    setup.viscosity = viscosity;
    setup.step.separation = Separation::Off;
    setup.step.coupling = coupling;
    setup.step.max_dt = 0.01;
    setup.step.viscosity_passes = passes;
    setup.solids = {{"shell", invert<3>(sphere<3>(middle, kShell * kRadius)), {}}};
    setup.liquid = {{sphere<3>(middle, kShell * kRadius), {}, {}, {}}};
    setup.bodies = {body_of<3>(sphere<3>(middle, kRadius), kBallDensity)};
    return setup;
}

/// The speed at which it sinks once that changes by less than 0.2 % over two steps, or when it has
/// gone half a radius: without enough drag it never settles.
double sinking_speed(LiquidSimulation<3>& simulation) {
    const double start = simulation.state().bodies[0].position[1];
    double last = 0;
    for (int round = 0; round < 50; ++round) {
        for (int step = 0; step < 2; ++step) (void)simulation.step(1);
        const BodyState<3>& ball = simulation.state().bodies[0];
        const double speed = -ball.velocity[1];
        if (std::abs(speed - last) < 0.002 * std::abs(speed) ||
            start - ball.position[1] > 0.5 * kRadius)
            return speed;
        last = speed;
    }
    return last;
}

}  // namespace

void validate_stokes(ValidateReport& report) {
    const double paper[5] = {0.64, 0.098, 0.0101, 1.11e-3, 1.12e-4};
    const double unbounded_times_eta = 2.0 / 9 * (kBallDensity - 1000) * 9.81 * kRadius * kRadius;
    const double factor = shell_factor(1.0 / kShell);
    double viscosity = 10;
    for (int row = 0; row < 5; ++row, viscosity *= 10) {
        const double stokes = unbounded_times_eta / viscosity;
        const auto name = [&](const char* coupling) {
            return fmt::format("stokes/{:g}/{}", viscosity, coupling);
        };
        const auto grid = [](int cells) {
            return fmt::format("V, m/s ({} cells a radius)", cells);
        };
        LiquidSimulation<3> strong(ball_in_shell(viscosity, Coupling::Strong, kCells, kPasses));
        const double speed = sinking_speed(strong);
        // At 10 kg/(m s) the Reynolds number is 10, and Stokes' law does not hold.
        if (row == 0)
            report.tell(name("strong"), grid(kCells), speed);
        else
            report.compare(name("strong"), grid(kCells), speed, stokes / factor, 0.05);
        for (const auto& [word, coupling] :
             {std::pair{"weak", Coupling::Weak}, std::pair{"one-way", Coupling::OneWay}}) {
            LiquidSimulation<3> other(ball_in_shell(viscosity, coupling, kCoarse, 1));
            report.tell(name(word), grid(kCoarse), sinking_speed(other));
        }
        report.tell(name("unbounded"), "V of Stokes' law, m/s", stokes);
        report.tell(name("paper"), "V of the paper, strong, m/s", paper[row]);
    }
    // What the passes of a step bring, on the coarse grid: the last are nearly the limit of many.
    for (const int passes : {1, 2, 3, 4, 5, 12}) {
        LiquidSimulation<3> ball(ball_in_shell(1000, Coupling::Strong, kCoarse, passes));
        report.tell(fmt::format("stokes/1000/passes/{}", passes),
                    fmt::format("V over the exact ({} cells a radius)", kCoarse),
                    sinking_speed(ball) * factor * 1000 / unbounded_times_eta);
    }
}

// ---- 5b: a free blob that spins
// -------------------------------------------------------------------

void validate_spin(ValidateReport& report) {
    constexpr int kSteps = 20;
    // The share of its spin that a disc keeps; what the transfer takes is the same without
    // viscosity.
    const auto kept = [](double viscosity) {
        LiquidSetup<2> setup = closed_box<2>({48, 48}, 1.0 / 48);
        setup.gravity[1] = Curve(0);
        setup.viscosity = viscosity;
        setup.liquid = {{sphere<2>({0.5, 0.5}, 0.3), {}, {0, 0, 2}, {0.5, 0.5}}};
        LiquidSimulation<2> simulation(setup);
        const auto spin = [&] {
            const auto& p = simulation.state().particles;
            const Point<2> centre = setup.grid.to_grid(centre_of_mass(simulation));
            double turn = 0, inertia = 0;
            for (std::size_t i = 0; i < p.size(); ++i) {
                const Point<2> r = (p.position(i) - centre) * setup.grid.dx, v = p.velocity(i);
                turn += r[0] * v[1] - r[1] * v[0];
                inertia += dot(r, r);
            }
            return turn / inertia;
        };
        const double before = spin();
        for (int i = 0; i < kSteps; ++i) (void)simulation.step(0.01);
        return spin() / before;
    };
    const double without = kept(0);
    report.tell("5b/0", "spin kept over 20 steps", without);
    for (const double viscosity : {1.0, 1e4, 1e8})
        add_small(report, fmt::format("5b/{:g}", viscosity), "change of spin a step by viscosity",
                  std::abs(kept(viscosity) / without - 1) / kSteps, 1e-3);
}

// ---- 5c: a viscous gravity current
// ----------------------------------------------------------------

void validate_current(ValidateReport& report) {
    const double dx = 0.01, eta = 100, volume = 0.4 * 0.25;
    LiquidSetup<2> setup = closed_box<2>({160, 40}, dx);
    setup.viscosity = eta;
    setup.solids = {{"left", half_space<2>({0, 0}, {1, 0}), {}, SolidWalls::Scene, 1e30}};
    setup.liquid = {{box<2>({0, 0}, {0.4, 0.25}), {}, {}, {}}};
    LiquidSimulation<2> simulation(setup);
    std::vector<double> log_time, log_front;
    double next = 2;
    run_to<2>(simulation, 12, [&](const StepReport& r) {
        if (r.time < next) return;
        next += 1;
        const auto& p = simulation.state().particles;
        float front = 0;
        for (std::size_t i = 0; i < p.size(); ++i) front = std::max(front, p.x[0][i]);
        log_time.push_back(std::log(r.time));
        log_front.push_back(std::log(front * dx));
    });
    const double count = static_cast<double>(log_time.size());
    double t = 0, x = 0, tt = 0, tx = 0;
    for (std::size_t i = 0; i < log_time.size(); ++i) {
        t += log_time[i] / count;
        x += log_front[i] / count;
    }
    for (std::size_t i = 0; i < log_time.size(); ++i) {
        tt += (log_time[i] - t) * (log_time[i] - t);
        tx += (log_time[i] - t) * (log_front[i] - x);
    }
    report.compare("5c", "exponent of the front, 2 to 12 s", tx / tt, 0.2, 0.02, 1);
    const double exact = 1.411 * std::pow(9.81 * std::pow(volume, 3) / (3 * eta / 1000), 0.2);
    report.compare("5c", "front at 1 s by that law with 1/5, m", std::exp(x - 0.2 * t), exact, 0.1);
}

}  // namespace slosh::cli
