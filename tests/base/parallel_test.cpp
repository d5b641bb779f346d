#include "slosh/base/parallel.h"

#include <doctest/doctest.h>

#include <vector>

#include "slosh/base/hash.h"

using namespace slosh;

TEST_CASE("Every index is visited exactly once") {
    for (int n : {1, 2, 3}) {
        set_threads(n);
        std::vector<int> hits(10007, 0);
        parallel_for(hits.size(), 3, [&](std::size_t i) { hits[i] += 1; });
        int wrong = 0;
        for (int h : hits) wrong += h != 1;
        CHECK(wrong == 0);
    }
}

TEST_CASE("Sums have the same bits on any number of threads") {
    auto value = [](std::size_t i) { return hash_uniform(7, i, 0) * 1e6 - 3e5; };
    set_threads(1);
    const double one = parallel_sum(100003, value);
    for (int n : {2, 3, 8}) {
        set_threads(n);
        CHECK(parallel_sum(100003, value) == one);
    }
    set_threads(0);
}
