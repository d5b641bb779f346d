#include "slosh/linear/pages.h"

#include <sys/mman.h>

#include <algorithm>
#include <cstdint>
#include <new>

#include "slosh/base/parallel.h"

namespace slosh {

Pages::Pages(std::size_t bytes) : bytes_(bytes) {
    if (bytes == 0) return;
    constexpr std::size_t kSmall = 4096, kHuge = std::size_t(2) << 20;
    const bool huge = bytes >= kHuge;
    if (huge) bytes = (bytes + kHuge - 1) / kHuge * kHuge;  // the last page is a huge one too
    const std::size_t mapped = huge ? bytes + kHuge : bytes;
    void* p = mmap(nullptr, mapped, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (p == MAP_FAILED) throw std::bad_alloc();
    memory_ = {p, Unmap{mapped}};
    std::uintptr_t start = reinterpret_cast<std::uintptr_t>(p);
    if (huge) {
        start = (start + kHuge - 1) / kHuge * kHuge;
        madvise(reinterpret_cast<void*>(start), bytes, MADV_HUGEPAGE);
    }
    data_ = reinterpret_cast<void*>(start);
    parallel_for((bytes + kHuge - 1) / kHuge, 1, [&](std::size_t i) {
        volatile char* c = static_cast<char*>(data_);
        for (std::size_t at = i * kHuge; at < std::min(bytes, (i + 1) * kHuge); at += kSmall)
            c[at] = 0;
    });
}

void Pages::Unmap::operator()(void* p) const {
    munmap(p, size);
}

}  // namespace slosh
