// `slosh bench step`: what a substep costs, stage by stage, without files. By default that of a dam
// break: unit cube, column 0.4 x 0.8 x 1, 24 frames a second, 8 particles a cell. With --scene that
// of scenes, frame by frame as `slosh run` goes.
#include "slosh/base/error.h"
#include "slosh/base/memory.h"
#include "slosh/base/parallel.h"
#include "slosh/cli/bench.h"
#include "slosh/cli/load.h"
#include "slosh/cli/probe.h"
#include "slosh/cli/validate_liquid.h"
#include "slosh/shape/primitives.h"

namespace slosh::cli {

namespace {

constexpr double kFps = 24;

/// Few frames where a frame is dear: the cost of a substep is what is compared across sizes.
int default_frames(int n) {
    return n <= 64 ? 20 : n <= 128 ? 4 : 1;
}

/// Stages that go over particles; all others go over the cells of the blocks touched.
bool is_of_particles(const std::string& stage) {
    return stage == "particles to grid" || stage == "grid to particles, move" || stage == "sort" ||
           stage == "sources";
}

/// `frames` frames of a simulation, of `fps` a second; with `whole`, no step goes over their ends.
template <int D>
Json measure(LiquidSimulation<D>& simulation, const std::string& scene, int n, int frames,
             double fps, bool whole) {
    StageTimes stages;
    int substeps = 0;
    std::string solver;
    double iterations = 0, cells = 0, touched = 0;
    const double wall = wall_seconds(), cpu = cpu_seconds();
    const auto look = [&](const StepReport& s) {
        stages.add(s.times);
        ++substeps;
        solver = s.solver;
        iterations += s.pressure.iterations;
        cells += static_cast<double>(s.liquid_cells);
        touched += static_cast<double>(s.blocks) * kBlockCells<D>;
    };
    for (int f = whole ? 1 : frames; f <= frames; ++f) run_to<D>(simulation, f / fps, look);
    const double seconds = wall_seconds() - wall, cpu_total = cpu_seconds() - cpu;
    const double particles = static_cast<double>(simulation.state().particles.size());

    Json row = Json::object();
    row.set("suite", "step");
    row.set("scene", scene);
    row.set("dim", D);
    row.set("n", n);
    row.set("solver", solver);
    row.set("threads", threads());
    row.set("particles", particles);
    row.set("frames", frames);
    row.set("substeps", substeps);
    row.set("iterations", iterations / substeps);
    row.set("seconds", seconds);
    row.set("frames_per_second", frames / seconds);
    row.set("cpu_seconds", cpu_total);
    row.set("cpu_seconds_per_frame", cpu_total / frames);
    row.set("cpu_seconds_per_substep", cpu_total / substeps);
    row.set("cpu_ns_per_particle", cpu_total / substeps / particles * 1e9);
    row.set("cpu_ns_per_cell", cpu_total / cells * 1e9);
    double on_particles = 0, on_cells = 0;
    for (const StageTime& s : stages.stages())
        (is_of_particles(s.name) ? on_particles : on_cells) += s.cpu;
    // Each kind of stage by what it goes over: what should not depend on the size.
    row.set("particle_stages_ns", on_particles / substeps / particles * 1e9);
    row.set("cell_stages_ns", on_cells / touched * 1e9);
    row.set("bytes", static_cast<double>(peak_bytes()));
    row.set("arithmetic_per_second", arithmetic_rate());
    Json wall_stages = Json::object(), cpu_stages = Json::object();
    for (const StageTime& s : stages.stages()) {
        wall_stages.set(s.name, s.wall / substeps);
        cpu_stages.set(s.name, s.cpu / substeps);
    }
    row.set("wall_seconds_by_stage", wall_stages);
    row.set("cpu_seconds_by_stage", cpu_stages);
    return row;
}

Json measure_dam_break(int n, int frames) {
    LiquidSetup<3> setup = closed_box<3>(Index<3>::filled(n), 1.0 / n);
    setup.liquid.push_back({box<3>({-1, -1, -1}, {0.4, 0.8, 2}), {}, {}, {}});
    LiquidSimulation<3> simulation(setup);
    return measure(simulation, "dam break", n, frames, kFps, false);
}

template <int D>
Json measure_scene(const Scene& scene, int frames) {
    LiquidSimulation<D> simulation(make_setup<D>(scene));
    return measure(simulation, scene.name, scene.resolution, frames, scene.fps, true);
}

void show(const Json& row, BenchReport& report) {
    report.add(row);
    for (const Json::Member& m : row.find("cpu_seconds_by_stage")->members)
        std::printf("    %-26s %9.2f ms CPU %9.2f ms wall a substep\n", m.key.c_str(),
                    1e3 * m.value.number,
                    1e3 * row.find("wall_seconds_by_stage")->find(m.key)->number);
}

}  // namespace

void bench_step(const BenchOptions& options, BenchReport& report) {
    const std::vector<int> counts = or_default(options.threads, {2});
    if (options.scenes.empty() && !options.set.empty())
        throw InputError("--set lays a key over a scene: give --scene, too");
    for (const std::string& name : options.scenes) {
        std::vector<std::optional<int>> sizes(options.sizes.begin(), options.sizes.end());
        if (sizes.empty()) sizes.push_back({});  // the scene's own
        for (const std::optional<int>& n : sizes)
            for (int count : counts) {
                set_threads(count);
                const Scene scene = load_with_flags(name, options.set, {}, n);
                const int frames = options.frames.value_or(scene.frames - 1);
                show(scene.dim == 2 ? measure_scene<2>(scene, frames)
                                    : measure_scene<3>(scene, frames),
                     report);
            }
    }
    if (options.scenes.empty())
        for (int n : or_default(options.sizes, {64, 128}))
            for (int count : counts) {
                set_threads(count);
                show(measure_dam_break(n, options.frames.value_or(default_frames(n))), report);
            }
    set_threads(0);
}

}  // namespace slosh::cli
