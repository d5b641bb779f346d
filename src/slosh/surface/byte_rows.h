// Marks of one byte a cell, handled a row of eight at a time.
#pragma once

#include <cstdint>
#include <cstring>

#include "slosh/grid/tile.h"

namespace slosh {

/// The eight bytes at p, the first in the lowest bits.
inline std::uint64_t load_row(const std::uint8_t* p) {
    std::uint64_t row;
    std::memcpy(&row, p, 8);
    return row;
}

/// Bitwise or of the marks within R <= H cells (in each axis) around each cell of a block.
template <int D, int R, int H>
void dilate(const Tile<std::uint8_t, D, H>& in, std::uint8_t* out) {
    constexpr int n = kSide + 2 * H, depth = D == 3 ? n : 1;
    std::uint64_t rows[depth * n], planes[depth * kSide];
    for (int r = 0; r < depth * n; ++r) {
        std::uint64_t all = 0;
        for (int s = -R; s <= R; ++s) all |= load_row(in.v + r * n + H + s);
        rows[r] = all;
    }
    for (int z = 0; z < depth; ++z)
        for (int y = 0; y < kSide; ++y) {
            std::uint64_t all = 0;
            for (int s = -R; s <= R; ++s) all |= rows[z * n + y + H + s];
            planes[z * kSide + y] = all;
        }
    for (int z = 0; z < (D == 3 ? kSide : 1); ++z)
        for (int y = 0; y < kSide; ++y) {
            std::uint64_t all = D == 3 ? 0 : planes[y];
            if constexpr (D == 3)
                for (int s = -R; s <= R; ++s) all |= planes[(z + H + s) * kSide + y];
            std::memcpy(out + (z * kSide + y) * kSide, &all, 8);
        }
}

/// Whether any of n bytes (a multiple of eight) is not zero.
inline bool any_marked(const std::uint8_t* bytes, int n) {
    std::uint64_t all = 0;
    for (int i = 0; i < n; i += 8) all |= load_row(bytes + i);
    return all != 0;
}

}  // namespace slosh
