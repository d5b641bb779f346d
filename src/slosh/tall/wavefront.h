// Stages over the rows of a grid, each of which looks at the stage before in the rows around it.
//
// Run one after another, every stage takes all rows through the caches. Here rows are cut into
// slabs, and a slab goes through all stages while it is in cache. Stage h of a slab covers its rows
// moved down by h lags, so that it needs nothing of the slab above, and of the one below only the
// stage before: threads take slabs from the bottom to the top and wait for each other at that.
// Every row sees what it would see with the stages one after another, whatever the slabs.
#pragma once

#include <immintrin.h>

#include <algorithm>
#include <atomic>
#include <memory>
#include <thread>

#include "slosh/base/parallel.h"

namespace slosh::tall {

struct Wavefront {
    int rows = 0, stages = 1;
    int lag = 1;       ///< Rows to either side that a stage looks at.
    bool few = false;  ///< Too little work for more than one thread.
};

/// Waits until `at` has come to `value`: some microseconds, or until another process lets go.
inline void wait_for(const std::atomic<int>& at, int value) {
    for (int turn = 0; at.load(std::memory_order_acquire) < value; ++turn)
        if (turn < 1000)
            _mm_pause();
        else
            std::this_thread::yield();
}

/// Runs stage(h, z) for h in [0, stages) and z in [0, rows), such that h - 1 of rows z - lag ...
/// z + lag has been done, and h + 1 of them has not.
template <class Stage>
void run_wavefront(const Wavefront& w, const Stage& stage) {
    constexpr int kSlab = 8;  // rows; more would not stay in cache, fewer wait more
    const int slab = std::max(kSlab, 2 * w.lag), slabs = (w.rows + slab - 1) / slab;
    const int workers = w.few ? 1 : std::min(threads(), slabs);
    const auto done = std::make_unique<std::atomic<int>[]>(static_cast<std::size_t>(slabs));
    std::atomic<int> next{0};
    const auto work = [&](std::size_t) {
        for (int s = next++; s < slabs; s = next++)
            for (int h = 0; h < w.stages; ++h) {
                // Who took the slab below is at it: this wait ends.
                if (s > 0 && h > 0) wait_for(done[s - 1], h);
                const int from = s == 0 ? 0 : std::max(0, s * slab - h * w.lag);
                const int to = s == slabs - 1 ? w.rows : (s + 1) * slab - h * w.lag;
                for (int z = from; z < to; ++z) stage(h, z);
                done[s].store(h + 1, std::memory_order_release);
            }
    };
    if (workers == 1)
        work(0);
    else
        parallel_for(static_cast<std::size_t>(workers), 1, work);
}

}  // namespace slosh::tall
