// `slosh run`: simulate a scene into a directory, frame by frame, and film it.
#include <fmt/format.h>

#include <climits>
#include <cstdio>
#include <filesystem>
#include <future>

#include "slosh/base/error.h"
#include "slosh/base/parallel.h"
#include "slosh/base/timer.h"
#include "slosh/cache/frame_writer.h"
#include "slosh/cache/ply.h"
#include "slosh/cli/body_meshes.h"
#include "slosh/cli/commands.h"
#include "slosh/cli/interrupt.h"
#include "slosh/cli/load.h"
#include "slosh/cli/progress.h"
#include "slosh/cli/run_tall.h"
#include "slosh/cli/text.h"
#include "slosh/render/shape_mesh.h"

namespace slosh::cli {
namespace {

OutputChoices output_choices(const SceneOutput& output) {
    OutputChoices choices;
    choices.surface = output.surface;
    choices.volumes = output.volumes;
    choices.particles = output.particles == ParticleFiles::Ply   ? ParticleFormat::Ply
                        : output.particles == ParticleFiles::Vdb ? ParticleFormat::Vdb
                                                                 : ParticleFormat::None;
    return choices;
}

CheckpointPolicy checkpoint_policy(const Scene& scene) {
    const int every = scene.output.checkpoint_every;
    return {.every = every > 0 ? every : INT_MAX, .last_frame = scene.frames};
}

/// A step of the frame that is being simulated.
struct Step {
    StepReport report;
    std::uint64_t number;
};

/// Writes a frame while the next one is simulated: most of writing is waiting for the disk.
template <int D>
class FrameQueue {
public:
    FrameQueue(RunDirectory& directory, const GridGeometry<D>& grid, const OutputChoices& choices)
        : directory_(directory), grid_(grid), choices_(choices) {}

    /// Waits until what was put before is on disk, then begins with this frame. Frames that need
    /// the particles, which the simulation will move on, are on disk on return.
    void put(int frame, LiquidFrame<D> shown, const LiquidState<D>& state,
             const std::vector<Step>& steps, bool stopping) {
        wait();
        for (const Step& step : steps) directory_.add_stats(step.report, frame, step.number);
        if (stopping || directory_.checkpoint_due(frame) ||
            choices_.particles != ParticleFormat::None ||
            (choices_.paraview && !choices_.surface)) {
            (void)write_frame(directory_, frame, shown, state, grid_, choices_, stopping);
            return;
        }
        LiquidState<D> rest;
        rest.bodies = state.bodies;
        writing_ = std::async(
            std::launch::async, [this, frame, shown = std::move(shown), rest = std::move(rest)] {
                (void)write_frame(directory_, frame, shown, rest, grid_, choices_, false);
            });
    }
    /// What went wrong in writing is thrown here.
    void wait() {
        if (writing_.valid()) writing_.get();
    }

private:
    RunDirectory& directory_;
    GridGeometry<D> grid_;
    OutputChoices choices_;
    std::future<void> writing_;  // its end is waited for, also when an error is on its way
};

/// Steps to the time that `frame` shows.
template <int D>
std::vector<Step> advance_to(int frame, double fps, LiquidSimulation<D>& simulation,
                             Progress& progress) {
    const double from = (frame - 2) / fps, to = (frame - 1) / fps;
    // What rounding leaves of a frame is not worth a step.
    const double nothing = 1e-9 / fps;
    std::vector<Step> steps;
    for (double left; (left = to - simulation.state().time) > nothing;) {
        const StepReport report = simulation.step(left);
        progress.step(frame, report, (simulation.state().time - from) / (to - from));
        steps.push_back({report, simulation.state().steps});
    }
    return steps;
}

/// Simulates what is missing up to the scene's last frame.
template <int D>
Outcome simulate(const Scene& scene, RunDirectory& directory, Progress& progress) {
    LiquidSimulation<D> simulation(make_setup<D>(scene));
    const OutputChoices choices = output_choices(scene.output);
    if (directory.done() > 0) simulation.restore(directory.load_state<D>());
    if constexpr (D == 3)
        if (directory.done() == 0)
            write_body_meshes(simulation.setup().bodies, simulation.setup().grid.dx,
                              directory.path());

    FrameQueue<D> queue(directory, simulation.setup().grid, choices);
    for (int frame = directory.done() + 1, first = frame; frame <= scene.frames; ++frame) {
        std::vector<Step> steps;
        if (frame > 1) steps = advance_to(frame, scene.fps, simulation, progress);
        // A stop that was asked for leaves a checkpoint, so that nothing is simulated twice.
        const bool stop = interrupted();
        queue.put(frame, simulation.frame(choices.volumes), simulation.state(), steps, stop);
        // The first frame is there at once: who watches the directory sees that a run began.
        if (frame == first) queue.wait();
        progress.frame(frame);
        if (stop && frame < scene.frames) return Outcome::Interrupted;
    }
    queue.wait();
    return Outcome::Done;
}

template <int D>
Outcome run_scene(const Scene& scene, const RunOptions& options, const std::string& path) {
    Manifest about;
    about.program = "slosh " SLOSH_VERSION;
    about.scene = scene.name;
    about.scene_hash = scene_hash(scene);
    about.fps = scene.fps;
    about.set_grid(make_setup<D>(scene).grid);
    const auto policy = checkpoint_policy(scene);
    RunDirectory directory =
        options.resume ? RunDirectory::open_resume(path, about, resolved_json(scene), policy)
                       : RunDirectory::open_new(path, about, resolved_json(scene), policy);

    const int done = directory.done();
    Progress progress(scene.frames, options.quiet);
    if (done >= scene.frames)
        progress.say(fmt::format("{} already holds frames 1 to {}", path, done));
    else if (done > 0)
        progress.say(fmt::format("going on after frame {} in {}", done, path));
    else
        progress.say(fmt::format("simulating {} into {}", scene.name, path));
    try {
        if (scene.tall) return simulate_tall(scene, directory, progress);
        return simulate<D>(scene, directory, progress);
    } catch (const SolveError& e) {
        throw SolveError(
            fmt::format("{}; frames 1 to {} in {} are whole", e.what(), directory.done(), path));
    } catch (const std::bad_alloc&) {
        throw ResourceError(
            fmt::format("out of memory after frame {}; with more memory free, --resume goes on "
                        "(a lower --resolution needs less)",
                        directory.done()));
    }
}

}  // namespace

int run(const RunOptions& options) {
    const Scene scene =
        load_with_flags(options.scene, options.set, options.frames, options.resolution);
    const std::string path = options.output.empty() ? "out/" + scene.name : options.output;
    set_threads(options.threads);
    catch_interrupts();

    const double started = wall_seconds();
    const Outcome outcome =
        scene.dim == 2 ? run_scene<2>(scene, options, path) : run_scene<3>(scene, options, path);
    if (outcome == Outcome::Interrupted) {
        std::fprintf(stderr, "slosh: interrupted; the same command with --resume goes on\n");
        return 130;
    }
    const double seconds = wall_seconds() - started;
    std::string pace;  // of a resumed run only the last part was timed
    if (!options.resume) pace = fmt::format(", {:.3g} frames a second", scene.frames / seconds);
    if (!options.quiet)
        std::printf("%d frames in %s (%s%s)\n", scene.frames, path.c_str(),
                    format_seconds(seconds).c_str(), pace.c_str());
    if (options.no_video) return 0;
    if (!scene.output.surface && !scene.gas) {
        if (!options.quiet) std::printf("no video: the scene's output.surface is off\n");
        return 0;
    }
    RenderOptions preview;
    preview.directory = path;
    preview.draft = true;
    preview.threads = options.threads;
    preview.quiet = options.quiet;
    return render(preview);
}

}  // namespace slosh::cli
