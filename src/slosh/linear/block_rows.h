// The rows of one block of a field and of its face neighbours, so that a stencil can walk a block
// without copying it into a tile.
#pragma once

#include <array>

#include "slosh/grid/field.h"

namespace slosh {

/// Codes of the face neighbours, lower then upper, axis after axis.
template <int D>
inline constexpr std::array<int, 2 * D> kFaceCodes = [] {
    std::array<int, 2 * D> codes{};
    for (int side = 0; side < 2 * D; ++side) {
        Index<D> o;
        o[side / 2] = side % 2 ? 1 : -1;
        codes[side] = neighbour_code<D>(o);
    }
    return codes;
}();
template <int D>
constexpr int face_code(int side) {
    return kFaceCodes<D>[side];
}

template <class T, int D>
struct BlockRows {
    const T* self;
    const T* near[2 * D];  ///< Face neighbours: -x, +x, -y, +y, -z, +z.

    BlockRows(const Field<T, D>& f, int b) : self(f.block(b)) {
        const auto& n = f.blocks().neighbours(b);
        for (int side = 0; side < 2 * D; ++side) near[side] = f.block(n[face_code<D>(side)]);
    }
    /// The row (y, z); y or z (not both) may be -1 or 8.
    const T* row(int y, int z) const {
        const T* base = self;
        if (y < 0) base = near[2];
        if (y >= kSide) base = near[3];
        if constexpr (D == 3) {
            if (z < 0) base = near[4];
            if (z >= kSide) base = near[5];
        }
        return base + offset(y, z);
    }
    /// The cell left (x = -1) or right (x = 8) of the row.
    T left(int y, int z) const { return near[0][offset(y, z) + kSide - 1]; }
    T right(int y, int z) const { return near[1][offset(y, z)]; }

private:
    static int offset(int y, int z) {
        return kSide * (y & (kSide - 1)) + (D == 3 ? kSide * kSide * (z & (kSide - 1)) : 0);
    }
};

}  // namespace slosh
