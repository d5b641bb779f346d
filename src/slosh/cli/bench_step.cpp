// `slosh bench step`: what a substep of a dam break costs, stage by stage. Unit cube, column
// 0.4 x 0.8 x 1, 24 frames a second, 8 particles a cell, no files.
#include "slosh/base/memory.h"
#include "slosh/base/parallel.h"
#include "slosh/cli/bench.h"
#include "slosh/cli/validate_liquid.h"
#include "slosh/shape/primitives.h"

namespace slosh::cli {

namespace {

constexpr double kFps = 24;

/// Few frames where a frame is dear: the cost of a substep is what is compared across sizes.
int default_frames(int n) { return n <= 64 ? 20 : n <= 128 ? 4 : 1; }

Json measure_dam_break(int n, int frames) {
    LiquidSetup<3> setup = closed_box<3>(Index<3>::filled(n), 1.0 / n);
    setup.liquid.push_back({box<3>({-1, -1, -1}, {0.4, 0.8, 2}), {}, {}, {}});
    LiquidSimulation<3> simulation(setup);

    StageTimes stages;
    int substeps = 0;
    std::string solver;
    double iterations = 0, cells = 0;
    const double wall = wall_seconds(), cpu = cpu_seconds();
    run_to<3>(simulation, frames / kFps, [&](const StepReport& s) {
        stages.add(s.times);
        ++substeps;
        solver = s.solver;
        iterations += s.pressure.iterations;
        cells += static_cast<double>(s.liquid_cells);
    });
    const double seconds = wall_seconds() - wall, cpu_total = cpu_seconds() - cpu;
    const double particles = static_cast<double>(simulation.state().particles.size());

    Json row = Json::object();
    row.set("suite", "step");
    row.set("scene", "dam break");
    row.set("dim", 3);
    row.set("n", n);
    row.set("solver", solver);
    row.set("threads", threads());
    row.set("particles", particles);
    row.set("frames", frames);
    row.set("substeps", substeps);
    row.set("iterations", iterations / substeps);
    row.set("seconds", seconds);
    row.set("cpu_seconds", cpu_total);
    row.set("cpu_seconds_per_frame", cpu_total / frames);
    row.set("cpu_seconds_per_substep", cpu_total / substeps);
    row.set("cpu_ns_per_particle", cpu_total / substeps / particles * 1e9);
    row.set("cpu_ns_per_cell", cpu_total / cells * 1e9);
    row.set("bytes", static_cast<double>(peak_bytes()));
    Json wall_stages = Json::object(), cpu_stages = Json::object();
    for (const StageTime& s : stages.stages()) {
        wall_stages.set(s.name, s.wall / substeps);
        cpu_stages.set(s.name, s.cpu / substeps);
    }
    row.set("wall_seconds_by_stage", wall_stages);
    row.set("cpu_seconds_by_stage", cpu_stages);
    return row;
}

}  // namespace

void bench_step(const BenchOptions& options, BenchReport& report) {
    for (int n : or_default(options.sizes, {64, 128}))
        for (int count : or_default(options.threads, {2})) {
            set_threads(count);
            const Json row = measure_dam_break(n, options.frames.value_or(default_frames(n)));
            report.add(row);
            for (const Json::Member& m : row.find("cpu_seconds_by_stage")->members)
                std::printf("    %-26s %9.2f ms CPU %9.2f ms wall a substep\n", m.key.c_str(),
                            1e3 * m.value.number,
                            1e3 * row.find("wall_seconds_by_stage")->find(m.key)->number);
        }
    set_threads(0);
}

}  // namespace slosh::cli
