// Loops over rows, with the same bits on any number of threads.
#pragma once

#include <cmath>
#include <vector>

#include "slosh/base/parallel.h"

namespace slosh {

constexpr std::size_t kRowChunk = 4096;  // long enough to be worth a thread

template <class Body>
void for_each_row(std::size_t n, const Body& body) {
    parallel_for(n, kRowChunk, body);
}

inline double dot(const std::vector<double>& a, const std::vector<double>& b) {
    return parallel_sum(
        a.size(), [&](std::size_t i) { return a[i] * b[i]; }, kRowChunk);
}

inline double max_abs(const std::vector<double>& a) {
    return parallel_max(
        a.size(), [&](std::size_t i) { return std::abs(a[i]); }, 0, kRowChunk);
}

}  // namespace slosh
