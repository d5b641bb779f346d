#include "slosh/base/memory.h"

#include <sys/mman.h>

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
    constexpr std::size_t kHugePage = std::size_t{2} << 20, kLarge = 2 * kHugePage;
    if (bytes > std::numeric_limits<std::size_t>::max() - kHugePage) throw std::bad_alloc();
    const std::size_t alignment = bytes >= kLarge ? kHugePage : 64;
    const std::size_t rounded = (bytes + alignment - 1) / alignment * alignment;
    void* memory = std::aligned_alloc(alignment, rounded > 0 ? rounded : alignment);
    if (!memory) throw std::bad_alloc();
    // Only advice: without huge pages all goes on with small ones.
    if (alignment == kHugePage) madvise(memory, rounded, MADV_HUGEPAGE);
    return memory;
}

void free_aligned(void* memory) { std::free(memory); }

std::size_t peak_bytes() { return status_kilobytes("VmHWM:") * 1024; }
std::size_t current_bytes() { return status_kilobytes("VmRSS:") * 1024; }

}  // namespace slosh
