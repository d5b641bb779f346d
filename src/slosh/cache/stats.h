// The lines of stats.jsonl: one JSON object a substep.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "slosh/liquid/simulation.h"

namespace slosh {

/// One line, without its end. `substep` counts from 1 over the whole run, `frame` is the frame that
/// the substep leads to. The last two keys, `bytes` and `seconds`, are the only ones that differ
/// between two runs of the same scene; numbers that are not finite are written as null.
std::string stats_line(const StepReport& report, int frame, std::size_t substep);

/// Bytes of the leading whole lines whose frame is at most `last_frame`.
std::size_t stats_bytes_up_to(std::string_view text, int last_frame);

}  // namespace slosh
