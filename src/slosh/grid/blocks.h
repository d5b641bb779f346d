// The sparse topology: which blocks of 8^D cells exist, in what order, and who touches whom.
//
// Block c holds the cells 8c ... 8c+7 (component-wise). Blocks are kept row by row: x fastest, the
// last axis slowest. What a loop over them reads then are few long streams (a row of blocks, those
// beside it and those above), which is what memory is fastest at: in Morton order, which keeps
// blocks near in space nearer in memory, a sweep over 256^3 cells took a third longer. Every block
// knows its 3^D neighbours; one that does not exist has the index size(), the *background* block,
// which every Field really stores (filled with the field's background value). So a stencil may read
// any neighbour without asking whether it is there.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include "slosh/base/vec.h"

namespace slosh {

constexpr int kSide = 8;  ///< Cells along a block's edge.

template <int D>
constexpr int kBlockCells = D == 2 ? kSide* kSide : kSide* kSide* kSide;
template <int D>
constexpr int kPlanes = D == 3 ? kSide : 1;  ///< Planes of 8x8 cells in a block.
template <int D>
constexpr int kNeighbours = D == 2 ? 9 : 27;
template <int D>
constexpr int kChildren = 1 << D;

/// Number of a neighbour offset in {-1,0,1}^D, in 0 .. 3^D-1; the block itself is 3^D/2.
template <int D>
constexpr int neighbour_code(const Index<D>& o) {
    int code = 0;
    for (int d = D - 1; d >= 0; --d) code = code * 3 + o[d] + 1;
    return code;
}
/// The offset with the given code.
template <int D>
constexpr Index<D> neighbour_offset(int code) {
    Index<D> o;
    for (int d = 0; d < D; ++d, code /= 3) o[d] = code % 3 - 1;
    return o;
}

/// Position of a cell inside its block's array: x fastest.
template <int D>
constexpr int cell_offset(const Index<D>& local) {
    int o = 0;
    for (int d = D - 1; d >= 0; --d) o = o * kSide + local[d];
    return o;
}
/// The local cell with the given offset.
template <int D>
constexpr Index<D> local_cell(int offset) {
    Index<D> c;
    for (int d = 0; d < D; ++d, offset /= kSide) c[d] = offset % kSide;
    return c;
}
/// The block a cell belongs to (rounds down, also for negative cells).
template <int D>
constexpr Index<D> block_of(const Index<D>& cell) {
    Index<D> b;
    for (int d = 0; d < D; ++d) b[d] = cell[d] >> 3;
    return b;
}
/// The cell's place within its block.
template <int D>
constexpr Index<D> local_of(const Index<D>& cell) {
    Index<D> l;
    for (int d = 0; d < D; ++d) l[d] = cell[d] & (kSide - 1);
    return l;
}

/// The number that blocks are ordered by; components must lie in [-2^20, 2^20).
template <int D>
std::uint64_t block_key(const Index<D>& block);

template <int D>
class Blocks {
public:
    Blocks() : Blocks(std::vector<Index<D>>{}) {}
    /// The blocks with the given coordinates, in any order, repeats allowed.
    explicit Blocks(std::vector<Index<D>> coords);

    int size() const { return static_cast<int>(coords_.size()); }
    /// Cells that exist.
    std::size_t cells() const { return coords_.size() * kBlockCells<D>; }
    const Index<D>& coord(int b) const { return coords_[b]; }
    /// The lowest cell of a block.
    Index<D> first_cell(int b) const { return coords_[b] * kSide; }
    /// Index of the block at a block coordinate, or size() if it does not exist.
    int find(const Index<D>& coord) const;
    /// Index of a neighbour by its code, or size().
    int neighbour(int b, int code) const { return neighbours_[b][code]; }
    const std::array<int, kNeighbours<D>>& neighbours(int b) const { return neighbours_[b]; }
    std::size_t bytes() const;

private:
    std::vector<Index<D>> coords_;
    std::vector<std::array<int, kNeighbours<D>>> neighbours_;
    std::vector<std::uint64_t> slot_key_;  // open-addressing table: key + 1, 0 when empty
    std::vector<int> slot_block_;
};

template <int D>
using BlocksPtr = std::shared_ptr<const Blocks<D>>;

/// One step of the hierarchy: the blocks of twice the cell size that cover `fine`.
template <int D>
struct Coarsening {
    BlocksPtr<D> coarse;
    std::vector<int> parent;           ///< Per fine block: its coarse block.
    std::vector<std::uint8_t> octant;  ///< Per fine block: bit d set = upper half in d.
    /// Per coarse block: fine blocks, or size().
    std::vector<std::array<int, kChildren<D>>> children;
};

template <int D>
Coarsening<D> coarsen(const Blocks<D>& fine);

extern template class Blocks<2>;
extern template class Blocks<3>;

}  // namespace slosh
