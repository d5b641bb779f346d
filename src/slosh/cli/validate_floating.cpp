// Bodies in whole runs: draft (4d), heave (4e), momentum (10/bodies) and letting go (6b/body).
#include <fmt/format.h>

#include <numbers>

#include "slosh/cli/validate_liquid.h"
#include "slosh/cli/validate_rows.h"
#include "slosh/liquid/momentum.h"
#include "slosh/rigid/mass.h"
#include "slosh/shape/primitives.h"

namespace slosh::cli {

namespace {

constexpr double kGravity = 9.81;

}  // namespace

// ---- 4d: a box floats with its density's share under water -------------------------------------

void validate_draft(ValidateReport& report) {
    const double dx = 1.0 / 48, width = 0.4, height = 0.25, level = 0.5;
    for (const double s : {0.3, 0.5, 0.8}) {
        LiquidSetup<2> setup = closed_box<2>({48, 48}, dx);
        setup.liquid.push_back(
            {.shape = box<2>({0, 0}, {1, level}), .velocity = {}, .spin = {}, .centre = {}});
        // Half immersed at the start, so that it has to find its draft.
        Body<2> body = body_of<2>(
            box<2>({0.5 - width / 2, level - height / 2}, {0.5 + width / 2, level + height / 2}),
            s * setup.density);
        body.linear_damping = 4;
        body.angular_damping = 4;
        setup.bodies.push_back(body);
        LiquidSimulation<2> simulation(setup);
        const double volume = static_cast<double>(simulation.state().particles.size()) *
                              particle_mass(setup) / setup.density;
        double sum = 0, weight = 0;  // mean over the last second
        run_to<2>(simulation, 5, [&](const StepReport& r) {
            if (r.time < 4) return;
            const double bottom = simulation.state().bodies[0].position[1] - height / 2;
            // Liquid and what is immersed fill the tank up to the level.
            sum += r.dt * (volume - bottom) / (1 - width);
            weight += r.dt;
        });
        report.compare(fmt::format("4d/density={:g}", s), "draft, cells", sum / weight / dx,
                       s * height / dx, 0.5, 1);
        report.tell(
            fmt::format("4d/density={:g}", s), "tilt, degrees",
            std::asin(simulation.state().bodies[0].rotation.row[1][0]) * 180 / std::numbers::pi);
    }
}

// ---- 4e: heave of a half-submerged sphere ------------------------------------------------------

void validate_heave(ValidateReport& report) {
    // ka (1 + A(ka)) = 1.5 with Hulme's added mass A has the root ka = 1.055, so T = 0.756 s.
    const double a = 0.15, dx = 2 * a / 16, g = 9.82;
    LiquidSetup<3> setup = closed_box<3>({88, 56, 88}, dx);
    setup.gravity[1] = Curve(-g);
    const double level = 40.37 * dx, middle = 44 * dx;
    setup.liquid.push_back(
        {.shape = box<3>({-1, -1, -1}, {9, level, 9}), .velocity = {}, .spin = {}, .centre = {}});
    Body<3> body = body_of<3>(sphere<3>({middle, level + 0.2 * a, middle}, a), 500);
    setup.bodies.push_back(body);
    LiquidSimulation<3> simulation(setup);
    // The first crossing of rest downwards and the next one upwards are half a period apart;
    // waves are back from the walls only later.
    std::vector<double> crossing;
    double last = 0.2 * a, last_time = 0;
    run_to<3>(simulation, 0.75, [&](const StepReport& r) {
        const double z = simulation.state().bodies[0].position[1] - level;
        if ((z < 0) != (last < 0))
            crossing.push_back(last_time + (r.time - last_time) * last / (last - z));
        last = z;
        last_time = r.time;
    });
    const double period = crossing.size() >= 2 ? 2 * (crossing[1] - crossing[0]) : 0;
    report.compare("4e", "period, s", period, 0.756, 0.03);
}

// ---- 10/bodies: momentum of liquid and bodies without walls and weight --------------------------

void validate_body_momentum(ValidateReport& report) {
    LiquidSetup<2> setup = closed_box<2>({64, 64}, 1.0 / 64);
    for (bool& side : setup.open_side) side = true;
    setup.gravity[1] = Curve(0);
    setup.liquid.push_back({.shape = sphere<2>({0.4, 0.5}, 0.22),
                            .velocity = {0.15, 0.05},
                            .spin = {0, 0, 1},
                            .centre = {0.4, 0.5}});
    Body<2> body = body_of<2>(box<2>({0.36, 0.42}, {0.5, 0.54}), 300);
    body.start.velocity = {-0.1, 0.3};
    body.start.spin = {0, 0, -2};
    setup.bodies.push_back(body);
    LiquidSimulation<2> simulation(setup);
    const double mass = particle_mass(setup);
    struct Sums {
        Point<2> momentum;
        double size = 0;  // sum of |m v|
    };
    const auto sums = [&] {
        Sums s;
        const auto& p = simulation.state().particles;
        for (std::size_t i = 0; i < p.size(); ++i) {
            s.momentum += p.velocity(i).template as<double>() * mass;
            s.size += mass * length(p.velocity(i).template as<double>());
        }
        const Point<2> of_body = simulation.state().bodies[0].velocity * body.mass.mass;
        s.momentum += of_body;
        s.size += length(of_body);
        return s;
    };
    const Sums start = sums();
    double energy = 1e30, grown = 0;
    run_to<2>(simulation, 1, [&](const StepReport& r) {
        const double now = r.kinetic_energy + r.body_kinetic_energy;
        grown = std::max(grown, now - energy);
        energy = std::min(energy, now);
    });
    const Sums end = sums();
    add_small(report, "10/bodies", "change of momentum / sum of |m v|",
              length(end.momentum - start.momentum) / start.size, 1e-6);
    report.tell("10/bodies", "largest gain of energy / J", grown);
}

// ---- 6b/body: liquid lets go of a body that is pulled out of it ---------------------------------

namespace {

/// Share of a plate's width by which liquid still stands more than a few cells above the level
/// under it, 0.12 s after the plate was pulled up: liquid that is let go is 0.14 m below by then.
double hanging_under(Separation separation) {
    const double dx = 1.0 / 48, level = 0.4;
    LiquidSetup<2> setup = closed_box<2>({48, 96}, dx);
    setup.step.separation = separation;
    setup.liquid.push_back(
        {.shape = box<2>({0, 0}, {1, level}), .velocity = {}, .spin = {}, .centre = {}});
    Body<2> body = body_of<2>(box<2>({0.3, level - 2.3 * dx}, {0.7, level + 3 * dx}), 700);
    body.locked[0] = body.locked[2] = true;
    // Up at 2 g beside its weight.
    body.forces.push_back({.force = {0, 3 * kGravity * body.mass.mass}, .torque = {}});
    setup.bodies.push_back(body);
    LiquidSimulation<2> simulation(setup);
    run_to<2>(simulation, 0.12, [](const StepReport&) {});
    const double bottom = simulation.state().bodies[0].position[1] - 2.65 * dx;
    const auto& p = simulation.state().particles;
    std::size_t touching = 0;
    for (std::size_t i = 0; i < p.size(); ++i) {
        const Point<2> x = setup.grid.to_world(p.position(i));
        touching += x[1] > bottom - 1.5 * dx && x[1] < bottom + dx && x[0] > 0.3 && x[0] < 0.7;
    }
    return static_cast<double>(touching) * particle_mass(setup) / setup.density / (1.5 * dx * 0.4);
}

}  // namespace

void validate_let_go(ValidateReport& report) {
    add_small(report, "6b/body", "liquid under a plate pulled up, share of its width",
              hanging_under(Separation::Cell), 0.02);
    add_at_least(report, "6b/body/off", "the same with sticky walls",
                 hanging_under(Separation::Off), 0.3);
}

}  // namespace slosh::cli
