// What a measurement was made on.
#pragma once

#include "slosh/scene/json.h"

namespace slosh::cli {

/// Processor, cores, memory, compiler and version of slosh, for the head of a bench file.
Json machine_info();

}  // namespace slosh::cli
