// Parts of `slosh bench tall`.
#pragma once

#include <vector>

#include "slosh/cli/bench.h"
#include "slosh/tall/setup.h"
#include "slosh/tall/water.h"

namespace slosh::cli {

/// The residual by cycle in three frames of `flood`, as numbers and as tall_residual.svg.
void bench_tall_residual(BenchReport& report);
/// `tank` at its own depth, twice, half and a quarter of it, and each of that on cubic cells alone;
/// and at twice its depth with particles.
void bench_tall_depth(int frames, BenchReport& report);
/// What a full cycle and two V leave of the fall of still water, over the scenes' grounds and
/// rubble.
void bench_tall_rest(BenchReport& report);
/// What options that are off by default add to a step of the scenes.
void bench_tall_options(int frames, BenchReport& report);

/// The pressure system that `water` solved last, for the method as it is or as the paper prints it.
tall::Hierarchy system_of(const tall::Water& water, bool as_printed);

/// Least CPU ms a step of each, taken in turns: others use the machine too.
std::vector<double> tall_step_costs(std::vector<tall::Setup> setups, int frames);

}  // namespace slosh::cli
