// Bodies in the scenes that show them: the plug holds, the box in its tube is jostled and pushed
// up, and long steps are stable at any density.
#include <fmt/format.h>

#include <algorithm>

#include "slosh/cli/validate_liquid.h"
#include "slosh/cli/validate_rows.h"
#include "slosh/rigid/mass.h"
#include "slosh/scene/load.h"
#include "slosh/shape/primitives.h"

namespace slosh::cli {

void validate_plug(ValidateReport& report) {
    const LiquidSetup<2> setup = make_setup<2>(load_scene("plug"));
    LiquidSimulation<2> simulation(setup);
    const auto above = [&] {
        std::vector<std::uint32_t> ids;
        const auto& p = simulation.state().particles;
        const double y = simulation.state().bodies[0].position[1];
        for (std::size_t i = 0; i < p.size(); ++i)
            if (setup.grid.to_world(p.position(i))[1] > y) ids.push_back(p.id[i]);
        std::sort(ids.begin(), ids.end());
        return ids;
    };
    const std::vector<std::uint32_t> before = above();
    run_to<2>(simulation, 5, [](const StepReport&) {});
    const std::vector<std::uint32_t> after = above();
    std::vector<std::uint32_t> passed;
    std::set_symmetric_difference(before.begin(), before.end(), after.begin(), after.end(),
                                  std::back_inserter(passed));
    add_small(report, "plug", "particles that passed in 5 s", static_cast<double>(passed.size()),
              0);
    add_small(
        report, "plug", "way of the plug, cells",
        std::abs(simulation.state().bodies[0].position[1] - setup.bodies[0].start.position[1]) /
            setup.grid.dx,
        0.5);
}

void validate_tube(ValidateReport& report) {
    const LiquidSetup<2> setup = make_setup<2>(load_scene("box_in_tube"));
    LiquidSimulation<2> simulation(setup);
    const double start = setup.bodies[0].start.position[1];
    double jostled = 0, volume = 0, drift = 0, lowest = start;
    int late = 0;
    run_to<2>(simulation, 5, [&](const StepReport& r) {
        const Point<2> x = simulation.state().bodies[0].position;
        jostled = std::max(jostled, std::abs(x[0] - setup.bodies[0].start.position[0]));
        lowest = std::min(lowest, x[1]);
        if (volume == 0) volume = r.volume;
        // Of single steps it is up to 4 % (ten seeds), as drops come and go in gaps below a cell.
        if (simulation.state().time < 4) return;
        drift += r.volume / volume - 1;
        ++late;
    });
    add_at_least(report, "box_in_tube", "sunk by, cells", (start - lowest) / setup.grid.dx, 5);
    add_at_least(report, "box_in_tube", "pushed up again by, cells",
                 (simulation.state().bodies[0].position[1] - lowest) / setup.grid.dx, 5);
    add_at_least(report, "box_in_tube", "jostled sideways by, cells", jostled / setup.grid.dx, 0.1);
    add_small(report, "box_in_tube", "mean relative change of volume, fifth second",
              std::abs(drift / late), 0.03);
}

void validate_long_steps(ValidateReport& report) {
    for (const double density : {0.01, 0.1, 1.0, 10.0, 100.0}) {
        LiquidSetup<2> setup = closed_box<2>({32, 32}, 1.0 / 32);
        // A step is a frame: nothing else may cut it.
        setup.step.cfl = 20;
        setup.step.fall = 1e4;
        setup.step.max_dt = 1.0 / 30;
        setup.liquid.push_back(
            {.shape = box<2>({0, 0}, {1, 0.6}), .velocity = {}, .spin = {}, .centre = {}});
        setup.bodies.push_back(
            body_of<2>(box<2>({0.35, 0.5}, {0.65, 0.7}), density * setup.density));
        LiquidSimulation<2> simulation(setup);
        // Potential energy mixes in how particles are spread: a tenth of a cell is half a per cent.
        double first = 0, growth = 0, early = 0, late = 0, fastest = 0, shortest = 1;
        run_to<2>(simulation, 10, [&](const StepReport& r) {
            const double kinetic = r.kinetic_energy + r.body_kinetic_energy;
            const double energy = kinetic + r.potential_energy + r.body_potential_energy;
            if (first == 0) first = energy;
            growth = std::max(growth, energy / first - 1);
            double& peak = r.time < 5 ? early : late;
            peak = std::max(peak, kinetic);
            fastest = std::max(fastest, r.max_speed);
            shortest = std::min(shortest, r.dt);
        });
        const std::string name = fmt::format("long_steps/density={:g}", density);
        add_small(report, name, "growth of energy in 10 s", growth, 0.01);
        report.tell(name, "kinetic energy after 5 s / peak before", late / early);
        report.tell(name, "greatest speed, m/s", fastest);
        report.tell(name, "shortest step, s", shortest);
    }
}

}  // namespace slosh::cli
