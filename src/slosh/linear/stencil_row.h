// One row of a level's matrix, cell by cell: for what happens in few cells (internal to the
// multigrid).
#pragma once

#include <bit>

#include "slosh/linear/multigrid.h"

namespace slosh {

/// The place across a face of a cell of `block`; in the block of zeros where no block is live.
template <int D>
SplitPlace<D> place_across(const MultigridLevel<D>& level, int block, Index<D> cell, int axis,
                           bool upper) {
    cell[axis] += upper ? 1 : -1;
    const bool inside = cell[axis] >= 0 && cell[axis] < kSide;
    cell[axis] &= kSide - 1;
    return split_place<D>(inside ? block : level.faces[block][2 * axis + upper],
                          cell_offset<D>(cell));
}

/// Of the finest level, in its units: sum_j c_j (x_i - x_j) + excess x_i. All zero if the cell is
/// no unknown.
template <int D>
struct StencilRow {
    float diagonal = 0;
    float c[2 * D] = {};
    SplitPlace<D> near[2 * D];  ///< Across the faces x-, x+, y- ...

    StencilRow(const MultigridLevel<D>& level, int block, int offset) {
        const SplitPlace<D> own = split_place<D>(block, offset);
        const BlockKinds& k = level.kinds[block];
        const std::uint32_t bit = 1u << (own.at / 8);
        const bool plain = k.plain[own.colour] & bit;
        if (!plain && !(k.mixed[own.colour] & bit)) return;
        const std::uint32_t number =
            k.first[own.colour] + std::popcount(k.mixed[own.colour] & (bit - 1));
        const int lane = own.at % 8;
        const Index<D> cell = local_cell<D>(offset);
        diagonal = plain ? 0 : level.exact[number].excess[lane];
        for (int side = 0; side < 2 * D; ++side) {
            const int axis = side / 2, upper = side & 1;
            // In x the vectors keep first the neighbour that shares the cell's pair (split.h).
            const int kept = axis == 0 ? (upper + cell[0] + 1) & 1 : side;
            c[side] = plain ? 1 : level.exact[number].c[kept][lane];
            diagonal += c[side];
            near[side] = place_across(level, block, cell, axis, upper);
        }
    }
};

}  // namespace slosh
