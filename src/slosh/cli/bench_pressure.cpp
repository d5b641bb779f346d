// `slosh bench pressure`: every solver on the very same systems, captured from runs of the scenes,
// from a cold start. The seconds are the least of a few repeats, set-up included.
#include "slosh/base/error.h"
#include "slosh/base/parallel.h"
#include "slosh/cli/bench.h"
#include "slosh/liquid/simulation.h"
#include "slosh/scene/load.h"

namespace slosh::cli {

void bench_bodies(const BenchOptions& options, BenchReport& report);

namespace {

constexpr double kTolerance = 1e-6;  // relative residual, max norm

template <int D>
SolveReport solve_once(const BlockSystem<D>& system, const std::string& solver) {
    Field<double, D> x(system.blocks);
    if (solver == "linear") return solve_multigrid(system, {.tolerance = kTolerance}, x);
    if (solver == "linear-mic")
        return solve_mic(system, {.tolerance = kTolerance, .max_iterations = 5000}, x);
    throw InputError("unknown solver '" + solver + "'; known here: linear, linear-mic");
}

/// Repeats while it is cheap: timings on shared machines are noisy, the least is the steadiest.
template <int D>
SolveReport best_of(const BlockSystem<D>& system, const std::string& solver) {
    SolveReport best = solve_once(system, solver);
    double spent = best.seconds;
    for (int repeat = 1; repeat < 5 && spent < 3; ++repeat) {
        const SolveReport next = solve_once(system, solver);
        spent += next.seconds;
        const double cpu = std::min(best.cpu_seconds, next.cpu_seconds);
        if (next.seconds < best.seconds) best = next;
        best.cpu_seconds = cpu;
    }
    return best;
}

template <int D>
void bench_scene(const Scene& scene, const std::string& name, int n, const BenchOptions& options,
                 BenchReport& report) {
    LiquidSimulation<D> simulation(make_setup<D>(scene));
    const double end = options.frames.value_or(1) / scene.fps;
    double dt = 1 / scene.fps;
    while (simulation.state().time < end - 1e-9)
        dt = simulation.step(end - simulation.state().time).dt;
    const BlockSystem<D> system = simulation.pressure_problem(dt).system;

    for (const std::string& solver : or_default(options.solvers, {"linear", "linear-mic"}))
        for (int count : or_default(options.threads, {2})) {
            set_threads(count);
            const SolveReport s = best_of(system, solver);
            report.add(pressure_row(name, D, n, solver, count, s));
        }
    set_threads(0);
}

}  // namespace

void add_solve(const SolveReport& s, Json& row) {
    row.set("unknowns", static_cast<double>(s.unknowns));
    row.set("iterations", s.iterations);
    row.set("seconds", s.seconds);
    row.set("setup_seconds", s.setup_seconds);
    row.set("cpu_seconds", s.cpu_seconds);
    row.set("residual", s.relative_residual);
    row.set("converged", s.converged);
    row.set("bytes", static_cast<double>(s.bytes));
}

Json pressure_row(const std::string& scene, int dim, int n, const std::string& solver, int threads,
                  const SolveReport& s) {
    Json row = Json::object();
    row.set("suite", "pressure");
    row.set("scene", scene);
    row.set("dim", dim);
    row.set("n", n);
    row.set("solver", solver);
    row.set("threads", threads);
    add_solve(s, row);
    return row;
}

void bench_pressure(const BenchOptions& options, BenchReport& report) {
    if (!options.bodies.empty()) return bench_bodies(options, report);
    const std::vector<std::string> scenes = or_default(
        options.scenes, {"sphere", "sphere_stream:low", "sphere_stream:mid", "sphere_stream:high"});
    for (const std::string& name : scenes)
        for (int n : or_default(options.sizes, {32, 64, 128})) {
            std::vector<std::string> overrides = {"resolution=" + std::to_string(n),
                                                  "separation=off"};
            overrides.insert(overrides.end(), options.set.begin(), options.set.end());
            const Scene scene = load_scene(name, overrides);
            if (scene.dim == 2)
                bench_scene<2>(scene, name, n, options, report);
            else
                bench_scene<3>(scene, name, n, options, report);
        }
}

}  // namespace slosh::cli
