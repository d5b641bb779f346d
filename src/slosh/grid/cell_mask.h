// Sets of cells of a block as bits: one 64-bit word per 8x8 plane, bit 8y + x of word z.
#pragma once

#include <immintrin.h>

#include <array>
#include <bit>
#include <cstdint>
#include <cstring>

#include "slosh/grid/blocks.h"

namespace slosh {

template <int D>
using CellMask = std::array<std::uint64_t, kPlanes<D>>;

constexpr std::uint64_t kColumn0 = 0x0101010101010101ull;  ///< Cells with x = 0.

template <int D>
bool any(const CellMask<D>& m) {
    std::uint64_t all = 0;
    for (std::uint64_t w : m) all |= w;
    return all != 0;
}

template <int D>
bool is_full(const CellMask<D>& m) {
    std::uint64_t all = ~0ull;
    for (std::uint64_t w : m) all &= w;
    return all == ~0ull;
}

/// The eight bits of row y of a plane.
inline std::uint64_t row_of(std::uint64_t plane, int y) {
    return plane >> (kSide * y) & 0xff;
}
/// All ones in the lanes of a row whose bit is set.
inline __m256 lanes_of(std::uint64_t row_bits) {
    const __m256i bit = _mm256_setr_epi32(1, 2, 4, 8, 16, 32, 64, 128);
    const __m256i all = _mm256_set1_epi32(static_cast<int>(row_bits & 0xff));
    return _mm256_castsi256_ps(_mm256_cmpeq_epi32(_mm256_and_si256(all, bit), bit));
}

/// Cells of a block whose byte is not zero.
template <int D>
inline CellMask<D> nonzero(const std::uint8_t* v) {
    CellMask<D> m;
    for (int z = 0; z < kPlanes<D>; ++z, v += 64) {
        std::uint64_t word = 0;
        for (int half = 0; half < 2; ++half) {
            const __m256i b = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(v + 32 * half));
            const int zero = _mm256_movemask_epi8(_mm256_cmpeq_epi8(b, _mm256_setzero_si256()));
            word |= static_cast<std::uint64_t>(~static_cast<std::uint32_t>(zero)) << (32 * half);
        }
        m[z] = word;
    }
    return m;
}

/// Cells of a block whose value compares to `to` as kCompare (_CMP_EQ_OQ, _CMP_GT_OQ) says.
template <int D, int kCompare>
inline CellMask<D> compare(const float* v, float to) {
    const __m256 t = _mm256_set1_ps(to);
    CellMask<D> m;
    for (int z = 0; z < kPlanes<D>; ++z) {
        std::uint64_t word = 0;
        for (int y = 0; y < kSide; ++y, v += kSide) {
            const int row = _mm256_movemask_ps(_mm256_cmp_ps(_mm256_load_ps(v), t, kCompare));
            word |= static_cast<std::uint64_t>(row) << (8 * y);
        }
        m[z] = word;
    }
    return m;
}

/// Whether any byte of a block is not zero.
template <int D>
inline bool any_nonzero(const std::uint8_t* v) {
    __m256i all = _mm256_setzero_si256();
    for (int o = 0; o < kBlockCells<D>; o += 32)
        all = _mm256_or_si256(all, _mm256_loadu_si256(reinterpret_cast<const __m256i*>(v + o)));
    return !_mm256_testz_si256(all, all);
}

/// The other way round: 1 in the bytes of the cells that are set, 0 elsewhere.
template <int D>
inline void store_marks(const CellMask<D>& m, std::uint8_t* v) {
    // A row's bits, all of them in each of eight bytes, of which byte x keeps bit x ...
    constexpr std::uint64_t own = 0x8040201008040201ull, below_top = 0x7f * kColumn0;
    for (int z = 0; z < kPlanes<D>; ++z)
        for (int y = 0; y < kSide; ++y, v += kSide) {
            const std::uint64_t bits = (m[z] >> (kSide * y) & 0xff) * kColumn0 & own;
            // ... and anything but zero carries into the byte's top bit.
            const std::uint64_t bytes = (bits + below_top) >> 7 & kColumn0;
            std::memcpy(v, &bytes, sizeof bytes);
        }
}

/// For each cell the bit of its upper neighbour along `axis`; `next` is the mask of the block
/// above.
template <int D>
inline CellMask<D> from_above(const CellMask<D>& m, const CellMask<D>& next, int axis) {
    CellMask<D> r;
    for (int z = 0; z < kPlanes<D>; ++z) {
        if (axis == 0)
            r[z] = (m[z] >> 1 & ~(kColumn0 << 7)) | (next[z] & kColumn0) << 7;
        else if (axis == 1)
            r[z] = m[z] >> 8 | next[z] << 56;
        else
            r[z] = z + 1 < kPlanes<D> ? m[z + 1] : next[0];
    }
    return r;
}

template <int D>
inline int count(const CellMask<D>& m) {
    int n = 0;
    for (std::uint64_t plane : m) n += std::popcount(plane);
    return n;
}

/// For each cell the bit of its lower neighbour along `axis`; `last` is the mask of the block
/// below.
template <int D>
inline CellMask<D> from_below(const CellMask<D>& m, const CellMask<D>& last, int axis) {
    CellMask<D> r;
    for (int z = 0; z < kPlanes<D>; ++z) {
        if (axis == 0)
            r[z] = (m[z] << 1 & ~kColumn0) | (last[z] >> 7 & kColumn0);
        else if (axis == 1)
            r[z] = m[z] << 8 | last[z] >> 56;
        else
            r[z] = z > 0 ? m[z - 1] : last[kPlanes<D> - 1];
    }
    return r;
}

}  // namespace slosh
