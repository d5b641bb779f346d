// Plain std::thread backend: no pool, threads are started per loop. Slow, but thread sanitizer can
// see every synchronisation, which it cannot through an uninstrumented TBB.
#include <algorithm>
#include <atomic>
#include <thread>
#include <vector>

#include "slosh/base/parallel.h"

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
    const std::size_t ranges = (n + grain - 1) / grain;
    std::atomic<std::size_t> next{0};
    auto work = [&] {
        for (std::size_t r; (r = next.fetch_add(1)) < ranges;)
            fn(context, r * grain, std::min(n, (r + 1) * grain));
    };
    std::vector<std::thread> pool;
    for (std::size_t t = 1; t < std::min<std::size_t>(threads(), ranges); ++t)
        pool.emplace_back(work);
    work();
    for (auto& t : pool) t.join();
}

}  // namespace slosh
