#include "slosh/base/team.h"

#include <immintrin.h>
#include <pthread.h>
#include <time.h>

#include <algorithm>
#include <limits>
#include <thread>
#include <utility>

namespace slosh::detail {

namespace {

/// Looks at the state before a thread without work goes to sleep: some tens of microseconds.
constexpr int kPatience = 2000;

thread_local bool inside = false;  // whether this thread is in a loop of the team

constexpr std::uint64_t range(std::uint64_t begin, std::uint64_t end) {
    return begin << 32 | end;
}

}  // namespace

Team& Team::get() {
    static Team* team = new Team;  // never destroyed: its threads go on to the very end
    return *team;
}

void Team::start(int threads) {
    for (int n = started_; n < threads - 1; ++n) {
        std::thread thread([this, self = n + 1] { live(self); });
        pthread_getcpuclockid(thread.native_handle(), &clocks_[n]);
        thread.detach();
        started_ = n + 1;
    }
}

void Team::read_clocks() const {
    for (int n = 0; n < started_; ++n) {
        timespec unused;
        clock_gettime(clocks_[n], &unused);
    }
}

bool Team::run(std::size_t n, std::size_t grain, Work fn, const void* context, int threads) {
    if (inside || n > std::numeric_limits<std::uint32_t>::max()) return false;
    std::unique_lock caller(caller_, std::try_to_lock);
    if (!caller) return false;
    threads_ = std::min(threads, kMost);
    start(threads_);
    fn_ = fn;
    context_ = context;
    grain_ = grain;
    const auto count = static_cast<std::uint64_t>(threads_);
    for (std::uint64_t t = 0; t < count; ++t)
        shares_[t].left.store(range(n * t / count, n * (t + 1) / count), std::memory_order_relaxed);

    state_.fetch_add(kOpen, std::memory_order_release);
    state_.notify_all();
    work(0);
    state_.fetch_add(kNumber - kOpen, std::memory_order_relaxed);  // closed, and the next number
    while (state_.load(std::memory_order_acquire) & kInside) _mm_pause();
    if (error_) std::rethrow_exception(std::exchange(error_, nullptr));
    return true;
}

/// What a thread of the team does all its life: it enters each loop that it finds open, once.
void Team::live(int self) {
    std::uint32_t been = ~0u;  // the number of the last loop it was in
    int patience = kPatience;
    for (;;) {
        std::uint32_t s = state_.load(std::memory_order_acquire);
        const std::uint32_t number = s / kNumber;
        const bool there = (s & kOpen) && number != been;
        if (!there) {
            if (--patience > 0)
                _mm_pause();
            else
                state_.wait(s, std::memory_order_acquire);
            continue;
        }
        if (!state_.compare_exchange_weak(s, s + 1, std::memory_order_acquire)) continue;
        been = number;
        if (self < threads_) work(self);
        state_.fetch_sub(1, std::memory_order_release);
        patience = kPatience;
    }
}

void Team::work(int self) {
    inside = true;
    try {
        std::size_t begin, end;
        for (int k = 0; k < threads_; ++k)
            while (take((self + k) % threads_, k == 0, begin, end)) fn_(context_, begin, end);
    } catch (...) {
        const std::lock_guard lock(failure_);
        if (!error_) error_ = std::current_exception();
        for (int t = 0; t < threads_; ++t) shares_[t].left = 0;  // the rest need not be done
    }
    inside = false;
}

/// A piece of a share: a quarter of what is left, so that threads end together, but not more than
/// a grain.
bool Team::take(int share, bool front, std::size_t& begin, std::size_t& end) {
    std::atomic<std::uint64_t>& left = shares_[share].left;
    std::uint64_t now = left.load(std::memory_order_relaxed);
    for (;;) {
        const std::uint64_t first = now >> 32, last = now & 0xffffffffu;
        if (first >= last) return false;
        const std::uint64_t piece = std::clamp<std::uint64_t>((last - first) / 4, 1, grain_);
        begin = front ? first : last - piece;
        end = begin + piece;
        if (left.compare_exchange_weak(now, front ? range(end, last) : range(first, begin),
                                       std::memory_order_relaxed))
            return true;
    }
}

}  // namespace slosh::detail
