// `slosh bench pressure --bodies 0,1,20`: what bodies cost the pressure solve. Balls of one size in
// a tank of swirling liquid, at several densities, and as solids that do not move: they tell what comes
// from coupling, and what from the walls that balls bring. Zero balls is the tank alone; where it is asked
// for first, the others are told as multiples of it.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "slosh/base/parallel.h"
#include "slosh/rigid/mass.h"
#include "slosh/cli/bench.h"
#include "slosh/lcp/auto.h"
#include "slosh/liquid/simulation.h"
#include "slosh/shape/primitives.h"

namespace slosh::cli {

namespace {

constexpr double kTolerance = 1e-6;  // relative residual, max norm
constexpr int kRepeats = 8;          // of which the fastest counts, in wall and in CPU time

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
    if (solver == "linear") return solve_multigrid(lcp.system, {.tolerance = kTolerance}, q);
    Field<std::uint8_t, 3> active(lcp.system.blocks);
    return solve_auto(lcp, {.tolerance = kTolerance}, q, active);
}

SolveReport best_of(const BlockLcp<3>& lcp, const std::string& solver) {
    SolveReport best = solve_once(lcp, solver);
    for (int repeat = 1; repeat < kRepeats; ++repeat) {
        const SolveReport next = solve_once(lcp, solver);
        const double cpu = std::min(best.cpu_seconds, next.cpu_seconds);
        if (next.seconds < best.seconds) best = next;
        best.cpu_seconds = cpu;
    }
    return best;
}

}  // namespace

void bench_bodies(const BenchOptions& options, BenchReport& report) {
    for (const int n : or_default(options.sizes, {64})) {
        std::map<std::pair<std::string, int>, SolveReport> alone;  // by solver and threads
        for (const int count : options.bodies)
            for (const double density : {0.01, 0.1, 1.0, 10.0, HUGE_VAL}) {
                if (count == 0 && density != 1) continue;
                const BlockLcp<3> lcp =
                    LiquidSimulation<3>(tank(n, count, density)).pressure_problem(0.01);
                for (const std::string& solver : or_default(options.solvers, {"linear", "auto"}))
                    for (const int threads : or_default(options.threads, {2})) {
                        set_threads(threads);
                        const SolveReport best = best_of(lcp, solver);
                        Json row = pressure_row(fmt::format("balls density={:g}", density), 3, n,
                                                solver, threads, best);
                        row.set("bodies", count);
                        if (count == 0) alone[{solver, threads}] = best;
                        if (const auto tank_alone = alone.find({solver, threads});
                            tank_alone != alone.end()) {
                            const SolveReport& a = tank_alone->second;
                            row.set("x_iterations", best.iterations / static_cast<double>(a.iterations));
                            row.set("x_seconds", best.seconds / a.seconds);
                            row.set("x_cpu", best.cpu_seconds / a.cpu_seconds);
                        }
                        report.add(row);
                    }
                set_threads(0);
            }
    }
}

}  // namespace slosh::cli
