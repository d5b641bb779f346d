// Position correction in the scene that needs it: plates pressed through thick liquid (Figs. 6 and 8 of
// the viscous paper).
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
    solids.update(simulation.state().time, 0, step_topology(*occupied.blocks),
                  setup.step.fractions, fields);
    const std::vector<float> density = densities_at_particles<3>(
        particles, occupied, fields.nodal, setup.step.particles_per_axis);
    return *std::max_element(density.begin(), density.end());
}

struct PlatesRun {
    double density = 0;     ///< Greatest at the end of a frame, over the rest density.
    double volume[2] = {};  ///< Least and greatest over that at the start, less one.
    double above = 0;       ///< Share of the liquid that ends above the plate.
    double iterations = 0;  ///< Of the constraints, mean of a frame.
    double seconds = 0;     ///< CPU, and of the correction alone.
    double correcting = 0;
};

PlatesRun run_plates(const std::vector<std::string>& set) {
    std::vector<std::string> all = {"resolution=40"};
    all.insert(all.end(), set.begin(), set.end());
    const Scene scene = load_scene("plates", all);
    const LiquidSetup<3> setup = make_setup<3>(scene);
    SolidGrid<3> solids(setup.grid, setup.solids, setup.open_side);
    LiquidSimulation<3> simulation(setup);
    PlatesRun result;
    double first = 0;
    for (int frame = 1; frame < scene.frames; ++frame) {
        run_to<3>(simulation, frame / scene.fps, [&](const StepReport& r) {
            if (first == 0) first = r.volume;
            result.volume[0] = std::min(result.volume[0], r.volume / first - 1);
            result.volume[1] = std::max(result.volume[1], r.volume / first - 1);
            result.iterations += r.spacing.iterations;
            result.seconds += r.times.cpu();
            for (const StageTime& s : r.times.stages())
                if (s.name == "spacing" || s.name == "density correction") result.correcting += s.cpu;
        });
        result.density = std::max(result.density, greatest_density(simulation, solids));
    }
    result.iterations /= scene.frames - 1;
    constexpr double kPlateTop = 0.068;  // m, of the scene's plate at its lowest
    const auto& p = simulation.state().particles;
    std::size_t above = 0;
    for (std::size_t i = 0; i < p.size(); ++i)
        above += setup.grid.to_world(p.position(i))[1] > kPlateTop;
    result.above = static_cast<double>(above) / static_cast<double>(p.size());
    return result;
}

void tell(ValidateReport& report, const std::string& name, const PlatesRun& run) {
    report.tell(name, "greatest density / rest density", run.density);
    report.tell(name, "least change of volume", run.volume[0]);
    report.tell(name, "greatest change of volume", run.volume[1]);
    report.tell(name, "share of liquid above the plate at the end", run.above);
    report.tell(name, "iterations of the constraints, a frame", run.iterations);
    report.tell(name, "CPU seconds", run.seconds);
    report.tell(name, "of which correcting positions", run.correcting);
}

}  // namespace

void validate_plates(ValidateReport& report) {
    for (const char* word : {"both", "density"}) {
        const std::string name = fmt::format("plates/{}", word);
        const std::string set = fmt::format("position_correction={}", word);
        const PlatesRun scaled = run_plates({set});
        tell(report, name, scaled);
        report.compare(name, "greatest density / rest density", scaled.density, 1, 0.1);
        // Constraints alone push but do not draw: the liquid swells.
        if (std::string(word) == "both") {
            add_small(report, name, "largest change of volume",
                      std::max(-scaled.volume[0], scaled.volume[1]), 0.01);
            add_at_least(report, name, "share of liquid above the plate at the end", scaled.above,
                         0.45);
        }
        const PlatesRun plain = run_plates({set, "spacing_scale=1"});
        tell(report, name + "/unscaled", plain);
        add_at_least(report, name, "iterations without scaling / with",
                     plain.iterations / scaled.iterations, 1);
    }
    for (const char* word : {"grid", "distance", "off"})
        tell(report, fmt::format("plates/{}", word),
             run_plates({fmt::format("position_correction={}", word)}));
}

}  // namespace slosh::cli
