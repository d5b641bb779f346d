// Sets of cells of a block (grid/cell_mask.h) from the values of a field.
#pragma once

#include <immintrin.h>

#include <cstdint>

#include "slosh/grid/cell_mask.h"
#include "slosh/linear/block_rows.h"

namespace slosh {

/// What compare() (grid/cell_mask.h) finds in the first layer along `axis` alone: what from_above()
/// asks of the block above.
template <int D, int kCompare>
inline CellMask<D> compare_first_layer(const float* v, float to, int axis) {
    const __m256 t = _mm256_set1_ps(to);
    const auto bits = [&](__m256 row) {
        return static_cast<std::uint64_t>(_mm256_movemask_ps(_mm256_cmp_ps(row, t, kCompare)));
    };
    CellMask<D> m{};
    if (axis == 2) {
        for (int y = 0; y < kSide; ++y) m[0] |= bits(_mm256_load_ps(v + kSide * y)) << (8 * y);
        return m;
    }
    for (int z = 0; z < kPlanes<D>; ++z, v += 64) {
        if (axis == 1) {
            m[z] = bits(_mm256_load_ps(v));
            continue;
        }
        const __m256 column = _mm256_setr_ps(v[0], v[8], v[16], v[24], v[32], v[40], v[48], v[56]);
        // Bit y to bit 8y: seven by a product whose terms do not meet, the last by itself.
        const std::uint64_t rows = bits(column);
        m[z] = ((rows & 0x7f) * 0x0002040810204081ull & kColumn0) | (rows >> 7) << 56;
    }
    return m;
}

/// Cells of block b of which any of the 2D faces compares so.
template <int D, int kCompare>
inline CellMask<D> compare_faces(const FaceField<float, D>& f, int b, float to) {
    CellMask<D> any{};
    for (int axis = 0; axis < D; ++axis) {
        const Field<float, D>& c = f.axis(axis);
        const int above = c.blocks().neighbour(b, face_code<D>(2 * axis + 1));
        const CellMask<D> lower = compare<D, kCompare>(c.block(b), to);
        const CellMask<D> upper =
            from_above<D>(lower, compare_first_layer<D, kCompare>(c.block(above), to, axis), axis);
        for (int z = 0; z < kPlanes<D>; ++z) any[z] |= lower[z] | upper[z];
    }
    return any;
}

}  // namespace slosh
