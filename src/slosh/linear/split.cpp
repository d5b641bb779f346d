#include "slosh/linear/split.h"

#include <sys/mman.h>

#include <cstdlib>
#include <cstring>
#include <new>

namespace slosh {

template <int D>
void SplitField<D>::Free::operator()(void* p) const {
    std::free(p);
}

template <int D>
SplitField<D>::SplitField(int blocks) {
    constexpr std::size_t kPage = std::size_t(2) << 20;
    const std::size_t block_bytes = kBlockCells<D> * sizeof(float);
    bytes_ = (static_cast<std::size_t>(blocks) + 1) * block_bytes;
    const bool large = bytes_ >= 2 * kPage;
    const std::size_t align = large ? kPage : 64;
    const std::size_t padded = (bytes_ + align - 1) / align * align;
    memory_.reset(std::aligned_alloc(align, padded));
    if (!memory_) throw std::bad_alloc();
    // Solves are short and touch all of this: without huge pages a tenth of one is page faults.
    if (large) madvise(memory_.get(), padded, MADV_HUGEPAGE);
    data_ = static_cast<float*>(memory_.get());
    parallel_for(static_cast<std::size_t>(blocks) + 1, 64, [&](std::size_t b) {
        std::memset(static_cast<void*>(block(static_cast<int>(b))), 0, block_bytes);
    });
}

template class SplitField<2>;
template class SplitField<3>;

}  // namespace slosh
