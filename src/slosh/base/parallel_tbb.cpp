#include <tbb/blocked_range.h>
#include <tbb/global_control.h>
#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>

#include <memory>

#include "slosh/base/parallel.h"
#include "slosh/base/team.h"

namespace slosh {

namespace {
std::unique_ptr<tbb::global_control>& control() {
    static std::unique_ptr<tbb::global_control> c;
    return c;
}
int wanted = 0;
}  // namespace

void set_threads(int n) {
    wanted = n > 0 ? n : tbb::this_task_arena::max_concurrency();
    control().reset();
    control() = std::make_unique<tbb::global_control>(tbb::global_control::max_allowed_parallelism,
                                                      static_cast<std::size_t>(wanted));
}

int threads() {
    return wanted > 0 ? wanted : tbb::this_task_arena::max_concurrency();
}

void detail::parallel_ranges(std::size_t n, std::size_t grain,
                             void (*fn)(const void*, std::size_t, std::size_t),
                             const void* context) {
    if (n == 0) return;
    if (n <= grain || threads() == 1) {
        // Same ranges as the parallel path is not needed: bodies may not depend on range bounds.
        for (std::size_t b = 0; b < n; b += grain) fn(context, b, std::min(n, b + grain));
        return;
    }
    if (Team::get().run(n, grain, fn, context, threads())) return;
    // A loop inside a loop, or two at once.
    tbb::parallel_for(
        tbb::blocked_range<std::size_t>(0, n, grain),
        [&](const tbb::blocked_range<std::size_t>& r) { fn(context, r.begin(), r.end()); },
        tbb::auto_partitioner());
}

}  // namespace slosh
