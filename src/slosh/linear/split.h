// The multigrid's own layout: the red cells of all blocks first, then the black ones.
//
// A cell is red (colour 0) if the sum of its coordinates is even. A row of eight cells holds four
// of each colour; cell k of colour t in row (y, z) is x = 2k + s, s = (y + z + t) & 1. Two rows
// (y even, y+1) of one colour make one AVX2 vector; a block has kVectors of them per colour:
//
//     value of colour t, block b, row (y, z), number k:  half(b, t) + 32 z + 4 y + k
//
// A half-sweep of Gauss-Seidel over one colour so reads only the other colour and writes only its
// own, every lane doing work and every stream of memory without gaps. The neighbours of a vector:
// in y and z the other colour at the same k; in x the other colour at the same k ("own") and at k-1
// where s = 0, k+1 where s = 1 ("shift"). A coarse cell covers one red and one black cell of each
// fine row, both at the same k: transfer between levels is a sum of rows.
#pragma once

#include <immintrin.h>

#include <array>
#include <cstdint>

#include "slosh/base/pages.h"
#include "slosh/grid/field.h"
#include "slosh/linear/block_rows.h"

namespace slosh {

template <int D>
constexpr int kHalf = kBlockCells<D> / 2;  ///< Cells of a colour in a block.
template <int D>
constexpr int kVectors = kHalf<D> / 8;  ///< Vectors of a colour in a block: 32, or 4 in 2D.

/// Where lane `lane` of vector `v` of colour t sits in a block stored x fastest.
template <int D>
constexpr int split_cell(int t, int v, int lane) {
    const int z = v >> 2, y = 2 * (v & 3) + (lane >> 2);
    return 64 * z + kSide * y + 2 * (lane & 3) + ((y + z + t) & 1);
}

/// Values in the split layout, zero at first (unless told otherwise), with a zero block at the end
/// for neighbours that do not exist.
template <int D>
class SplitField {
public:
    SplitField() = default;
    explicit SplitField(int blocks, Fill fill = Fill::Zero)
        : pages_((static_cast<std::size_t>(blocks) + 1) * kBlockCells<D> * sizeof(float), fill),
          colour_(static_cast<std::size_t>(blocks + 1) * kHalf<D>) {}
    /// The kHalf cells of colour t in block b.
    float* half(int b, int t) {
        return static_cast<float*>(pages_.data()) + t * colour_ +
               static_cast<std::size_t>(b) * kHalf<D>;
    }
    const float* half(int b, int t) const { return const_cast<SplitField*>(this)->half(b, t); }
    std::size_t bytes() const { return pages_.bytes(); }

private:
    Pages pages_;
    std::size_t colour_ = 0;  // cells of one colour
};

/// Where a cell's value is in a SplitField.
template <int D>
struct SplitPlace {
    int block, colour, at;
    float& in(SplitField<D>& f) const { return f.half(block, colour)[at]; }
    float in(const SplitField<D>& f) const { return f.half(block, colour)[at]; }
};

template <int D>
SplitPlace<D> split_place(int block, int offset) {
    const Index<D> c = local_cell<D>(offset);
    const int z = D == 3 ? c[D - 1] : 0;
    return {block, (c[0] + c[1] + z) & 1, 32 * z + 4 * c[1] + (c[0] >> 1)};
}

/// A place as one number, counted from half(0, 0) of fields of `blocks` blocks, and back.
template <int D>
std::uint32_t place_number(const SplitPlace<D>& p, int blocks) {
    return static_cast<std::uint32_t>((p.colour * (blocks + 1) + p.block) * kHalf<D> + p.at);
}
template <int D>
SplitPlace<D> numbered_place(std::uint32_t number, int blocks) {
    const auto colour_size = static_cast<std::uint32_t>(blocks + 1) * kHalf<D>;
    const int colour = number >= colour_size;
    if (colour) number -= colour_size;
    return {static_cast<int>(number / kHalf<D>), colour, static_cast<int>(number % kHalf<D>)};
}
/// Numbers of places of such fields.
template <int D>
std::size_t place_count(int blocks) {
    return 2 * (static_cast<std::size_t>(blocks) + 1) * kHalf<D>;
}

}  // namespace slosh
