// Calls for memory a little before it is needed (internal to the multigrid and its solvers).
//
// Processors call by themselves for the lines that follow those at work. What lies elsewhere is
// waited for: lists of which a block has a short piece only, and of each block the plane or row of
// the blocks beyond its upper faces, which nothing has touched yet in a pass. On one thread of an
// AMD EPYC half of the time of double residuals went into that, and a third of search's.
#pragma once

#include <immintrin.h>

#include <algorithm>
#include <cstddef>
#include <vector>

#include "slosh/base/inline.h"
#include "slosh/linear/split.h"

namespace slosh {

constexpr int kLine = 64;                           ///< Bytes that memory comes in ...
constexpr int kLineFloats = kLine / sizeof(float);  ///< ... and numbers in them.

inline SLOSH_INLINE void call_for(const void* p) {
    _mm_prefetch(static_cast<const char*>(p), _MM_HINT_T0);
}

/// For the entry of a list some entries after this one, if there is any.
template <class List>
inline SLOSH_INLINE void call_ahead(const List& list, std::size_t number) {
    constexpr std::size_t kAhead = 8;
    const char* p = reinterpret_cast<const char*>(&list[number]) + kAhead * sizeof(list[number]);
    for (int at = 0; at < static_cast<int>(sizeof(list[number])); at += kLine) call_for(p + at);
}

/// The block after the i-th of a list; the last one itself.
inline int block_after(const std::vector<int>& blocks, std::size_t i) {
    return blocks[std::min(i + 1, blocks.size() - 1)];
}

/// For the neighbours of a block across its upper faces, of one colour.
template <int D>
inline SLOSH_INLINE void call_for_faces(const SplitField<D>& f, const std::array<int, 2 * D>& faces,
                                        int colour) {
    const float* above_y = f.half(faces[3], colour);
    for (int z = 0; z < kPlanes<D>; ++z) call_for(above_y + 32 * z);
    if constexpr (D == 3) {
        const float* above_z = f.half(faces[5], colour);
        call_for(above_z);
        call_for(above_z + kLineFloats);
    }
}

}  // namespace slosh
