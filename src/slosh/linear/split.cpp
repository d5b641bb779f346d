#include "slosh/linear/split.h"

#include <sys/mman.h>

#include <new>

namespace slosh {

// Straight from the system: new pages are zero already, and huge ones save a tenth of a solve in
// page faults.
template <int D>
SplitField<D>::SplitField(int blocks) {
    constexpr std::size_t kPage = std::size_t(2) << 20;
    const std::size_t size =
        (static_cast<std::size_t>(blocks) + 1) * kBlockCells<D> * sizeof(float);
    const std::size_t mapped = size < kPage ? size : size + kPage;
    void* p = mmap(nullptr, mapped, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (p == MAP_FAILED) throw std::bad_alloc();
    memory_ = {p, Unmap{mapped}};
    bytes_ = size;
    std::uintptr_t start = reinterpret_cast<std::uintptr_t>(p);
    if (size >= kPage) {
        start = (start + kPage - 1) / kPage * kPage;
        madvise(reinterpret_cast<void*>(start), size, MADV_HUGEPAGE);
    }
    data_ = reinterpret_cast<float*>(start);
}

template <int D>
void SplitField<D>::Unmap::operator()(void* p) const {
    munmap(p, size);
}

template class SplitField<2>;
template class SplitField<3>;

}  // namespace slosh
