// `slosh bench pressure --bodies 0,1,20`: what bodies cost the pressure solve. Balls of one size in
// a tank of swirling liquid, at several densities, and as solids that do not move: they tell what comes
// from coupling (x_fixed: iterations over those of fixed balls), and what from the walls that balls bring. Zero
// balls is the tank alone; where it is asked for first, the others are told as multiples of it. With --frames N the
// systems of N steps count, all together.
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
    if (solver == "linear") return solve_multigrid(lcp.system, {.tolerance = kTolerance}, q);
    Field<std::uint8_t, 3> active(lcp.system.blocks);
    return solve_auto(lcp, {.tolerance = kTolerance}, q, active);
}

/// The systems of the first steps of a run, which starts with the tank swirling.
std::vector<BlockLcp<3>> capture(int n, int count, double density, int steps) {
    LiquidSimulation<3> simulation(tank(n, count, density));
    std::vector<BlockLcp<3>> list;
    for (int i = 0;; ++i) {
        list.push_back(simulation.pressure_problem(kStep));
        if (i + 1 == steps) return list;
        const double end = simulation.state().time + kStep;
        while (simulation.state().time < end - 1e-9)
            (void)simulation.step(end - simulation.state().time);
    }
}

/// The sum of solves of some systems.
struct Cost {
    std::vector<SolveReport> best;  // of each system

    void take(std::size_t i, const SolveReport& next) {
        if (i == best.size()) best.push_back(next);
        const double cpu = std::min(best[i].cpu_seconds, next.cpu_seconds);
        if (next.seconds < best[i].seconds) best[i] = next;
        best[i].cpu_seconds = cpu;
    }
    SolveReport sum() const {
        SolveReport all = best.front();
        for (std::size_t i = 1; i < best.size(); ++i) {
            all.iterations += best[i].iterations;
            all.seconds += best[i].seconds;
            all.setup_seconds += best[i].setup_seconds;
            all.cpu_seconds += best[i].cpu_seconds;
            all.residual = std::max(all.residual, best[i].residual);
            all.relative_residual = std::max(all.relative_residual, best[i].relative_residual);
            all.converged &= best[i].converged;
        }
        return all;
    }
};

}  // namespace

void bench_bodies(const BenchOptions& options, BenchReport& report) {
    const int steps = options.frames.value_or(1);
    for (const int n : or_default(options.sizes, {64})) {
        std::vector<BlockLcp<3>> alone;  // without balls
        for (const int count : options.bodies) {
            std::map<std::pair<std::string, int>, int> fixed;  // iterations, by solver and threads
            for (const double density : {HUGE_VAL, 0.01, 0.1, 1.0, 10.0}) {
                if (count == 0 && density != 1) continue;
                const std::vector<BlockLcp<3>> systems = capture(n, count, density, steps);
                if (count == 0) alone = systems;
                for (const std::string& solver : or_default(options.solvers, {"linear", "auto"}))
                    for (const int threads : or_default(options.threads, {2})) {
                        set_threads(threads);
                        // In turns, so that both meet the machine in the same state.
                        Cost with, without;
                        for (int repeat = 0; repeat < kRepeats; ++repeat)
                            for (std::size_t i = 0; i < systems.size(); ++i) {
                                with.take(i, solve_once(systems[i], solver));
                                if (!alone.empty()) without.take(i, solve_once(alone[i], solver));
                            }
                        const SolveReport sum = with.sum();
                        Json row = pressure_row(fmt::format("balls density={:g}", density), 3, n,
                                                solver, threads, sum);
                        row.set("bodies", count);
                        if (std::isinf(density)) fixed[{solver, threads}] = sum.iterations;
                        if (const auto f = fixed.find({solver, threads}); f != fixed.end())
                            row.set("x_fixed", sum.iterations / static_cast<double>(f->second));
                        if (!alone.empty()) {
                            const SolveReport a = without.sum();
                            row.set("x_iterations", sum.iterations / static_cast<double>(a.iterations));
                            row.set("x_seconds", sum.seconds / a.seconds);
                            row.set("x_cpu", sum.cpu_seconds / a.cpu_seconds);
                        }
                        report.add(row);
                    }
                set_threads(0);
            }
        }
    }
}

}  // namespace slosh::cli
