// A step of tall-cell water in the words of all steps.
#pragma once

#include "slosh/liquid/simulation.h"
#include "slosh/tall/water.h"

namespace slosh {

/// What a step reports, as stats.jsonl and the live page have it.
StepReport tall_report(const tall::Water& water, const tall::WaterReport& step, double dt);

}  // namespace slosh
