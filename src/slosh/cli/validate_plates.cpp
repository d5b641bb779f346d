// Position correction in the scene that needs it: plates pressed through thick liquid (Figs. 6 and
// 8 of the viscous paper).
#include <fmt/format.h>

#include "slosh/cli/validate_liquid.h"
#include "slosh/cli/validate_rows.h"
#include "slosh/liquid/topology.h"
#include "slosh/scene/load.h"

namespace slosh::cli {

namespace {

/// The greatest density at a particle over the rest density (particles/spacing.h).
double greatest_density(const LiquidSimulation<3>& simulation, SolidGrid<3>& solids) {
    const LiquidSetup<3>& setup = simulation.setup();
    Particles<3> particles = simulation.state().particles;
    const ParticleBlocks<3> occupied = sort_by_block(particles);
    SolidFields<3> fields;
    solids.update(simulation.state().time, 0, step_topology(*occupied.blocks), setup.step.fractions,
                  fields);
    const std::vector<float> density =
        densities_at_particles<3>(particles, occupied, fields.nodal, setup.step.particles_per_axis);
    return *std::max_element(density.begin(), density.end());
}

struct SpreadRun {
    double density = 0;     ///< Greatest at the end of a frame, over the rest density.
    double volume[2] = {};  ///< Least and greatest over that at the start, less one.
    double iterations = 0;  ///< Of the constraints, mean of a frame.
    double above = 0;       ///< Share of the liquid that ends higher than `level`.
};

/// `level` in m.
SpreadRun run_spread(const char* name, std::vector<std::string> set, int frames, double level) {
    set.push_back("resolution=40");
    const Scene scene = load_scene(name, set);
    const LiquidSetup<3> setup = make_setup<3>(scene);
    SolidGrid<3> solids(setup.grid, setup.solids, setup.open_side);
    LiquidSimulation<3> simulation(setup);
    SpreadRun result;
    double first = 0;
    for (int frame = 1; frame < frames; ++frame) {
        run_to<3>(simulation, frame / scene.fps, [&](const StepReport& r) {
            if (first == 0) first = r.volume;
            result.volume[0] = std::min(result.volume[0], r.volume / first - 1);
            result.volume[1] = std::max(result.volume[1], r.volume / first - 1);
            result.iterations += r.spacing.iterations;
        });
        result.density = std::max(result.density, greatest_density(simulation, solids));
    }
    result.iterations /= frames - 1;
    const auto& p = simulation.state().particles;
    std::size_t above = 0;
    for (std::size_t i = 0; i < p.size(); ++i)
        above += setup.grid.to_world(p.position(i))[1] > level;
    result.above = static_cast<double>(above) / static_cast<double>(p.size());
    return result;
}

constexpr const char* kUnscaled = "spacing_scale=1";

void add_iterations(ValidateReport& report, const std::string& name, double scaled, double plain) {
    report.tell(name, "iterations of the constraints, a frame", scaled);
    report.tell(name + "/unscaled", "iterations of the constraints, a frame", plain);
    add_at_least(report, name, "iterations without scaling / with", plain / scaled, 1);
}

}  // namespace

void validate_plates(ValidateReport& report) {
    constexpr int kFrames = 90;          // the scene's
    constexpr double kPlateTop = 0.068;  // m, of the scene's plate at its lowest
    const SpreadRun run = run_spread("plates", {}, kFrames, kPlateTop);
    report.compare("plates", "greatest density / rest density", run.density, 1, 0.1);
    report.tell("plates", "least change of volume", run.volume[0]);
    report.tell("plates", "greatest change of volume", run.volume[1]);
    add_small(report, "plates", "largest change of volume", std::max(-run.volume[0], run.volume[1]),
              0.01);
    add_at_least(report, "plates", "share of liquid above the plate at the end", run.above, 0.45);
    const SpreadRun plain = run_spread("plates", {kUnscaled}, kFrames, kPlateTop);
    add_iterations(report, "plates", run.iterations, plain.iterations);
}

// Figure 6 counts the iterations in this scene.
void validate_pile(ValidateReport& report) {
    constexpr int kFrames = 40;
    const auto iterations = [&](std::vector<std::string> set) {
        return run_spread("pile", std::move(set), kFrames, 0).iterations;
    };
    add_iterations(report, "pile", iterations({}), iterations({kUnscaled}));
}

}  // namespace slosh::cli
