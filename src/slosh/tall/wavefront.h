// Stages over the rows of a grid, each of which looks at the stage before in the rows around it.
//
// Run one after another, every stage takes all rows through the caches. Here a row goes on to the
// next stage as soon as the rows around it allow: two sweeps and what comes before or after them
// read memory once. Rows are cut into slabs for threads. Stage h first covers what a slab can do
// alone, its rows less h lags at each cut; then what is missing around the cuts, as much to each
// side. Every row sees what it would see with the stages one after another, whatever the slabs.
#pragma once

#include <algorithm>

#include "slosh/base/parallel.h"

namespace slosh::tall {

struct Wavefront {
    int rows = 0, stages = 1;
    int lag = 1;       ///< Rows to either side that a stage looks at.
    bool few = false;  ///< Too little work for more than one thread.
};

/// Runs stage(h, z) for h in [0, stages) and z in [0, rows), such that h - 1 of rows z - lag ...
/// z + lag has been done, and h + 1 of them has not.
template <class Stage>
void run_wavefront(const Wavefront& w, const Stage& stage) {
    // Stage h of row z may follow once h - 1 of row z + lag has run.
    const auto cover = [&](const auto& low, const auto& high, int from, int to) {
        for (int front = from; front < to + w.stages * w.lag; ++front)
            for (int h = 0; h < w.stages; ++h) {
                const int z = front - h * w.lag;
                if (z >= low(h) && z < high(h)) stage(h, z);
            }
    };
    const int width = w.stages * w.lag;  // of a slab's side that is left for later
    int slabs = 1;
    while (!w.few && slabs < 4 && w.rows / (2 * slabs) >= 2 * width + 2) slabs *= 2;
    const auto cut = [&](int s) { return w.rows * s / slabs; };
    parallel_for(static_cast<std::size_t>(slabs), 1, [&](std::size_t slab) {
        const int s = static_cast<int>(slab), from = cut(s), to = cut(s + 1);
        cover([&](int h) { return s == 0 ? 0 : from + h * w.lag; },
              [&](int h) { return s == slabs - 1 ? w.rows : to - h * w.lag; }, from, to);
    });
    if (slabs == 1) return;
    parallel_for(static_cast<std::size_t>(slabs - 1), 1, [&](std::size_t gap) {
        const int at = cut(static_cast<int>(gap) + 1);
        cover([&](int h) { return at - h * w.lag; }, [&](int h) { return at + h * w.lag; },
              at - width, at + width);
    });
}

}  // namespace slosh::tall
