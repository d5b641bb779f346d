// Whether suction holds a ball to a wall: a ball starts away from the floor under a layer of
// viscous liquid, without gravity. Liquid must flow in under it, and what draws it there is a
// pressure below that of the air; walls that let go have none. Viscous stress may still pull: it is
// no pressure, and the thicker the liquid the more it counts.
#include <fmt/format.h>

#include "slosh/cli/validate_liquid.h"
#include "slosh/cli/validate_rows.h"
#include "slosh/rigid/mass.h"
#include "slosh/shape/primitives.h"

namespace slosh::cli {

namespace {

constexpr double kRadius = 0.1;    // m
constexpr double kDensity = 3000;  // kg/m^3, of the ball
constexpr double kSpeed = 1;       // m/s, at the start
constexpr double kAmid = 0.15;     // m under a ball that is far from walls
constexpr int kSteps = 10;
constexpr double kStep = 0.002;  // s

/// Of the ball's momentum at the start: a steady force that takes this share in all takes half as
/// much of the way, here a twentieth. Walls that hold take more than half of the momentum.
constexpr double kMostSuction = 0.1;

struct Way {
    double share = 0;    ///< How far the ball goes, over how far it would without liquid.
    double suction = 0;  ///< What suction can at most have taken of the ball's momentum.
};

/// `gap` is under the ball at the start. The suction of a step is the least pressure of all cells
/// below the ball's middle, taken to act on the whole of its cross-section.
template <int D>
Way way(Separation separation, double gap, double viscosity) {
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
    setup.bodies = {body_of<D>(sphere<D>(centre, kRadius), kDensity)};
    setup.bodies[0].start.velocity = speed;
    for (int k = 0; k < std::pow(n, D); ++k) {
        Index<D> cell;
        for (int d = 0, rest = k; d < D; ++d, rest /= n) cell[d] = rest % n;
        const Point<D> x = setup.grid.centre(cell);
        Point<D> off = x - centre;
        off[1] = 0;
        if (x[1] < centre[1] && length(off) < kRadius) setup.probes.push_back(x);
    }
    LiquidSimulation<D> simulation(setup);
    const double start = simulation.state().bodies[0].position[1];
    // Mass over cross-section, times speed: the pressure times time that would stop the ball.
    const double stop = kSpeed * kDensity * kRadius * (D == 2 ? M_PI / 2 : 4.0 / 3);
    Way result;
    run_to<D>(simulation, kSteps * kStep, [&](const StepReport& r) {
        const auto least = std::min_element(r.probe_pressure.begin(), r.probe_pressure.end());
        result.suction += std::max(0.0, -*least) * r.dt / stop;
    });
    result.share = (simulation.state().bodies[0].position[1] - start) / (kSpeed * kSteps * kStep);
    return result;
}

template <int D>
void add_ways(ValidateReport& report) {
    for (const double viscosity : {10.0, 100.0, 1000.0})
        for (const Separation separation : {Separation::Cell, Separation::Off}) {
            const bool lets_go = separation != Separation::Off;
            const std::string name =
                fmt::format("suction/{}D/{:g}{}", D, viscosity, lets_go ? "" : "/off");
            const Way off_wall = way<D>(separation, 0, viscosity);
            const char* suction = "most that suction takes of the momentum";
            if (lets_go)
                add_small(report, name, suction, off_wall.suction, kMostSuction);
            else
                report.tell(name, suction, off_wall.suction);
            report.tell(name, "way off a wall over that amid the liquid",
                        off_wall.share / way<D>(separation, kAmid, viscosity).share);
        }
}

}  // namespace

void validate_suction(ValidateReport& report) {
    add_ways<2>(report);
    add_ways<3>(report);
}

}  // namespace slosh::cli
