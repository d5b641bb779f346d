#include "slosh/cli/run_tall.h"

#include <cmath>

#include "slosh/cache/frame_writer.h"
#include "slosh/cache/maps.h"
#include "slosh/cli/body_meshes.h"
#include "slosh/cli/interrupt.h"
#include "slosh/scene/tall.h"
#include "slosh/scene/tall_report.h"
#include "slosh/tall/simulation.h"

namespace slosh::cli {
namespace {

/// Drops as the particles of a cache, in grid coordinates.
Particles<3> drops_of(const tall::Spray& spray, double dx) {
    Particles<3> out;
    out.resize(spray.size(), false);
    for (std::size_t n = 0; n < spray.size(); ++n) {
        for (int d = 0; d < 3; ++d) {
            out.x[d][n] = static_cast<float>(spray.position[n][d] / dx);
            out.v[d][n] = static_cast<float>(spray.velocity[n][d]);
        }
        out.id[n] = spray.id[n];
    }
    return out;
}

}  // namespace

int tall_steps_per_frame(const Scene& scene) {
    const double frame = 1 / scene.fps;
    return std::max(1, static_cast<int>(std::ceil(frame / scene.step.max_dt - 1e-6)));
}

Outcome simulate_tall(const Scene& scene, RunDirectory& directory, Progress& progress) {
    tall::Simulation simulation(make_tall_setup(scene));
    const GridGeometry<3> grid = make_setup<3>(scene).grid;
    const OutputChoices choices{
        .surface = scene.output.surface,
        .particles = scene.tall->spray ? ParticleFormat::Ply : ParticleFormat::None,
        .volumes = false,
        .paraview = scene.output.surface};
    const int per_frame = tall_steps_per_frame(scene), done = directory.done();
    const double dt = 1 / (scene.fps * per_frame);
    if (done == 0)
        write_body_meshes(simulation.setup().bodies, simulation.setup().dx, directory.path());
    LiquidState<3> state;
    for (int frame = 1; frame <= scene.frames; ++frame) {
        for (int s = 0; s < per_frame && frame > 1; ++s) {
            const tall::WaterReport step = simulation.step(dt);
            state.time = step.time;
            ++state.steps;
            const StepReport report = tall_report(simulation.water(), step, dt);
            progress.step(frame, report, (s + 1.0) / per_frame);
            if (frame > done) directory.add_stats(report, frame, state.steps);
        }
        const bool stop = interrupted();
        if (frame > done) {
            LiquidFrame<3> shown;
            if (choices.surface) shown.surface = simulation.surface();
            shown.bodies = simulation.bodies().placements();
            state.bodies = simulation.bodies().states();
            state.particles = drops_of(simulation.spray(), simulation.setup().dx);
            if (scene.tall->spray || scene.tall->ripples > 0)
                (void)write_maps(directory.data_file(frame, "maps", "maps", "pfm"),
                                 simulation.maps());
            (void)write_frame(directory, frame, shown, state, grid, choices, stop);
        }
        progress.frame(frame);
        if (stop && frame < scene.frames) return Outcome::Interrupted;
    }
    return Outcome::Done;
}

}  // namespace slosh::cli
