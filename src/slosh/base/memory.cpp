#include "slosh/base/memory.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <new>

#include "slosh/base/pages.h"

namespace slosh {

namespace {
#if defined(__SANITIZE_ADDRESS__)
constexpr std::size_t kPooled = std::numeric_limits<std::size_t>::max();  // let it watch them all
#else
constexpr std::size_t kPooled = std::size_t{256} << 10;
#endif

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
    if (bytes >= kPooled) {
        bool fresh = false;
        return take_pages(bytes, fresh);
    }
    const std::size_t rounded = (bytes + 63) / 64 * 64;
    void* memory = std::aligned_alloc(64, rounded > 0 ? rounded : 64);
    if (!memory) throw std::bad_alloc();
    return memory;
}

void free_aligned(void* memory, std::size_t bytes) {
    if (bytes >= kPooled)
        give_pages_back(memory);
    else
        std::free(memory);
}

std::size_t peak_bytes() { return status_kilobytes("VmHWM:") * 1024; }
std::size_t current_bytes() { return status_kilobytes("VmRSS:") * 1024; }

}  // namespace slosh
