// Without TBB, for thread sanitizer builds: it sees every synchronisation of a team, and none
// through an uninstrumented TBB.
#include <algorithm>
#include <thread>

#include "slosh/base/parallel.h"
#include "slosh/base/team.h"

namespace slosh {

namespace {
int wanted = 0;
}

void set_threads(int n) {
    wanted = n;
}

int threads() {
    return wanted > 0 ? wanted : std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
}

void detail::parallel_ranges(std::size_t n, std::size_t grain,
                             void (*fn)(const void*, std::size_t, std::size_t),
                             const void* context) {
    if (n > grain && threads() > 1 && Team::get().run(n, grain, fn, context, threads())) return;
    for (std::size_t b = 0; b < n; b += grain) fn(context, b, std::min(n, b + grain));
}

}  // namespace slosh
