#include "slosh/base/memory.h"

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <limits>

#include "slosh/base/pages.h"

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

// Address sanitizer must see each piece come and go.
#if defined(__SANITIZE_ADDRESS__)
constexpr bool kPooled = false;
#elif defined(__has_feature)
constexpr bool kPooled = !__has_feature(address_sanitizer);
#else
constexpr bool kPooled = true;
#endif

/// Where memory comes from, noted just before it.
struct Origin {
    void* whole = nullptr;
    bool pages = false;  ///< From take_pages.
};
}  // namespace

void* allocate_aligned(std::size_t bytes) {
    constexpr std::size_t kLine = 64, kLarge = std::size_t{1} << 20;
    constexpr std::size_t kPlaces = 61, kApart = 17 * kLine;
    if (bytes > std::numeric_limits<std::size_t>::max() / 2) throw std::bad_alloc();
    const bool large = kPooled && bytes >= kLarge;
    // Fields that are read side by side must not all start at the same place of the caches.
    static std::atomic<std::size_t> count{0};
    const std::size_t shift = kLine + (large ? kApart * (count++ % kPlaces) : 0);
    void* whole = nullptr;
    bool fresh = false;
    if (large)
        whole = take_pages(bytes + shift, fresh);
    else
        whole = std::aligned_alloc(kLine, (bytes + shift + kLine - 1) / kLine * kLine);
    if (!whole) throw std::bad_alloc();
    char* start = static_cast<char*>(whole) + shift;
    const Origin origin{whole, large};
    std::memcpy(start - sizeof origin, &origin, sizeof origin);
    return start;
}

void free_aligned(void* memory) {
    if (!memory) return;
    Origin origin;
    std::memcpy(&origin, static_cast<char*>(memory) - sizeof origin, sizeof origin);
    if (origin.pages)
        give_pages_back(origin.whole);
    else
        std::free(origin.whole);
}

std::size_t peak_bytes() {
    return status_kilobytes("VmHWM:") * 1024;
}
std::size_t current_bytes() {
    return status_kilobytes("VmRSS:") * 1024;
}

}  // namespace slosh
