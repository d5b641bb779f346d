// `slosh lcp`: solves a user's own complementarity problem 0 <= p perp A p + b >= 0.
#include <fmt/format.h>

#include <cmath>
#include <cstdio>
#include <filesystem>

#include "slosh/base/error.h"
#include "slosh/base/parallel.h"
#include "slosh/cache/atomic_file.h"
#include "slosh/cli/commands.h"
#include "slosh/cli/lcp_files.h"
#include "slosh/cli/machine.h"
#include "slosh/cli/matrix_market.h"
#include "slosh/cli/nearest.h"
#include "slosh/lcp/solve.h"

namespace slosh::cli {
namespace {

constexpr int kMaxIterations = 100000;

void check_word(const std::string& word) {
    std::vector<std::string> words;
    std::string list;
    for (const LcpSolver& solver : lcp_solvers()) {
        if (word == solver.word) return;
        words.push_back(solver.word);
        list += (list.empty() ? "" : ", ") + words.back();
    }
    throw InputError("unknown solver '" + word + "'" + did_you_mean(word, words) + "; there are " +
                     list);
}

void write_report(const LcpCommandOptions& options, const SparseLcp& lcp, const LcpReport& report) {
    Json row = Json::object();
    row.set("suite", "lcp");
    row.set("scene", options.directory);
    if (!lcp.cells.empty()) row.set("dim", lcp.dim);
    row.set("n", static_cast<double>(report.unknowns));
    row.set("solver", options.solver);
    row.set("threads", threads());
    row.set("unknowns", static_cast<double>(report.unknowns));
    row.set("constrained", static_cast<double>(report.constrained));
    row.set("active", static_cast<double>(report.active));
    row.set("pockets", report.pockets);
    row.set("iterations", report.iterations);
    row.set("outer", report.outer);
    row.set("seconds", report.seconds);
    row.set("cpu_seconds", report.cpu_seconds);
    const auto finite = [](double x) { return std::isfinite(x) ? Json(x) : Json(); };
    row.set("residual", finite(report.residual));
    row.set("relative_residual", finite(report.relative_residual));
    row.set("converged", report.converged);
    row.set("bytes", static_cast<double>(report.bytes));
    Json document = Json::object();
    document.set("machine", machine_info());
    document.set("rows", Json::list({row}));
    write_file(options.json, write_json(document) + "\n");
}

}  // namespace

int lcp(const LcpCommandOptions& options) {
    check_word(options.solver);
    if (options.tol && !(*options.tol > 0 && std::isfinite(*options.tol)))
        throw InputError("--tol must be a positive number");
    const SparseLcp problem = read_lcp(options.directory);
    for (const LcpSolver& solver : lcp_solvers())
        if (options.solver == solver.word && solver.needs_cells &&
            problem.cells.size() != problem.b.size())
            throw InputError("solver '" + options.solver + "' works on a grid: add cells.txt to " +
                             options.directory + ", or take another solver");

    LcpOptions how{.max_iterations = kMaxIterations};
    if (options.tol) {
        how.tolerance = 0;
        how.absolute = *options.tol;
    }
    std::vector<double> p;
    const LcpReport report = solve_lcp(options.solver, problem, how, p);
    if (!options.json.empty()) write_report(options, problem, report);
    if (!report.converged)
        throw SolveError(fmt::format(
            "{} stopped at a residual of {:.3g} after {} iterations, p.mtx is not written; try "
            "another --solver or a larger --tol",
            options.solver, report.residual, report.iterations));

    const std::string file = (std::filesystem::path(options.directory) / "p.mtx").string();
    write_file(file, market_vector(p, fmt::format("slosh lcp --solver {}, natural residual {:.3g}",
                                                  options.solver, report.residual)));
    std::printf("%s: %zu rows, %zu in S, %zu active\n", options.solver.c_str(), report.unknowns,
                report.constrained, report.active);
    if (report.pockets > 0)
        std::printf("%d closed pockets: b was made consistent where it had to be\n",
                    report.pockets);
    std::printf("%d iterations, residual %.3g, %.3g s; wrote %s\n", report.iterations,
                report.residual, report.seconds, file.c_str());
    return 0;
}

}  // namespace slosh::cli
