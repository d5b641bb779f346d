// `slosh bench tall`: what a step of tall-cell water costs, by the stages of the paper's Table 1.
#include "slosh/cli/bench_tall.h"

#include "slosh/base/memory.h"
#include "slosh/base/parallel.h"
#include "slosh/scene/load.h"
#include "slosh/scene/tall.h"
#include "slosh/tall/simulation.h"

namespace slosh::cli {

namespace {

constexpr double kStep = 1.0 / 30;

Json measure(const std::string& scene, tall::Setup setup, int frames) {
    tall::Simulation simulation(std::move(setup));
    const int warm = frames / 4;  // the scene gets going
    for (int f = 0; f < warm; ++f) (void)simulation.step(kStep);
    StageTimes stages;
    const double wall = wall_seconds(), cpu = cpu_seconds();
    for (int f = 0; f < frames; ++f) stages.add(simulation.step(kStep).times);
    const double seconds = wall_seconds() - wall, cpu_total = cpu_seconds() - cpu;

    const tall::Level& level = simulation.water().pressure().finest();
    Json row = Json::object();
    row.set("suite", "tall");
    row.set("scene", scene);
    row.set("dim", 3);
    row.set("n", level.grid.nx());
    row.set("solver", "multigrid");
    row.set("threads", threads());
    row.set("unknowns", static_cast<double>(tall::residual_norm(level).unknowns));
    row.set("frames", frames);
    row.set("seconds", seconds);
    row.set("cpu_seconds", cpu_total);
    row.set("real_time_factor", frames * kStep / seconds);
    row.set("cpu_ms_per_step", 1e3 * cpu_total / frames);
    Json by_stage = Json::object(), cpu_by_stage = Json::object();
    for (const StageTime& s : stages.stages()) {
        by_stage.set(s.name, 1e3 * s.wall / frames);
        cpu_by_stage.set(s.name, 1e3 * s.cpu / frames);
    }
    row.set("ms_by_stage", by_stage);
    row.set("cpu_ms_by_stage", cpu_by_stage);
    row.set("volume", simulation.water().volume());
    row.set("bytes", static_cast<double>(peak_bytes()));
    return row;
}

}  // namespace

void bench_tall(const BenchOptions& options, BenchReport& report) {
    const std::vector<std::string> all = {"manip", "tank", "flood", "lighthouse"};
    for (const std::string& scene : options.scenes.empty() ? all : options.scenes)
        for (int count : or_default(options.threads, {2})) {
            set_threads(count);
            if (scene == "residual") {
                bench_tall_residual(report);
                continue;
            }
            if (scene == "rest") {
                bench_tall_rest(report);
                continue;
            }
            if (scene == "options") {
                bench_tall_options(options.frames.value_or(20), report);
                continue;
            }
            if (scene == "depth") {
                bench_tall_depth(options.frames.value_or(40), report);
                continue;
            }
            const Json row = measure(scene, make_tall_setup(load_scene(scene, options.set)),
                                     options.frames.value_or(120));
            report.add(row);
            for (const Json::Member& m : row.find("ms_by_stage")->members)
                std::printf("    %-6s %9.2f ms wall %9.2f ms CPU a step\n", m.key.c_str(),
                            m.value.number, row.find("cpu_ms_by_stage")->find(m.key)->number);
        }
    set_threads(0);
}

}  // namespace slosh::cli
