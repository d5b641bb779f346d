// Parallel loops whose results do not depend on the number of threads.
//
// The contract: a body writes only what its own index owns, so loops may run in any order; sums
// are taken over fixed chunks and added in chunk order, so the same input gives the same bits on
// 1 thread and on 64. Loops run on a team of threads (team.h); loops inside loops, and two at once,
// on oneTBB, or in thread-sanitizer builds one after the other (parallel_tbb.cpp, parallel_std.cpp;
// CMake option SLOSH_PAR).
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

namespace slosh {

/// Limits all later loops to `n` threads; 0 means one per core.
void set_threads(int n);
/// Threads that loops use.
int threads();

namespace detail {
/// Calls fn(context, begin, end) on disjoint ranges that cover [0, n), each at most `grain` long.
void parallel_ranges(std::size_t n, std::size_t grain,
                     void (*fn)(const void*, std::size_t, std::size_t), const void* context);
}  // namespace detail

/// Runs body(begin, end) over disjoint ranges covering [0, n); `grain` is the largest range.
template <class Body>
void parallel_ranges(std::size_t n, std::size_t grain, const Body& body) {
    detail::parallel_ranges(
        n, grain,
        [](const void* context, std::size_t begin, std::size_t end) {
            (*static_cast<const Body*>(context))(begin, end);
        },
        &body);
}

/// Runs body(i) for every i in [0, n), in any order and in parallel.
template <class Body>
void parallel_for(std::size_t n, std::size_t grain, const Body& body) {
    parallel_ranges(n, grain, [&](std::size_t begin, std::size_t end) {
        for (std::size_t i = begin; i < end; ++i) body(i);
    });
}
template <class Body>
void parallel_for(std::size_t n, const Body& body) {
    parallel_for(n, 4, body);
}

/// Sum of body(i) over [0, n): partial sums over fixed chunks, added in order.
template <class Body>
double parallel_sum(std::size_t n, const Body& body, std::size_t chunk = 16) {
    const std::size_t chunks = (n + chunk - 1) / chunk;
    std::vector<double> partial(chunks);
    parallel_for(chunks, 1, [&](std::size_t c) {
        double s = 0;
        for (std::size_t i = c * chunk; i < std::min(n, (c + 1) * chunk); ++i) s += body(i);
        partial[c] = s;
    });
    double s = 0;
    for (double x : partial) s += x;
    return s;
}

/// Largest body(i) over [0, n), at least `floor`.
template <class Body>
double parallel_max(std::size_t n, const Body& body, double floor = 0, std::size_t chunk = 16) {
    const std::size_t chunks = (n + chunk - 1) / chunk;
    std::vector<double> partial(chunks, floor);
    parallel_for(chunks, 1, [&](std::size_t c) {
        double s = floor;
        for (std::size_t i = c * chunk; i < std::min(n, (c + 1) * chunk); ++i)
            s = std::max<double>(s, body(i));
        partial[c] = s;
    });
    double s = floor;
    for (double x : partial) s = std::max(s, x);
    return s;
}

}  // namespace slosh
