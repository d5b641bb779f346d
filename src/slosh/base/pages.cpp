#include "slosh/base/pages.h"

#include <sys/mman.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <limits>
#include <mutex>
#include <new>
#include <unordered_map>
#include <vector>

#include "slosh/base/parallel.h"

namespace slosh {

namespace {

constexpr std::size_t kSmall = 4096, kHuge = std::size_t(2) << 20;

struct Mapping {
    void* data;
    std::size_t size;     // addresses it spans
    std::size_t touched;  // what was once asked for, and so is backed by memory
};

struct Pool {
    std::mutex mutex;
    std::vector<Mapping> free;  // oldest first
    std::unordered_map<void*, Mapping> used;
    std::size_t free_bytes = 0, used_bytes = 0, peak_bytes = 0;  // touched ones

    void use(const Mapping& m) {
        used.emplace(m.data, m);
        used_bytes += m.touched;
        peak_bytes = std::max(peak_bytes, used_bytes);
    }
};
Pool& pool() {
    static Pool* p = new Pool;  // never destroyed: arrays may outlive other statics
    return *p;
}

/// Hands out the pooled mapping that fits best and is not much too large; null if none does. Best
/// is the smallest that has been touched throughout, or else the one with least to touch.
void* take_pooled(std::size_t size) {
    Pool& p = pool();
    const std::lock_guard lock(p.mutex);
    const auto is_better = [&](const Mapping& a, const Mapping& b) {
        const bool whole_a = a.touched >= size, whole_b = b.touched >= size;
        if (whole_a != whole_b) return whole_a;
        return whole_a ? a.touched < b.touched : a.touched > b.touched;
    };
    auto best = p.free.end();
    for (auto it = p.free.begin(); it != p.free.end(); ++it)
        if (it->size >= size && it->touched <= size + size / 2 + kSmall &&
            (best == p.free.end() || is_better(*it, *best)))
            best = it;
    if (best == p.free.end()) return nullptr;
    Mapping m = *best;
    p.free_bytes -= m.touched;
    p.free.erase(best);
    m.touched = std::max(m.touched, size);
    p.use(m);
    return m.data;
}

/// New zero pages; huge sizes start at a huge page.
void* map(std::size_t size) {
    const bool huge = size >= kHuge;
    const std::size_t mapped = huge ? size + kHuge : size;
    void* p = mmap(nullptr, mapped, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (p == MAP_FAILED) throw std::bad_alloc();
    if (!huge) return p;
    char* start = static_cast<char*>(p);
    const std::size_t head = (kHuge - reinterpret_cast<std::uintptr_t>(p) % kHuge) % kHuge;
    if (head > 0) munmap(start, head);
    if (head < kHuge) munmap(start + head + size, kHuge - head);
    madvise(start + head, size, MADV_HUGEPAGE);
    return start + head;
}

}  // namespace

void* take_pages(std::size_t bytes, bool& fresh) {
    const std::size_t page = bytes >= kHuge ? kHuge : kSmall;
    if (bytes > std::numeric_limits<std::size_t>::max() - 2 * kHuge) throw std::bad_alloc();
    const std::size_t size = (bytes + page - 1) / page * page;
    void* memory = take_pooled(size);
    fresh = memory == nullptr;
    if (!fresh) return memory;
    // Liquid spreads: room for the same array of a later step, in addresses that cost nothing
    // until they are touched.
    const std::size_t room = (size + size / 4 + page - 1) / page * page;
    memory = map(room);
    const std::lock_guard lock(pool().mutex);
    pool().use({memory, room, size});
    return memory;
}

void give_pages_back(void* memory) {
    Pool& p = pool();
    const std::lock_guard lock(p.mutex);
    const auto it = p.used.find(memory);
    const Mapping m = it->second;
    p.used.erase(it);
    p.used_bytes -= m.touched;
    p.free_bytes += m.touched;
    p.free.push_back(m);
    while (p.free_bytes + p.used_bytes > p.peak_bytes + p.peak_bytes / 4) {
        munmap(p.free.front().data, p.free.front().size);
        p.free_bytes -= p.free.front().touched;
        p.free.erase(p.free.begin());
    }
}

void release_pooled_pages() {
    Pool& p = pool();
    const std::lock_guard lock(p.mutex);
    for (const Mapping& m : p.free) munmap(m.data, m.size);
    p.free.clear();
    p.free_bytes = 0;
    p.peak_bytes = p.used_bytes;
}

Pages::Pages(std::size_t bytes, Fill fill) : bytes_(bytes) {
    if (bytes == 0) return;
    bool fresh = false;
    data_ = take_pages(bytes, fresh);
    if (!fresh && fill == Fill::Nothing) return;
    parallel_for((bytes + kHuge - 1) / kHuge, 1, [&](std::size_t i) {
        char* c = static_cast<char*>(data_);
        const std::size_t begin = i * kHuge, end = std::min(bytes, begin + kHuge);
        if (!fresh)
            std::memset(c + begin, 0, end - begin);
        else
            for (std::size_t at = begin; at < end; at += kSmall)
                static_cast<volatile char*>(c)[at] = 0;
    });
}

Pages::~Pages() {
    if (data_) give_pages_back(data_);
}

}  // namespace slosh
