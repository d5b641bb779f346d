// `slosh bench pressure --bodies 0,1,20`: what bodies cost the pressure solve. Balls of one size in
// a tank of swirling liquid, at several densities, and as solids that do not move: they tell what
// comes from coupling (x_fixed: iterations over those of fixed balls), and what from the walls that
// balls bring. Zero balls is the tank alone; where it is asked for first, the others are told as
// multiples of it. Solves start from nothing; with --frames N they are those of a run of N
// hundredths of a second, each starting from the one before.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>

#include "slosh/base/parallel.h"
#include "slosh/cli/bench.h"
#include "slosh/cli/probe.h"
#include "slosh/lcp/auto.h"
#include "slosh/liquid/simulation.h"
#include "slosh/rigid/mass.h"
#include "slosh/shape/primitives.h"

namespace slosh::cli {

namespace {

constexpr double kTolerance = 1e-6;  // relative residual, max norm
constexpr int kRepeats = 8;          // of which the fastest counts, in wall and in CPU time
constexpr double kStep = 0.01;       // s

/// The centres of up to 27 balls, apart from each other and from the walls.
Point<3> place(int i) {
    const int x = i % 3, y = i / 9 % 3, z = i / 3 % 3;
    return {0.2 + 0.3 * x + 0.013 * y, 0.17 + 0.27 * y + 0.011 * z, 0.2 + 0.3 * z + 0.012 * x};
}

LiquidSetup<3> tank(int n, int count, double density) {
    LiquidSetup<3> setup;
    setup.grid = {.origin = {}, .dx = 1.0 / n, .cells = Index<3>::filled(n)};
    setup.gravity[1] = Curve(-9.81);
    setup.liquid.push_back({.shape = box<3>({-1, -1, -1}, {2, 0.93, 2}),
                            .velocity = {0.3, 0, 0.1},
                            .spin = {0.5, 2, 0.3},
                            .centre = {0.5, 0.4, 0.5}});
    for (int i = 0; i < count; ++i) {
        const auto ball = sphere<3>(place(i), 0.1);
        if (std::isinf(density))
            setup.solids.push_back({"ball", ball, {}});
        else
            setup.bodies.push_back(body_of<3>(ball, density * setup.density));
    }
    return setup;
}

SolveReport solve_once(const BlockLcp<3>& lcp, const std::string& solver) {
    Field<double, 3> q(lcp.system.blocks);
    wake_threads();
    if (solver == "linear") return solve_multigrid(lcp.system, {.tolerance = kTolerance}, q);
    Field<std::uint8_t, 3> active(lcp.system.blocks);
    return solve_auto(lcp, {.tolerance = kTolerance}, q, active);
}

/// What solves cost.
struct Cost {
    SolveReport report;  // of the last, or of the fastest
    double iterations = 0, seconds = HUGE_VAL, cpu = HUGE_VAL;

    /// One more solve of the same system: its least cost.
    void again(const SolveReport& next) {
        if (next.seconds < seconds) report = next;
        iterations = next.iterations;
        seconds = std::min(seconds, next.seconds);
        cpu = std::min(cpu, next.cpu_seconds);
    }
};

/// The mean of the solves of a run.
Cost run(const LiquidSetup<3>& setup, const std::string& solver, int frames) {
    LiquidSetup<3> own = setup;
    own.step.solver = solver;
    own.step.tolerance = kTolerance;
    LiquidSimulation<3> simulation(own);
    Cost sum{{}, 0, 0, 0};
    int steps = 0;
    for (const double end = frames * kStep; simulation.state().time < end - 1e-9; ++steps) {
        sum.report = simulation.step(end - simulation.state().time).pressure;
        sum.iterations += sum.report.iterations;
        sum.seconds += sum.report.seconds;
        sum.cpu += sum.report.cpu_seconds;
    }
    sum.report.seconds = sum.seconds / steps;
    sum.report.cpu_seconds = sum.cpu / steps;
    return {sum.report, sum.iterations / steps, sum.seconds / steps, sum.cpu / steps};
}

}  // namespace

void bench_bodies(const BenchOptions& options, BenchReport& report) {
    using Key = std::pair<std::string, int>;  // solver, threads
    for (const int n : or_default(options.sizes, {64})) {
        std::optional<BlockLcp<3>> alone;  // without balls
        std::map<Key, Cost> run_alone;
        for (const int count : options.bodies) {
            std::map<Key, double> fixed;  // iterations
            for (const double density : {HUGE_VAL, 0.01, 0.1, 1.0, 10.0}) {
                if (count == 0 && density != 1) continue;
                const LiquidSetup<3> setup = tank(n, count, density);
                const BlockLcp<3> system = LiquidSimulation<3>(setup).pressure_problem(kStep);
                if (count == 0) alone = system;
                for (const std::string& solver : or_default(options.solvers, {"linear", "auto"}))
                    for (const int threads : or_default(options.threads, {2})) {
                        set_threads(threads);
                        const Key key{solver, threads};
                        Cost with, without;
                        if (options.frames) {
                            with = run(setup, solver, *options.frames);
                            if (count == 0) run_alone[key] = with;
                            if (alone) without = run_alone[key];
                        } else {
                            // In turns, so that both meet the machine in the same state.
                            for (int repeat = 0; repeat < kRepeats; ++repeat) {
                                with.again(solve_once(system, solver));
                                if (alone) without.again(solve_once(*alone, solver));
                            }
                        }
                        Json row = pressure_row(fmt::format("balls density={:g}", density), 3, n,
                                                solver, threads, with.report);
                        row.set("iterations", with.iterations);
                        row.set("bodies", count);
                        if (std::isinf(density)) fixed[key] = with.iterations;
                        if (const auto f = fixed.find(key); f != fixed.end())
                            row.set("x_fixed", with.iterations / f->second);
                        if (alone) {
                            row.set("x_iterations", with.iterations / without.iterations);
                            row.set("x_seconds", with.seconds / without.seconds);
                            row.set("x_cpu", with.cpu / without.cpu);
                        }
                        report.add(row);
                    }
                set_threads(0);
            }
        }
    }
}

}  // namespace slosh::cli
