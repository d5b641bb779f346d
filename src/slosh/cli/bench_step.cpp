// `slosh bench step`: what a substep costs, stage by stage, without files. By default that of a dam
// break: unit cube, column 0.4 x 0.8 x 1, 24 frames a second, 8 particles a cell. With --scene that
// of scenes, frame by frame as `slosh run` goes.
#include "slosh/base/error.h"
#include "slosh/base/memory.h"
#include "slosh/base/pages.h"
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

/// What a stage mostly goes over: what its cost is counted by.
enum Unit { kParticle, kLiquidCell, kTouchedCell };
constexpr const char* kUnitNames[] = {"particle", "liquid cell", "cell touched"};
Unit unit_of(const std::string& stage) {
    if (stage == "particles to grid" || stage == "grid to particles, move" || stage == "spacing" ||
        stage == "sort" || stage == "sources")
        return kParticle;
    if (stage == "pressure" || stage == "viscosity" || stage == "density correction")
        return kLiquidCell;
    return kTouchedCell;  // all cells of the blocks that the step touches
}

/// What substeps cost together.
struct Sum {
    StageTimes stages;
    int substeps = 0;
    double iterations = 0, number[3] = {};  // of each unit
    double begin = cpu_seconds();

    template <int D>
    void add(const StepReport& s) {
        stages.add(s.times);
        ++substeps;
        iterations += s.pressure.iterations;
        number[kParticle] += static_cast<double>(s.particles);
        number[kLiquidCell] += static_cast<double>(s.liquid_cells);
        number[kTouchedCell] += static_cast<double>(s.blocks) * kBlockCells<D>;
    }
    double cpu(Unit unit) const {
        double sum = 0;
        for (const StageTime& s : stages.stages())
            if (unit_of(s.name) == unit) sum += s.cpu;
        return sum;
    }
};

/// `frames` frames of a simulation, of `fps` a second; with `whole`, no step goes over their ends.
/// The first substep gets its memory from the system and meets all walls anew, which a run pays
/// once: it counts for frames and for substeps as a whole and is told apart; stages, and costs by
/// particle and cell, are those of all others.
template <int D>
Json measure(LiquidSimulation<D>& simulation, const std::string& scene, int n, int frames,
             double fps, bool whole) {
    Sum all, later;
    std::string solver;
    double first_cpu = 0;
    const double wall = wall_seconds();
    const auto look = [&](const StepReport& s) {
        all.add<D>(s);
        solver = s.solver;
        if (all.substeps > 1) return later.add<D>(s);
        first_cpu = cpu_seconds() - all.begin;
        later = {};
    };
    for (int f = whole ? 1 : frames; f <= frames; ++f) run_to<D>(simulation, f / fps, look);
    const double seconds = wall_seconds() - wall, cpu_total = cpu_seconds() - all.begin;
    const double later_cpu = cpu_seconds() - later.begin;
    if (later.substeps == 0)
        throw InputError("the first substep tells nothing of the others: give more --frames");

    Json row = Json::object();
    row.set("suite", "step");
    row.set("scene", scene);
    row.set("dim", D);
    row.set("n", n);
    row.set("solver", solver);
    row.set("threads", threads());
    row.set("particles", static_cast<double>(simulation.state().particles.size()));
    row.set("frames", frames);
    row.set("substeps", all.substeps);
    row.set("iterations", all.iterations / all.substeps);
    row.set("seconds", seconds);
    row.set("frames_per_second", frames / seconds);
    row.set("cpu_seconds", cpu_total);
    row.set("cpu_seconds_per_frame", cpu_total / frames);
    row.set("cpu_seconds_per_substep", cpu_total / all.substeps);
    row.set("cpu_seconds_first_substep", first_cpu);
    row.set("cpu_ns_per_particle", later_cpu / later.number[kParticle] * 1e9);
    row.set("cpu_ns_per_cell", later_cpu / later.number[kLiquidCell] * 1e9);
    row.set("liquid_share", later.number[kLiquidCell] / later.number[kTouchedCell]);
    // Each kind of stage by what it goes over: what should not grow with the size. Then all but
    // those of particles by cells touched, which does where more of the cells hold liquid.
    const auto cost = [&](Unit unit) { return later.cpu(unit) / later.number[unit] * 1e9; };
    row.set("particle_stages_ns", cost(kParticle));
    row.set("liquid_stages_ns", cost(kLiquidCell));
    row.set("touched_stages_ns", cost(kTouchedCell));
    row.set("cell_stages_ns",
            (later.cpu(kLiquidCell) + later.cpu(kTouchedCell)) / later.number[kTouchedCell] * 1e9);
    row.set("bytes", static_cast<double>(peak_bytes()));
    row.set("arithmetic_per_second", arithmetic_rate());
    Json wall_stages = Json::object(), cpu_stages = Json::object(), ns_stages = Json::object();
    for (const StageTime& s : later.stages.stages()) {
        wall_stages.set(s.name, s.wall / later.substeps);
        cpu_stages.set(s.name, s.cpu / later.substeps);
        ns_stages.set(s.name, s.cpu / later.number[unit_of(s.name)] * 1e9);
    }
    row.set("wall_seconds_by_stage", wall_stages);
    row.set("cpu_seconds_by_stage", cpu_stages);
    row.set("cpu_ns_by_stage", ns_stages);
    return row;
}

Json measure_dam_break(int n, int frames) {
    release_pooled_pages();  // of another size: each starts as a run of its own
    LiquidSetup<3> setup = closed_box<3>(Index<3>::filled(n), 1.0 / n);
    setup.liquid.push_back({box<3>({-1, -1, -1}, {0.4, 0.8, 2}), {}, {}, {}});
    LiquidSimulation<3> simulation(setup);
    return measure(simulation, "dam break", n, frames, kFps, false);
}

template <int D>
Json measure_scene(const Scene& scene, int frames) {
    release_pooled_pages();
    LiquidSimulation<D> simulation(make_setup<D>(scene));
    return measure(simulation, scene.name, scene.resolution, frames, scene.fps, true);
}

void show(const Json& row, BenchReport& report) {
    report.add(row);
    std::printf("    %-26s %9.2f ms CPU\n", "first substep, all stages",
                1e3 * row.find("cpu_seconds_first_substep")->number);
    for (const Json::Member& m : row.find("cpu_seconds_by_stage")->members)
        std::printf("    %-26s %9.2f ms CPU %9.2f ms wall a later substep, %6.1f ns CPU a %s\n",
                    m.key.c_str(), 1e3 * m.value.number,
                    1e3 * row.find("wall_seconds_by_stage")->find(m.key)->number,
                    row.find("cpu_ns_by_stage")->find(m.key)->number, kUnitNames[unit_of(m.key)]);
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
