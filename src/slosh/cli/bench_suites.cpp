// The table of benchmark suites. Each body is in its own bench_<name>.cpp.
#include "slosh/cli/bench.h"

namespace slosh::cli {

void bench_lcp(const BenchOptions& options, BenchReport& report);
void bench_pressure(const BenchOptions& options, BenchReport& report);
void bench_step(const BenchOptions& options, BenchReport& report);
void bench_viscosity(const BenchOptions& options, BenchReport& report);
void bench_tall(const BenchOptions& options, BenchReport& report);

const std::vector<BenchSuite>& bench_suites() {
    static const std::vector<BenchSuite> suites = {
        {"pressure", "iterations and seconds of the pressure solvers", bench_pressure, true, true},
        {"step", "seconds by stage of a time step: a dam break, or --scene", bench_step, true},
        {"lcp", "solvers for separating walls (--table, --plot: the papers')", bench_lcp, true,
         true},
        {"viscosity", "iterations and seconds of the viscous solvers", bench_viscosity},
        {"tall", "tall-cell water: milliseconds a step and real-time factor", bench_tall, true},
    };
    return suites;
}

}  // namespace slosh::cli
