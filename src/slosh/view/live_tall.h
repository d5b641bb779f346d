// Tall-cell water that goes on while somebody watches and touches it.
#pragma once

#include "slosh/view/live.h"

namespace slosh::view {

std::unique_ptr<LiveRun> start_tall_run(const Scene& scene);

}  // namespace slosh::view
