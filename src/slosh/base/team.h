// The threads that loops run on (internal to parallel.h).
//
// A step is made of thousands of loops of some microseconds, half-sweeps of the multigrid above
// all, so what it takes to start and end one counts; and share t of a loop is done by thread t,
// loop after loop, so that what two loops go over may still be in that core's cache the second
// time. Linear solves took 11 to 17 % less time than on TBB's own sharing at 256^3, 8 to 23 % at
// 128^3, the same at 64^3 (in turns in one process, two threads of an AMD EPYC).
//
// A loop over [0, n) is cut into one share a thread. A thread takes pieces off the front of its own
// share; when that is empty, off the back of others'. The caller is thread 0. It waits only for
// threads that took part: one that sleeps, or that the system runs late, finds the loop closed.
// Threads without work spin for a moment, for the next loop is near, then sleep.
#pragma once

#include <sys/types.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <mutex>

namespace slosh::detail {

class Team {
public:
    using Work = void (*)(const void*, std::size_t, std::size_t);

    /// The one team; its threads are started when first needed and end with the program.
    static Team& get();

    /// Calls fn(context, begin, end) on disjoint ranges that cover [0, n), each at most `grain`
    /// long, with `threads` threads. Returns false, and does nothing, if another loop is at work
    /// (of another thread, or one that this one is in). What fn throws is thrown again.
    bool run(std::size_t n, std::size_t grain, Work fn, const void* context, int threads);

    /// Reads the CPU clocks of its threads: the kernel adds what a thread on another core has run
    /// since the last tick, 4 ms or so, to that of the process only when it is asked for its own.
    void read_clocks() const;

private:
    static constexpr int kMost = 256;  // threads
    /// What is left of a share, [begin, end) in the two halves of a word.
    struct alignas(64) Share {
        std::atomic<std::uint64_t> left{0};
    };

    Team() = default;
    void start(int threads);
    void live(int self);
    void work(int self);
    bool take(int share, bool front, std::size_t& begin, std::size_t& end);

    /// How many threads are in the loop; then whether it is open; then its number, which tells a
    /// thread whether it has been there.
    static constexpr std::uint32_t kOpen = 1u << 12, kNumber = kOpen << 1, kInside = kOpen - 1;
    alignas(64) std::atomic<std::uint32_t> state_{0};

    // The loop, written while it is closed and nobody is in it.
    alignas(64) Work fn_ = nullptr;
    const void* context_ = nullptr;
    std::size_t grain_ = 1;
    int threads_ = 1;
    Share shares_[kMost];

    std::mutex caller_;             // held from a loop's start to its end
    std::atomic<int> started_ = 0;  // threads besides the first caller
    clockid_t clocks_[kMost] = {};  // theirs
    std::mutex failure_;            // of what follows
    std::exception_ptr error_;
};

}  // namespace slosh::detail
