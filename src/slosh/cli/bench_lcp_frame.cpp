// One captured system, every method on it, cold: the rows of `slosh bench lcp` and of the tables
// of single frames.
#include <algorithm>
#include <cmath>
#include <optional>

#include "slosh/base/parallel.h"
#include "slosh/cli/bench_lcp.h"
#include "slosh/cli/bench_lcp_paper.h"
#include "slosh/cli/lcp_traffic.h"
#include "slosh/cli/probe.h"
#include "slosh/scene/load.h"

namespace slosh::cli {

namespace {

Json finite(double x) {
    return std::isfinite(x) ? Json(x) : Json();
}

}  // namespace

LcpNumbers::LcpNumbers(const LcpReport& r, double answer_error)
    : unknowns(static_cast<double>(r.unknowns)),
      constrained(static_cast<double>(r.constrained)),
      active(static_cast<double>(r.active)),
      iterations(r.iterations),
      outer(r.outer),
      seconds(r.seconds),
      cpu_seconds(r.cpu_seconds),
      setup_seconds(r.setup_seconds),
      residual(r.residual),
      converged(r.converged),
      bytes(static_cast<double>(r.bytes)),
      error(answer_error) {}

/// What every row starts with.
static Json row_start(const std::string& scene, int dim, int n, const LcpMethod& method) {
    Json row = Json::object();
    row.set("suite", "lcp");
    row.set("scene", scene);
    row.set("dim", dim);
    row.set("n", n);
    row.set("solver", method.word);
    return row;
}

Json lcp_row(const std::string& scene, int dim, int n, const LcpMethod& method, int threads,
             const LcpNumbers& x) {
    Json row = row_start(scene, dim, n, method);
    row.set("threads", threads);
    row.set("unknowns", x.unknowns);
    row.set("constrained", x.constrained);
    row.set("active", x.active);
    row.set("iterations", x.iterations);
    row.set("outer", x.outer);
    row.set("seconds", x.seconds);
    row.set("cpu_seconds", x.cpu_seconds);
    row.set("setup_seconds", x.setup_seconds);
    row.set("residual", finite(x.residual));
    row.set("converged", x.converged);
    row.set("bytes", x.bytes);
    row.set("error", finite(x.error));
    row.set("cap", method.cap);
    return row;
}

Json lcp_skipped_row(const std::string& scene, int dim, int n, const LcpMethod& method,
                     int largest) {
    Json row = row_start(scene, dim, n, method);
    row.set("skipped", "above " + std::to_string(largest) + " only with --solvers " + method.word);
    return row;
}

template <int D>
void bench_system(const CapturedSystem<D>& system, const std::string& scene, int n,
                  const std::vector<std::string>& solvers, bool named, const std::string& table,
                  const BenchOptions& options, BenchReport& report) {
    for (const std::string& word : solvers) {
        const LcpMethod method = lcp_method(word);
        if (!named && n > method.largest_frame) {
            report.add(lcp_skipped_row(scene, D, n, method, method.largest_frame));
            continue;
        }
        for (int count : or_default(options.threads, {2})) {
            set_threads(count);
            LcpAnswer<D> answer = solve_captured<D>(system, method);
            for (int k = 1; k < options.repeats.value_or(5); ++k)
                solve_again<D>(system, method, {}, answer);
            Json row = lcp_row(scene, D, n, method, count, {answer.report, answer.error});
            row.set("paper", paper_value(table, word, n));
            row.set("traffic_factor", word == "auto"
                                          ? finite(answer.report.seconds * triad_bandwidth() /
                                                   fused_bytes(system.lcp.system, answer.report))
                                          : Json());
            report.add(row);
        }
    }
    set_threads(0);
}

void bench_frame(const std::string& name, int frames, int n,
                 const std::vector<std::string>& solvers, bool named, const std::string& table,
                 const BenchOptions& options, BenchReport& report) {
    const Scene scene = lcp_scene(name, n, options.set);
    with_dimension(scene, [&](auto dimension) {
        constexpr int D = dimension;
        std::optional<CapturedSystem<D>> system;
        {  // the particles are not needed any more, and large
            LiquidSimulation<D> simulation(make_setup<D>(scene));
            advance(simulation, frames, scene.fps);
            system = capture(simulation, 1 / scene.fps);
        }
        bench_system(*system, name, n, solvers, named, table, options, report);
    });
}

}  // namespace slosh::cli
