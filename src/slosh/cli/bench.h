// Benchmarks: `slosh bench SUITE`. A suite is a function that measures and adds rows; reading
// flags, printing and the JSON file are done for it. Register a new one in bench_suites.cpp.
#pragma once

#include <string>
#include <vector>

#include "slosh/cli/commands.h"
#include "slosh/linear/system.h"
#include "slosh/scene/json.h"

namespace slosh::cli {

/// Collects rows, printing each as it comes so that a long suite shows its progress.
class BenchReport {
public:
    /// An object with at least suite, scene, dim, n, solver, threads, seconds (DESIGN.md sec. 5).
    void add(Json row);
    const std::vector<Json>& rows() const { return rows_; }

private:
    std::vector<Json> rows_;
    std::vector<std::string> columns_;
};

struct BenchSuite {
    const char* name;
    const char* description;                                        ///< One line for the help.
    void (*run)(const BenchOptions& options, BenchReport& report);  ///< Null: comes later.
    bool has_scenes = false;                                        ///< Knows --scene and --set.
    bool has_tables = false;                                        ///< Knows --table and --plot.
};

/// All suites, in the order the help lists them.
const std::vector<BenchSuite>& bench_suites();

/// `given`, or the suite's own choice if the user gave none.
template <class T>
std::vector<T> or_default(const std::vector<T>& given, std::vector<T> own) {
    return given.empty() ? own : given;
}

/// Adds what every row of a solver has.
void add_solve(const SolveReport& report, Json& row);
/// A row of the suite `pressure`.
Json pressure_row(const std::string& scene, int dim, int n, const std::string& solver, int threads,
                  const SolveReport& report);

}  // namespace slosh::cli
