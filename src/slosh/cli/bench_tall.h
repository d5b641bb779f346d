// Parts of `slosh bench tall`.
#pragma once

#include "slosh/cli/bench.h"

namespace slosh::cli {

/// The residual by cycle in three frames of `flood`, as numbers and as tall_residual.svg.
void bench_tall_residual(BenchReport& report);
/// `tank`, two to seven times as deep, and each of that on cubic cells alone.
void bench_tall_depth(int frames, BenchReport& report);

}  // namespace slosh::cli
