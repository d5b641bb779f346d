// [Chentanez2011] table 1: milliseconds of a pressure solve without and with separating walls.
//
// Two pairs of methods on every system of a run: the paper's own recipe (three full cycles, four
// V-cycles, four sweeps before and after, whatever residual that leaves) with S as captured and
// with S empty; and `linear` against `auto`, both to the tolerance, from cold and from warm starts.
// S is what the paper's is: cells whose centre is solid.
#include <algorithm>

#include "slosh/base/parallel.h"
#include "slosh/cli/bench_lcp_paper.h"
#include "slosh/cli/bench_lcp_run.h"
#include "slosh/cli/bench_lcp_tables.h"
#include "slosh/cli/bench_lcp_variants.h"

namespace slosh::cli {

namespace {

constexpr int kFrames = 10;  // of 1/30 s
constexpr int kCycles = 7;

struct Pair {
    double without = 0, with = 0;  ///< Seconds a system.
    int systems = 0;
    bool converged = true;
};

Pair fmg_pair(const Scene& scene, int frames) {
    Pair pair;
    with_dimension(scene, [&](auto dimension) {
        constexpr int D = dimension;
        for_each_system<D>(scene, frames, [&](const CapturedSystem<D>& system) {
            SparseLcp free = system.rows();
            std::fill(free.constrained.begin(), free.constrained.end(), 0);
            double without = 1e30, with = 1e30;
            for (int repeat = 0; repeat < 3; ++repeat) {
                std::vector<double> p;
                without = std::min(without, solve_fmg_cycles(free, kCycles, p).seconds);
                p.clear();
                const LcpReport report = solve_fmg_cycles(system.rows(), kCycles, p);
                with = std::min(with, report.seconds);
                pair.converged &= report.residual <= system.goal;
            }
            pair.without += without;
            pair.with += with;
            ++pair.systems;
        });
    });
    const double systems = std::max(pair.systems, 1);
    return {pair.without / systems, pair.with / systems, pair.systems, pair.converged};
}

void add_row(const PaperSpeed& paper, int n, const std::string& solver, const std::string& start,
             int threads, int frames, const Pair& pair, BenchReport& report) {
    const bool same = n == paper.n;
    Json row = Json::object();
    row.set("suite", "lcp");
    row.set("scene", paper.scene);
    row.set("dim", 3);
    row.set("n", n);
    row.set("solver", solver);
    row.set("threads", threads);
    row.set("start", start);
    row.set("frames", frames);
    row.set("systems", pair.systems);
    row.set("seconds", pair.with);
    row.set("ms_without", 1e3 * pair.without);
    row.set("ms_with", 1e3 * pair.with);
    row.set("percent", 100 * (pair.with / pair.without - 1));
    row.set("converged", pair.converged);
    row.set("table", "1");
    row.set("paper_without", same ? Json(paper.without) : Json());
    row.set("paper_with", same ? Json(paper.with) : Json());
    row.set("paper", 100 * (paper.with / paper.without - 1));
    report.add(row);
}

}  // namespace

void bench_lcp_speed(const BenchOptions& options, BenchReport& report) {
    const int frames = options.frames.value_or(kFrames);
    for (const PaperSpeed& paper : paper_speeds())
        for (int n : or_default(options.sizes, {paper.n})) {
            std::vector<std::string> overrides = {"separation=node", "fps=30"};
            overrides.insert(overrides.end(), options.set.begin(), options.set.end());
            const Scene scene = lcp_scene(paper.scene, n, overrides);
            for (int count : or_default(options.threads, {2})) {
                set_threads(count);
                add_row(paper, n, "fmg", "cold", count, frames, fmg_pair(scene, frames), report);
            }
            set_threads(0);
            const std::vector<RunSummary> all =
                run_systems(scene, frames, {"linear", "auto"}, options);
            for (const RunSummary& with : all)
                for (const RunSummary& without : all)
                    if (with.method.word == "auto" && without.method.word == "linear" &&
                        with.start == without.start && with.threads == without.threads)
                        add_row(paper, n, "auto/linear", with.start, with.threads, frames,
                                {without.mean.seconds, with.mean.seconds, with.systems,
                                 with.failed + without.failed == 0},
                                report);
        }
}

}  // namespace slosh::cli
