// `slosh bench step`: what a substep costs, stage by stage, without files. By default that of a dam
// break: unit cube, column 0.4 x 0.8 x 1, 24 frames a second, 8 particles a cell. With --scene that
// of scenes, frame by frame as `slosh run` goes.
//
// Others use the machine too: with --repeats all cases are run several times, in turns, and the
// least time of each stage counts.
#include <algorithm>
#include <optional>

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
    double hierarchy = 0;                   // s, wall: set-up inside the pressure solve

    template <int D>
    void add(const StepReport& s) {
        stages.add(s.times);
        ++substeps;
        iterations += s.pressure.iterations;
        hierarchy += s.pressure.setup_seconds;
        number[kParticle] += static_cast<double>(s.particles);
        number[kLiquidCell] += static_cast<double>(s.liquid_cells);
        number[kTouchedCell] += static_cast<double>(s.blocks) * kBlockCells<D>;
    }
    /// What has to be there before the pressure's cycles start, over the time of the whole solve.
    double setup_share() const {
        double before = hierarchy, solve = 0;
        for (const StageTime& s : stages.stages()) {
            if (s.name == "topology" || s.name == "assembly") before += s.wall;
            if (s.name == "pressure") solve += s.wall;
        }
        return before / solve;
    }
    double cpu(Unit unit) const {
        double sum = 0;
        for (const StageTime& s : stages.stages())
            if (unit_of(s.name) == unit) sum += s.cpu;
        return sum;
    }
    /// Of the stages that go over this unit, by it. ns.
    double cost(Unit unit) const { return 1e9 * cpu(unit) / number[unit]; }
};

/// One run. The first substep gets its memory from the system and meets all walls anew, which a run
/// pays once: it counts for frames and for substeps as a whole and is told apart; stages, and costs
/// by particle and cell, are those of all others.
struct Run {
    Sum all, later;
    std::string solver;
    double seconds = 0, cpu = 0, first_cpu = 0, later_cpu = 0, particles = 0;

    /// The less of all times of this and another run of the same.
    void keep_least(const Run& other) {
        StageTimes least;
        for (std::size_t i = 0; i < later.stages.stages().size(); ++i) {
            const StageTime &a = later.stages.stages()[i], &b = other.later.stages.stages()[i];
            least.add(a.name, std::min(a.wall, b.wall), std::min(a.cpu, b.cpu));
        }
        later.stages = std::move(least);
        later.hierarchy = std::min(later.hierarchy, other.later.hierarchy);
        seconds = std::min(seconds, other.seconds);
        cpu = std::min(cpu, other.cpu);
        first_cpu = std::min(first_cpu, other.first_cpu);
        later_cpu = std::min(later_cpu, other.later_cpu);
    }
};

/// `frames` frames of a simulation, of `fps` a second; with `whole`, no step goes over their ends.
template <int D>
Run measure(LiquidSimulation<D>& simulation, int frames, double fps, bool whole) {
    Run run;
    const double wall = wall_seconds(), cpu = cpu_seconds();
    double later_begin = 0;
    const auto look = [&](const StepReport& s) {
        run.all.add<D>(s);
        run.solver = s.solver;
        if (run.all.substeps > 1) return run.later.add<D>(s);
        later_begin = cpu_seconds();
    };
    for (int f = whole ? 1 : frames; f <= frames; ++f) run_to<D>(simulation, f / fps, look);
    run.seconds = wall_seconds() - wall;
    run.cpu = cpu_seconds() - cpu;
    run.first_cpu = later_begin - cpu;
    run.later_cpu = cpu_seconds() - later_begin;
    run.particles = static_cast<double>(simulation.state().particles.size());
    if (run.later.substeps == 0)
        throw InputError("the first substep tells nothing of the others: give more --frames");
    return run;
}

Run measure_dam_break(int n, int frames) {
    LiquidSetup<3> setup = closed_box<3>(Index<3>::filled(n), 1.0 / n);
    setup.liquid.push_back({box<3>({-1, -1, -1}, {0.4, 0.8, 2}), {}, {}, {}});
    LiquidSimulation<3> simulation(setup);
    return measure(simulation, frames, kFps, false);
}

template <int D>
Run measure_scene(const Scene& scene, int frames) {
    LiquidSimulation<D> simulation(make_setup<D>(scene));
    return measure(simulation, frames, scene.fps, true);
}

/// What is run, on how many threads, and its runs so far.
struct Case {
    std::optional<Scene> scene;  // none: the dam break
    int n = 0, frames = 0, threads = 0;
    std::optional<Run> least = {};

    void run() {
        release_pooled_pages();  // of another size: each starts as a run of its own
        set_threads(threads);
        const Run next = !scene            ? measure_dam_break(n, frames)
                         : scene->dim == 2 ? measure_scene<2>(*scene, frames)
                                           : measure_scene<3>(*scene, frames);
        if (least)
            least->keep_least(next);
        else
            least = next;
    }
};

Json row_of(const Case& c, int repeats) {
    const Run& run = *c.least;
    const Sum& later = run.later;
    Json row = Json::object();
    row.set("suite", "step");
    row.set("scene", c.scene ? c.scene->name : "dam break");
    row.set("dim", c.scene ? c.scene->dim : 3);
    row.set("n", c.n);
    row.set("solver", run.solver);
    row.set("threads", c.threads);
    row.set("particles", run.particles);
    row.set("frames", c.frames);
    row.set("repeats", repeats);
    row.set("substeps", run.all.substeps);
    row.set("iterations", run.all.iterations / run.all.substeps);
    row.set("seconds", run.seconds);
    row.set("frames_per_second", c.frames / run.seconds);
    row.set("cpu_seconds", run.cpu);
    row.set("cpu_seconds_per_frame", run.cpu / c.frames);
    row.set("cpu_seconds_per_substep", run.cpu / run.all.substeps);
    row.set("cpu_seconds_first_substep", run.first_cpu);
    row.set("cpu_ns_per_particle", run.later_cpu / later.number[kParticle] * 1e9);
    row.set("cpu_ns_per_cell", run.later_cpu / later.number[kLiquidCell] * 1e9);
    row.set("liquid_share", later.number[kLiquidCell] / later.number[kTouchedCell]);
    // Each kind of stage by what it goes over: what should not grow with the size. Then all but
    // those of particles by cells touched, which does where more of the cells hold liquid.
    row.set("particle_stages_ns", later.cost(kParticle));
    row.set("liquid_stages_ns", later.cost(kLiquidCell));
    row.set("touched_stages_ns", later.cost(kTouchedCell));
    row.set("cell_stages_ns",
            (later.cpu(kLiquidCell) + later.cpu(kTouchedCell)) / later.number[kTouchedCell] * 1e9);
    row.set("setup_share", later.setup_share());
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

void show(const Json& row, BenchReport& report) {
    report.add(row);
    std::printf("    %-26s %9.2f ms CPU\n", "first substep, all stages",
                1e3 * row.find("cpu_seconds_first_substep")->number);
    std::printf("    %-26s %9.2f of the pressure solve, wall\n", "topology, assembly, levels",
                row.find("setup_share")->number);
    for (const Json::Member& m : row.find("cpu_seconds_by_stage")->members)
        std::printf("    %-26s %9.2f ms CPU %9.2f ms wall a later substep, %6.1f ns CPU a %s\n",
                    m.key.c_str(), 1e3 * m.value.number,
                    1e3 * row.find("wall_seconds_by_stage")->find(m.key)->number,
                    row.find("cpu_ns_by_stage")->find(m.key)->number, kUnitNames[unit_of(m.key)]);
}

/// Whether cost grows with the size: each kind of stage by what it goes over, and the largest over
/// the least.
void show_growth(const std::vector<Case>& cases) {
    if (cases.size() < 2) return;
    for (const Unit unit : {kParticle, kLiquidCell, kTouchedCell}) {
        double least = 1e30, largest = 0;
        std::printf("    ns CPU a %-12s", kUnitNames[unit]);
        for (const Case& c : cases) {
            const double ns = c.least->later.cost(unit);
            least = std::min(least, ns);
            largest = std::max(largest, ns);
            std::printf(" %7.1f", ns);
        }
        std::printf("   largest over least %.2f\n", largest / least);
    }
}

}  // namespace

void bench_step(const BenchOptions& options, BenchReport& report) {
    const std::vector<int> counts = or_default(options.threads, {2});
    if (options.scenes.empty() && !options.set.empty())
        throw InputError("--set lays a key over a scene: give --scene, too");
    std::vector<Case> cases;
    for (const std::string& name : options.scenes) {
        std::vector<std::optional<int>> sizes(options.sizes.begin(), options.sizes.end());
        if (sizes.empty()) sizes.push_back({});  // the scene's own
        for (const std::optional<int>& n : sizes)
            for (int count : counts) {
                const Scene scene = load_with_flags(name, options.set, {}, n);
                cases.push_back(
                    {scene, scene.resolution, options.frames.value_or(scene.frames - 1), count});
            }
    }
    if (options.scenes.empty())
        for (int n : or_default(options.sizes, {64, 128}))
            for (int count : counts)
                cases.push_back({{}, n, options.frames.value_or(default_frames(n)), count});

    const int repeats = options.repeats.value_or(1);
    for (int k = 1; k <= repeats; ++k)
        for (Case& c : cases) {
            c.run();
            if (k == repeats) show(row_of(c, repeats), report);
        }
    show_growth(cases);
    set_threads(0);
}

}  // namespace slosh::cli
