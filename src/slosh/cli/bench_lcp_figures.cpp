// Figures 6.8 to 6.11 of [Lai2021], drawn from our own solves.
#include <filesystem>

#include "slosh/base/parallel.h"
#include "slosh/cache/atomic_file.h"
#include "slosh/cli/bench_lcp_paper.h"
#include "slosh/cli/bench_lcp_run.h"
#include "slosh/cli/bench_lcp_tables.h"
#include "slosh/cli/svg_chart.h"

namespace slosh::cli {

namespace {

void write(const BenchOptions& options, const std::string& name, const std::string& svg) {
    const std::string file = (std::filesystem::path(options.plot) / name).string();
    write_file(file, svg);
    std::printf("wrote %s\n", file.c_str());
}

/// Natural residual, in the paper's unit of 1/s, after each cycle on the table's system.
void convergence(const char* figure, const PaperTable& table, int n, const BenchOptions& options,
                 BenchReport& report) {
    const std::vector<std::string> solvers =
        or_default(options.solvers, {"fas", "policy-mg", "penalty-mg", "fmg", "auto"});
    const int frame = options.frames.value_or(table.frames);
    const Scene scene = lcp_scene(table.scene, n, options.set);
    with_dimension(scene, [&](auto dimension) {
        constexpr int D = dimension;
        LiquidSimulation<D> simulation(make_setup<D>(scene));
        advance(simulation, frame, scene.fps);
        const CapturedSystem<D> system = capture(simulation, 1 / scene.fps);
        const double unit = 1 / simulation.setup().grid.dx;
        std::vector<ChartLine> lines;
        for (const std::string& word : solvers) {
            const LcpMethod method = lcp_method(word);
            const LcpAnswer<D> answer = solve_captured(system, method, {}, true);
            std::vector<Json> history;
            ChartLine line{word, {}};
            for (double r : answer.report.history) {
                line.values.push_back(r * unit);
                history.push_back(r * unit);
            }
            lines.push_back(line);
            Json row = lcp_row(table.scene, D, n, method, threads(), {answer.report, answer.error});
            row.set("figure", figure);
            row.set("history", Json::list(history));
            report.add(row);
        }
        const std::string title =
            table.scene + " at " + std::to_string(n) + ", frame " + std::to_string(frame);
        write(options, "figure-" + std::string(figure) + "-" + std::to_string(n) + ".svg",
              log_chart({title, "cycles", "natural residual (1/s)"}, lines));
    });
}

/// How many systems of a run took how many linear systems.
void histogram(int n, const BenchOptions& options, BenchReport& report) {
    const PaperTable& table = paper_table("6.8");
    const int frames = options.frames.value_or(table.frames);
    const Scene scene = lcp_scene(table.scene, n, options.set);
    std::vector<ChartBars> bars;
    for (const RunSummary& s : run_systems(
             scene, frames, {"policy-pcg", "policy-mg-exact", "penalty-pcg", "penalty-mg-exact"},
             options)) {
        bars.push_back({s.method.word, s.outer_counts});
        Json counts = Json::object(), row = Json::object();
        for (const auto& [outer, systems] : s.outer_counts)
            counts.set(std::to_string(outer), systems);
        row.set("suite", "lcp");
        row.set("scene", table.scene);
        row.set("dim", scene.dim);
        row.set("n", n);
        row.set("solver", s.method.word);
        row.set("threads", s.threads);
        row.set("seconds", s.mean.seconds);
        row.set("systems", s.systems);
        row.set("outer", s.mean.outer);
        row.set("figure", "6.8");
        row.set("histogram", counts);
        report.add(row);
    }
    const std::string title = table.scene + " at " + std::to_string(n) + ", " +
                              std::to_string(frames) + " frames of 0.01 s";
    write(options, "figure-6.8-" + std::to_string(n) + ".svg",
          bar_chart({title, "linear systems solved", "pressure solves"}, bars));
}

}  // namespace

void bench_lcp_figures(const BenchOptions& options, BenchReport& report) {
    make_directory(options.plot);
    for (int n : or_default(options.sizes, {64})) {
        set_threads(or_default(options.threads, {2}).front());
        convergence("6.9", paper_table("6.4"), n, options, report);
        convergence("6.10", paper_table("6.5"), n, options, report);
        convergence("6.11", paper_table("6.6"), n, options, report);
        histogram(n, options, report);
    }
    set_threads(0);
}

}  // namespace slosh::cli
