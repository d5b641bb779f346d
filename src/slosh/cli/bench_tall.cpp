// `slosh bench tall`: what a step of tall-cell water costs, by the stages of the paper's Table 1.
//
// Others use the machine too, and most bad minutes last longer than a run. So every scene is run
// several times, in turns with the others; the least cost is that of the code, and how far the runs
// lie apart is said beside it.
#include "slosh/cli/bench_tall.h"

#include <algorithm>
#include <cstdio>

#include "slosh/base/memory.h"
#include "slosh/base/parallel.h"
#include "slosh/scene/load.h"
#include "slosh/scene/tall.h"
#include "slosh/tall/simulation.h"

namespace slosh::cli {

namespace {

constexpr double kStep = 1.0 / 30;
constexpr int kFrames = 120, kRepeats = 3;

/// One run.
struct Run {
    StageTimes stages;
    double wall = 0, cpu = 0;  ///< s
    std::size_t unknowns = 0;
    double volume = 0;  ///< m^3
};

Run run_scene(const tall::Setup& setup, int frames) {
    tall::Simulation simulation(setup);
    const int warm = frames / 4;  // the scene gets going
    for (int f = 0; f < warm; ++f) (void)simulation.step(kStep);
    Run run;
    const double wall = wall_seconds(), cpu = cpu_seconds();
    for (int f = 0; f < frames; ++f) run.stages.add(simulation.step(kStep).times);
    run.wall = wall_seconds() - wall;
    run.cpu = cpu_seconds() - cpu;
    run.unknowns = tall::residual_norm(simulation.water().pressure().finest()).unknowns;
    run.volume = simulation.water().volume();
    return run;
}

/// A scene on a number of threads, and its runs so far.
struct Case {
    std::string scene;
    tall::Setup setup;
    int threads = 0;
    std::vector<Run> runs;
};

Json row_of(const Case& all, int frames) {
    const auto [quick, slow] =
        std::minmax_element(all.runs.begin(), all.runs.end(),
                            [](const Run& a, const Run& b) { return a.wall < b.wall; });
    const auto [least, most] = std::minmax_element(
        all.runs.begin(), all.runs.end(), [](const Run& a, const Run& b) { return a.cpu < b.cpu; });
    Json row = Json::object();
    row.set("suite", "tall");
    row.set("scene", all.scene);
    row.set("dim", 3);
    row.set("n", all.setup.nx);
    row.set("solver", "multigrid");
    row.set("threads", all.threads);
    row.set("unknowns", static_cast<double>(least->unknowns));
    row.set("frames", frames);
    row.set("repeats", static_cast<double>(all.runs.size()));
    row.set("seconds", quick->wall);
    row.set("cpu_seconds", least->cpu);
    row.set("real_time_factor", frames * kStep / quick->wall);
    row.set("worst_real_time_factor", frames * kStep / slow->wall);
    row.set("cpu_ms_per_step", 1e3 * least->cpu / frames);
    row.set("most_cpu_ms_per_step", 1e3 * most->cpu / frames);
    Json by_stage = Json::object(), cpu_by_stage = Json::object();
    for (const StageTime& s : least->stages.stages()) {
        by_stage.set(s.name, 1e3 * s.wall / frames);
        cpu_by_stage.set(s.name, 1e3 * s.cpu / frames);
    }
    row.set("ms_by_stage", by_stage);
    row.set("cpu_ms_by_stage", cpu_by_stage);
    row.set("volume", least->volume);
    row.set("bytes", static_cast<double>(peak_bytes()));
    return row;
}

/// The cases in turns, then a row for each.
void measure(std::vector<Case> cases, int frames, int repeats, BenchReport& report) {
    for (int k = 0; k < repeats; ++k)
        for (Case& c : cases) {
            set_threads(c.threads);
            c.runs.push_back(run_scene(c.setup, frames));
            std::printf("    %-12s run %d of %d: %.2f times real time, %.1f ms CPU a step\n",
                        c.scene.c_str(), k + 1, repeats, frames * kStep / c.runs.back().wall,
                        1e3 * c.runs.back().cpu / frames);
            std::fflush(stdout);
        }
    for (const Case& c : cases) {
        const Json row = row_of(c, frames);
        report.add(row);
        for (const Json::Member& m : row.find("ms_by_stage")->members)
            std::printf("    %-10s %9.2f ms wall %9.2f ms CPU a step\n", m.key.c_str(),
                        m.value.number, row.find("cpu_ms_by_stage")->find(m.key)->number);
    }
}

/// A part of the suite with tables of its own; false: `scene` is a scene.
bool run_part(const std::string& scene, const BenchOptions& options, BenchReport& report) {
    if (scene == "residual")
        bench_tall_residual(report);
    else if (scene == "rest")
        bench_tall_rest(report);
    else if (scene == "options")
        bench_tall_options(options.frames.value_or(20), report);
    else if (scene == "depth")
        bench_tall_depth(options.frames.value_or(40), report);
    else
        return false;
    return true;
}

}  // namespace

void bench_tall(const BenchOptions& options, BenchReport& report) {
    std::vector<Case> cases;
    for (const std::string& scene :
         or_default(options.scenes, {"manip", "tank", "flood", "lighthouse"}))
        for (int count : or_default(options.threads, {2})) {
            set_threads(count);
            if (!run_part(scene, options, report))
                cases.push_back(
                    {scene, make_tall_setup(load_scene(scene, options.set)), count, {}});
        }
    measure(std::move(cases), options.frames.value_or(kFrames), options.repeats.value_or(kRepeats),
            report);
    set_threads(0);
}

}  // namespace slosh::cli
