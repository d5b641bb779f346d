// Stops with a clear line on a processor without AVX2 and FMA, before any other code of slosh runs.
//
// This is the one file compiled without these instructions (cmake/folders.cmake). It uses nothing
// but C functions: an inline function of a C++ header could be merged by the linker with a copy
// from a file that does use them.

#include <unistd.h>

#include <cstdlib>
#include <cstring>

namespace {

// 101 is the earliest priority open to programs: earlier than every static initialiser.
__attribute__((constructor(101))) void require_avx2() {
    __builtin_cpu_init();
    bool ok = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
    // For tests: SLOSH_ASSUME_CPU=none pretends that the processor has neither.
    const char* assumed = std::getenv("SLOSH_ASSUME_CPU");
    if (assumed && std::strcmp(assumed, "none") == 0) ok = false;
    if (ok) return;
    static const char line[] =
        "slosh: this processor lacks AVX2 and FMA, which slosh needs (Intel since 2013, AMD since "
        "2015)\n";
    if (write(STDERR_FILENO, line, sizeof line - 1) < 0) _exit(2);
    _exit(2);
}

}  // namespace
