// A block with a halo, for scattered reads: like Tile, but each row along x is one aligned cache
// line (8 cells and 4 of each neighbour), copied by whole vectors and never split between lines.
#pragma once

#include <immintrin.h>

#include "slosh/grid/field.h"

namespace slosh {

template <int D, int H>
struct RowTile {
    static constexpr int kHaloX = kSide / 2;
    static constexpr int kRow = kSide + 2 * kHaloX;  ///< Floats between rows.
    static constexpr int kRows = kSide + 2 * H;      ///< Rows per plane, and planes.
    static constexpr int kCells = kRow * kRows * (D == 3 ? kRows : 1);
    alignas(64) float v[kCells];

    /// Index in the tile of local cell 0 along an axis.
    static constexpr int halo(int axis) { return axis == 0 ? kHaloX : H; }
    /// Distance in the array between neighbours along an axis.
    static constexpr int step(int axis) { return axis == 0 ? 1 : axis == 1 ? kRow : kRow * kRows; }

    void load(const Field<float, D>& f, int b) {
        const auto& near = f.blocks().neighbours(b);
        float* out = v;
        for (int z = D == 3 ? -H : 0; z < (D == 3 ? kSide + H : 1); ++z)
            for (int y = -H; y < kSide + H; ++y, out += kRow) {
                int code = 3 * (1 + (y >= kSide) - (y < 0));
                int row = kSide * (y & (kSide - 1));
                if constexpr (D == 3) {
                    code += 9 * (1 + (z >= kSide) - (z < 0));
                    row += kSide * kSide * (z & (kSide - 1));
                }
                _mm_store_ps(out, _mm_load_ps(f.block(near[code]) + row + kSide - kHaloX));
                _mm256_storeu_ps(out + kHaloX, _mm256_load_ps(f.block(near[code + 1]) + row));
                _mm_store_ps(out + kHaloX + kSide, _mm_load_ps(f.block(near[code + 2]) + row));
            }
    }
    float lowest() const {
        __m256 low = _mm256_load_ps(v);
        for (int i = 8; i < kCells; i += 8) low = _mm256_min_ps(low, _mm256_load_ps(v + i));
        alignas(32) float lane[8];
        _mm256_store_ps(lane, low);
        float m = lane[0];
        for (float x : lane) m = x < m ? x : m;
        return m;
    }
};

}  // namespace slosh
