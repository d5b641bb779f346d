// Running a scene of tall-cell water.
#pragma once

#include "slosh/cache/run_directory.h"
#include "slosh/cli/progress.h"
#include "slosh/scene/scene.h"

namespace slosh::cli {

/// How a run ended.
enum class Outcome { Done, Interrupted };

/// Simulates a scene with "tall" up to its last frame and writes the frames that are missing. A
/// checkpoint holds only how far the run has come: what was done is simulated again, which in real
/// time is soon done and gives the same bytes.
Outcome simulate_tall(const Scene& scene, RunDirectory& directory, Progress& progress);

/// Steps of equal length that a frame takes: as few as `max_dt` allows.
int tall_steps_per_frame(const Scene& scene);

}  // namespace slosh::cli
