#include "slosh/base/memory.h"

#include <sys/mman.h>

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <limits>

namespace slosh {

namespace {
std::size_t status_kilobytes(const char* key) {
    std::FILE* f = std::fopen("/proc/self/status", "r");
    if (!f) return 0;
    char line[256];
    unsigned long kb = 0;
    const std::size_t n = std::strlen(key);
    while (std::fgets(line, sizeof line, f))
        if (std::strncmp(line, key, n) == 0) std::sscanf(line + n, "%lu", &kb);
    std::fclose(f);
    return kb;
}
}  // namespace

void* allocate_aligned(std::size_t bytes) {
    constexpr std::size_t kLine = 64, kHugePage = std::size_t{2} << 20, kLarge = kHugePage / 2;
    constexpr std::size_t kPlaces = 61, kApart = 17 * kLine;
    if (bytes > std::numeric_limits<std::size_t>::max() - 2 * kHugePage) throw std::bad_alloc();
    const bool large = bytes >= kLarge;
    const std::size_t alignment = large ? kHugePage : kLine;
    // Fields that are read side by side must not all start at the same place of the caches.
    static std::atomic<std::size_t> count{0};
    const std::size_t shift = kLine + (large ? kApart * (count++ % kPlaces) : 0);
    const std::size_t rounded = (bytes + shift + alignment - 1) / alignment * alignment;
    void* memory = std::aligned_alloc(alignment, rounded);
    if (!memory) throw std::bad_alloc();
    // Only advice: without huge pages all goes on with small ones.
    if (large) madvise(memory, rounded, MADV_HUGEPAGE);
    char* start = static_cast<char*>(memory) + shift;
    std::memcpy(start - sizeof memory, &memory, sizeof memory);  // for free_aligned
    return start;
}

void free_aligned(void* memory) {
    if (!memory) return;
    void* whole = nullptr;
    std::memcpy(&whole, static_cast<char*>(memory) - sizeof whole, sizeof whole);
    std::free(whole);
}

std::size_t peak_bytes() { return status_kilobytes("VmHWM:") * 1024; }
std::size_t current_bytes() { return status_kilobytes("VmRSS:") * 1024; }

}  // namespace slosh
