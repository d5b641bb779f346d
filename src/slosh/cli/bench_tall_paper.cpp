// `slosh bench tall --scene residual` and `--scene depth`: what the tall-cell paper says of its
// solver (Fig. 7) and of depth (Fig. 3).
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <fstream>

#include "slosh/base/error.h"
#include "slosh/base/parallel.h"
#include "slosh/cli/bench.h"
#include "slosh/cli/bench_tall.h"
#include "slosh/cli/svg_chart.h"
#include "slosh/cli/validate_liquid.h"
#include "slosh/scene/load.h"
#include "slosh/scene/tall.h"
#include "slosh/tall/simulation.h"

namespace slosh::cli {

namespace {

constexpr double kStep = 1.0 / 30;
constexpr int kCycles = 12;
constexpr double kTankDepth = 12.03;  ///< Of the scene `tank`. m

/// L2 residual over its start: at the start, after the full cycle, after each V-cycle; of the
/// system of `water`, by the method as it is or as the paper prints it.
std::vector<double> residuals(const tall::Water& water, bool as_printed) {
    tall::Hierarchy pressure = system_of(water, as_printed);
    tall::Level& level = pressure.finest();
    const tall::Grid& g = level.grid;
    level.b = water.pressure().finest().b;
    // No pressure at all at the start, not even that of still water.
    for (int z = 0; z < g.nz(); ++z)
        for (int x = 0; x < g.nx(); ++x) {
            const int c = g.column(x, z);
            for (int i = level.first[c]; i < level.last[c]; ++i)
                if (level.diagonal.at(c)[i] > 0)
                    level.q.at(c)[i] = -level.open.at(c)[i] * water.rest()(g.top(c) + i);
            if (level.diagonal.bottom(c) > 0)
                level.q.bottom(c) = -level.open.bottom(c) * water.rest()(g.bottom(c));
            level.q.refresh(g, c, tall::Under::Nothing);
        }
    const double start = tall::residual_norm(level).l2;
    std::vector<double> out{1};
    for (int k = 0; k < kCycles; ++k) {
        if (k == 0)
            pressure.full_cycle();
        else
            pressure.v_cycle();
        out.push_back(tall::residual_norm(level).l2 / start);
    }
    return out;
}

/// The tank with `depth` metres of water under the same surface; on cubic cells alone if asked.
tall::Setup tank_of(double depth, bool cubic) {
    tall::Setup setup = make_tall_setup(load_scene("tank"));
    const double deeper = depth - kTankDepth;
    setup.lower[1] -= deeper;
    setup.water = [](const Point<3>& p) { return p[1] - kTankDepth; };  // the scene's ends at -1 m
    if (!cubic) return setup;
    // From the ground to as far above the surface as the scene's 64 rows reach, half of them, in
    // whole sixteens, so that the multigrid has as many levels.
    setup.rows = (setup.rows / 2 + static_cast<int>(depth / setup.dx + 0.5) + 15) / 16 * 16;
    setup.options.remesh.under = setup.rows;
    return setup;
}

}  // namespace

tall::Hierarchy system_of(const tall::Water& water, bool as_printed) {
    const tall::Level& from = water.pressure().finest();
    tall::Hierarchy pressure({.as_printed = as_printed});
    pressure.reset(from.grid);
    pressure.finest().phi = from.phi;
    pressure.finest().open = from.open;
    pressure.build();
    return pressure;
}

void bench_tall_residual(BenchReport& report) {
    tall::Simulation flood(make_tall_setup(load_scene("flood")));
    std::vector<ChartLine> lines;
    for (double until : {4.0, 12.0, 24.0}) {
        while (flood.water().time() < until) (void)flood.step(kStep);
        for (bool printed : {false, true}) {
            const std::vector<double> r = residuals(flood.water(), printed);
            const std::string name =
                fmt::format("t = {:.0f} s{}", until, printed ? ", as printed" : "");
            lines.push_back({name, r});
            Json row = Json::object();
            row.set("suite", "tall");
            row.set("scene", "residual");
            row.set("solver", printed ? "as printed" : "multigrid");
            row.set("time", until);
            row.set("residuals", Json::list(std::vector<Json>(r.begin(), r.end())));
            row.set("residual", r[3]);  // after one full cycle and two V
            report.add(row);
            std::printf("    %s:", name.c_str());
            for (double v : r) std::printf(" %.2e", v);
            std::printf("\n");
        }
    }
    const std::string path = "tall_residual.svg";
    std::ofstream file(path);
    file << log_chart({"flood: residual by cycle (a full cycle, then V)", "cycles", "L2 residual"},
                      lines);
    if (!file) throw InputError("cannot write " + path + ": is the folder writable?");
    std::printf("    wrote %s\n", path.c_str());
}

namespace {

/// Least CPU milliseconds of a frame of kStep: the tank at twice its depth on tall cells, and in
/// turns with it the same on a full grid of cubic cells of the same size with particles and a
/// pressure solved to its tolerance, as `slosh run` does scenes without "tall".
Json depth_beside_particles() {
    constexpr int kWarm = 2, kFrames = 4;
    const Scene scene = load_scene("tank:deep");
    tall::Simulation tall(make_tall_setup(scene));
    LiquidSimulation<3> liquid(make_setup<3>(scene));
    double least_tall = 1e30, least_liquid = 1e30;
    int substeps = 0;
    for (int f = 1; f <= kWarm + kFrames; ++f) {
        const double start = cpu_seconds();
        (void)tall.step(kStep);
        const double middle = cpu_seconds();
        int count = 0;
        run_to<3>(liquid, f * kStep, [&](const StepReport&) { ++count; });
        if (f <= kWarm) continue;
        least_tall = std::min(least_tall, 1e3 * (middle - start));
        const double cost = 1e3 * (cpu_seconds() - middle);
        if (cost < least_liquid) least_liquid = cost, substeps = count;
    }
    Json row = Json::object();
    row.set("suite", "tall");
    row.set("scene", "depth: particles");
    row.set("threads", threads());
    row.set("depth", kTankDepth - scene.lower[1]);
    row.set("particles", static_cast<double>(liquid.state().particles.size()));
    row.set("substeps", substeps);
    row.set("cpu_ms_per_frame", least_tall);
    row.set("cpu_ms_particles", least_liquid);
    row.set("particles_over_tall", least_liquid / least_tall);
    return row;
}

}  // namespace

void bench_tall_depth(int frames, BenchReport& report) {
    constexpr double kDepths[] = {kTankDepth, 24.03, 6.03, 3.03};  // m; the scene's own first
    std::vector<tall::Setup> setups;
    for (double depth : kDepths)
        for (bool cubic : {false, true}) setups.push_back(tank_of(depth, cubic));
    const std::vector<double> costs = tall_step_costs(std::move(setups), frames);
    const double own = costs[0];
    for (std::size_t k = 0; k < std::size(kDepths); ++k) {
        const double tall = costs[2 * k], cubic = costs[2 * k + 1];
        Json row = Json::object();
        row.set("suite", "tall");
        row.set("scene", "depth");
        row.set("threads", threads());
        row.set("depth", kDepths[k]);
        row.set("cpu_ms_tank", own);
        row.set("cpu_ms_per_step", tall);
        row.set("cpu_ms_cubic_cells", cubic);
        row.set("over_tank", tall / own);
        row.set("cubic_over_tall", cubic / tall);
        report.add(row);
        std::printf(
            "    tank %.1f m deep %.1f ms (%.2f of its own %.1f m); cubic cells %.1f ms "
            "(%.2f of that)\n",
            kDepths[k], tall, tall / own, kTankDepth, cubic, cubic / tall);
    }
    const Json row = depth_beside_particles();
    report.add(row);
    const auto of = [&](const char* key) { return row.find(key)->number; };
    std::printf(
        "    tank %.1f m deep, a frame: %.1f ms on tall cells; %.0f ms (%.0f times) on a full grid "
        "with "
        "%.0f particles\n",
        of("depth"), of("cpu_ms_per_frame"), of("cpu_ms_particles"), of("particles_over_tall"),
        of("particles"));
}

}  // namespace slosh::cli
