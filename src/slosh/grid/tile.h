// A block together with a halo of H cells from its neighbours, copied into one small dense array,
// so that a stencil is plain index arithmetic.
#pragma once

#include <cstring>

#include "slosh/grid/field.h"

namespace slosh {

template <class T, int D, int H>
struct Tile {
    static constexpr int kStride = kSide + 2 * H;
    static constexpr int kCells = D == 2 ? kStride * kStride : kStride * kStride * kStride;
    alignas(64) T v[kCells];

    /// Offset of a local cell; components in [-H, 8+H).
    static constexpr int offset(const Index<D>& local) {
        int o = 0;
        for (int d = D - 1; d >= 0; --d) o = o * kStride + local[d] + H;
        return o;
    }
    /// Distance in the array between neighbours along `axis`.
    static constexpr int step(int axis) {
        return axis == 0 ? 1 : axis == 1 ? kStride : kStride * kStride;
    }
    T operator[](const Index<D>& local) const { return v[offset(local)]; }

    void load(const Field<T, D>& f, int b) {
        const auto& near = f.blocks().neighbours(b);
        constexpr int z_lo = D == 3 ? -H : 0, z_hi = D == 3 ? kSide + H : 1;
        for (int z = z_lo; z < z_hi; ++z) {
            const int nz = D == 3 ? (z < 0 ? 0 : z >= kSide ? 2 : 1) : 0;
            for (int y = -H; y < kSide + H; ++y) {
                const int ny = y < 0 ? 0 : y >= kSide ? 2 : 1;
                const int code = 3 * ny + 9 * nz;
                const int row =
                    kSide * (y & (kSide - 1)) + (D == 3 ? kSide * kSide * (z & (kSide - 1)) : 0);
                T* out = v + (y + H) * kStride + (D == 3 ? (z + H) * kStride * kStride : 0);
                const T* left = f.block(near[code]) + row;
                const T* mid = f.block(near[code + 1]) + row;
                const T* right = f.block(near[code + 2]) + row;
                std::memcpy(out, left + kSide - H, H * sizeof(T));
                std::memcpy(out + H, mid, kSide * sizeof(T));
                std::memcpy(out + H + kSide, right, H * sizeof(T));
            }
        }
    }
};

/// Calls body(local cell, offset in block, offset in a tile of halo H) for every cell of a block.
template <int D, int H, class Body>
void for_each_cell(const Body& body) {
    using T = Tile<char, D, H>;
    int o = 0;
    for (int z = 0; z < (D == 3 ? kSide : 1); ++z)
        for (int y = 0; y < kSide; ++y) {
            Index<D> c;
            c[1] = y;
            if constexpr (D == 3) c[2] = z;
            int t = T::offset(c);
            for (int x = 0; x < kSide; ++x, ++o, ++t) {
                c[0] = x;
                body(c, o, t);
            }
        }
}

}  // namespace slosh
