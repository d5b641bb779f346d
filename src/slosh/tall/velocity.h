// Velocity on a tall-cell grid: three components and a spare number that move as one vector, so
// that a sample reads four columns with one load each.
#pragma once

#include "slosh/tall/columns.h"

namespace slosh::tall {

/// u, v, w in m/s; the fourth is 1 where the velocity is known (extrapolation), else 0.
typedef float Float4 __attribute__((vector_size(16)));

using Velocity = Columns<Float4>;

}  // namespace slosh::tall
