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
template <int D>
double way(Separation separation, double gap, double viscosity) {
    const int n = D == 2 ? 64 : 32;
    LiquidSetup<D> setup = closed_box<D>(Index<D>::filled(n), 1.0 / n);
    setup.gravity[1] = Curve(0);
    setup.viscosity = viscosity;
    setup.step.separation = separation;
    setup.step.max_dt = kStep;
    Point<D> top = Point<D>::filled(1), centre = Point<D>::filled(0.5), speed;
    top[1] = 0.7;
    centre[1] = kRadius + gap;
    speed[1] = kSpeed;
    setup.liquid = {{box<D>({}, top), {}, {}, {}}};
    setup.bodies = {body_of<D>(sphere<D>(centre, kRadius), 3000)};
    setup.bodies[0].start.velocity = speed;
    LiquidSimulation<D> simulation(setup);
    const double start = simulation.state().bodies[0].position[1];
    run_to<D>(simulation, kSteps * kStep, [](const StepReport&) {});
    return (simulation.state().bodies[0].position[1] - start) / (kSpeed * kSteps * kStep);
}

/// Amid the liquid there is nothing to be sucked to. Viscous stress takes some of the way at any wall: a ball
/// in liquid of up to `thickest` must keep this share.
constexpr double kLetGo = 0.85;

template <int D>
void add_ways(ValidateReport& report, double thickest) {
    const char* quantity = "way off a wall over that amid the liquid";
    for (const double viscosity : {10.0, 100.0, 1000.0}) {
        const std::string name = fmt::format("suction/{}D/{:g}", D, viscosity);
        const auto share = [&](Separation separation) {
            return way<D>(separation, 0, viscosity) / way<D>(separation, kAmid, viscosity);
        };
        if (viscosity > thickest)
            report.tell(name, quantity, share(Separation::Cell));
        else
            add_at_least(report, name, quantity, share(Separation::Cell), kLetGo);
        report.tell(name + "/off", quantity, share(Separation::Off));
    }
}

}  // namespace

void validate_suction(ValidateReport& report) {
    add_ways<2>(report, 100);
    add_ways<3>(report, 10);
}

}  // namespace slosh::cli
