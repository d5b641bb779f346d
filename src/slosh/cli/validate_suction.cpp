// Whether suction holds a ball to a wall: a ball starts away from the floor under a layer of viscous liquid,
// without gravity. Liquid must flow in under it, and what draws it there is a pressure below that of the air;
// walls that let go have none. Viscous stress may still pull: it is no pressure, and the thicker the liquid the
// more it counts.
#include <fmt/format.h>

#include "slosh/cli/validate_liquid.h"
#include "slosh/cli/validate_rows.h"
#include "slosh/rigid/mass.h"
#include "slosh/shape/primitives.h"

namespace slosh::cli {

namespace {

constexpr double kRadius = 0.1;  // m
constexpr double kSpeed = 1;     // m/s, at the start
constexpr double kAmid = 0.15;   // m under a ball that is far from walls
constexpr int kSteps = 10;
constexpr double kStep = 0.002;  // s

/// How far the ball goes, over how far it would without liquid; `gap` is under it at the start.
double way(Separation separation, double gap, double viscosity) {
    const int n = 64;
    LiquidSetup<2> setup = closed_box<2>({n, n}, 1.0 / n);
    setup.gravity[1] = Curve(0);
    setup.viscosity = viscosity;
    setup.step.separation = separation;
    setup.step.max_dt = kStep;
    setup.liquid = {{box<2>({0, 0}, {1, 0.7}), {}, {}, {}}};
    setup.bodies = {body_of<2>(sphere<2>({0.5, kRadius + gap}, kRadius), 3000)};
    setup.bodies[0].start.velocity = {0, kSpeed};
    LiquidSimulation<2> simulation(setup);
    const double start = simulation.state().bodies[0].position[1];
    run_to<2>(simulation, kSteps * kStep, [](const StepReport&) {});
    return (simulation.state().bodies[0].position[1] - start) / (kSpeed * kSteps * kStep);
}

}  // namespace

void validate_suction(ValidateReport& report) {
    const char* quantity = "way off a wall over that amid the liquid";
    for (const double viscosity : {10.0, 100.0, 1000.0}) {
        const std::string name = fmt::format("suction/{:g}", viscosity);
        const auto share = [&](Separation separation) {
            return way(separation, 0, viscosity) / way(separation, kAmid, viscosity);
        };
        if (viscosity > 100)
            report.tell(name, quantity, share(Separation::Cell));
        else
            add_at_least(report, name, quantity, share(Separation::Cell), 0.85);
        report.tell(name + "/off", quantity, share(Separation::Off));
    }
}

}  // namespace slosh::cli
