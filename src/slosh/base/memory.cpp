#include "slosh/base/memory.h"

#include <cstdio>
#include <cstring>

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

std::size_t peak_bytes() { return status_kilobytes("VmHWM:") * 1024; }
std::size_t current_bytes() { return status_kilobytes("VmRSS:") * 1024; }

}  // namespace slosh
