#include "slosh/cli/probe.h"

#include <sched.h>

#include <algorithm>
#include <atomic>
#include <map>
#include <set>
#include <vector>

#include "slosh/base/memory.h"
#include "slosh/base/parallel.h"
#include "slosh/base/timer.h"

namespace slosh::cli {

double triad_bandwidth() {
    static std::map<int, double> known;
    const auto found = known.find(threads());
    if (found != known.end()) return found->second;

    constexpr std::size_t kNumbers = std::size_t{1} << 23, kGrain = 1 << 15;
    std::vector<double, AlignedAllocator<double>> a(kNumbers), b(kNumbers), c(kNumbers);
    parallel_for(kNumbers, kGrain, [&](std::size_t i) {
        a[i] = 0;
        b[i] = static_cast<double>(i);
        c[i] = 1;
    });
    double best = 1e30;
    for (int repeat = 0; repeat < 5; ++repeat) {
        const double start = wall_seconds();
        parallel_for(kNumbers, kGrain, [&](std::size_t i) { a[i] = b[i] + 0.5 * c[i]; });
        best = std::min(best, wall_seconds() - start);
        b.swap(a);  // so that no repeat can be left out
    }
    return known[threads()] = 24.0 * static_cast<double>(kNumbers) / best;
}

void wake_threads() {
    constexpr double kInstant = 0.02;  // s
    const auto wanted = static_cast<std::size_t>(threads());
    const double start = wall_seconds();
    // Two threads on one core take turns, for longer than a short solve takes: they are kept busy
    // until the system has put them apart.
    std::vector<std::atomic<int>> core(wanted);
    for (auto& c : core) c = -1;
    const auto are_apart = [&] {
        std::set<int> cores;
        for (const auto& c : core)
            if (const int at = c; at >= 0) cores.insert(at);
        return cores.size() == wanted;
    };
    parallel_for(wanted, 1, [&](std::size_t thread) {
        do core[thread] = sched_getcpu();
        while (!are_apart() && wall_seconds() - start < kInstant);
    });
}

double arithmetic_rate() {
    constexpr int kLanes = 32, kRounds = 400000;
    std::vector<double> sums(threads());
    double best = 1e30;
    for (int repeat = 0; repeat < 5; ++repeat) {
        const double start = wall_seconds();
        parallel_for(sums.size(), 1, [&](std::size_t thread) {
            float v[kLanes];
            for (int i = 0; i < kLanes; ++i) v[i] = static_cast<float>(i + repeat);
            for (int round = 0; round < kRounds; ++round)
                for (float& x : v) x = x * 0.999f + 0.5f;
            for (float x : v) sums[thread] += x;  // so that nothing can be left out
        });
        best = std::min(best, wall_seconds() - start);
    }
    return sums[0] > 0 ? static_cast<double>(sums.size()) * kLanes * kRounds / best : 0;
}

}  // namespace slosh::cli
