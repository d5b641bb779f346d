// Tables and figures of the papers: `slosh bench lcp --table`, `--plot`.
#pragma once

#include "slosh/cli/bench.h"

namespace slosh::cli {

/// Adds the rows of the tables that the options name. Tables of one run share it.
void bench_lcp_tables(const BenchOptions& options, BenchReport& report);
/// [Chentanez2011] table 1: what separating walls cost over sticky ones.
void bench_lcp_speed(const BenchOptions& options, BenchReport& report);
/// Figures 6.8 to 6.11 of [Lai2021] as SVG files in options.plot.
void bench_lcp_figures(const BenchOptions& options, BenchReport& report);

}  // namespace slosh::cli
