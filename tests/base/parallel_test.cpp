#include "slosh/base/parallel.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <chrono>
#include <stdexcept>
#include <thread>
#include <vector>

#include "slosh/base/hash.h"
#include "slosh/base/timer.h"

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

TEST_CASE("Loops inside loops, and loops of two threads at once, visit every index once") {
    set_threads(3);
    constexpr std::size_t kOuter = 40, kInner = 300;
    std::vector<int> nested(kOuter * kInner, 0);
    parallel_for(kOuter, 1, [&](std::size_t i) {
        parallel_for(kInner, 2, [&](std::size_t j) { nested[i * kInner + j] += 1; });
    });
    CHECK(std::count(nested.begin(), nested.end(), 1) == kOuter * kInner);

    const auto many_loops = [](std::vector<int>& hits) {
        for (int loop = 0; loop < 500; ++loop)
            parallel_for(hits.size(), 3, [&](std::size_t i) { hits[i] += 1; });
    };
    std::vector<int> mine(500, 0), others(500, 0);
    std::thread other([&] { many_loops(others); });
    many_loops(mine);
    other.join();
    CHECK(std::count(mine.begin(), mine.end(), 500) == 500);
    CHECK(std::count(others.begin(), others.end(), 500) == 500);
    set_threads(0);
}

TEST_CASE("What a loop's body throws reaches the caller, and later loops run") {
    for (int n : {1, 2, 4}) {
        set_threads(n);
        for (int again = 0; again < 20; ++again) {
            const auto loop = [&] {
                parallel_for(1000, 1, [&](std::size_t i) {
                    if (i == 777) throw std::runtime_error("at 777");
                });
            };
            CHECK_THROWS_WITH(loop(), "at 777");
        }
        std::vector<int> hits(1000, 0);
        parallel_for(hits.size(), 1, [&](std::size_t i) { hits[i] += 1; });
        CHECK(std::count(hits.begin(), hits.end(), 1) == 1000);
    }
    set_threads(0);
}

TEST_CASE("CPU time of a loop is all there as soon as it ends") {
    constexpr int kThreads = 2;
    constexpr double kWork = 2e-3;  // s: less than a tick
    set_threads(kThreads);
    double in_loops = 0, late = 0;
    for (int again = 0; again < 50; ++again) {
        const double start = cpu_seconds();
        parallel_for(kThreads, 1, [&](std::size_t) {
            const double begin = wall_seconds();
            while (wall_seconds() < begin + kWork) {
            }
        });
        const double end = cpu_seconds();
        // Meanwhile the other thread goes to sleep, at which the kernel adds up what it has run.
        std::this_thread::sleep_for(std::chrono::milliseconds(2));
        in_loops += end - start;
        late += cpu_seconds() - end;
    }
    CHECK(late < 0.2 * in_loops);
    set_threads(0);
}
