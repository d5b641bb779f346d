// Pockets: connected sets of unknowns without any excess, on which the matrix is singular.
//
// Connectivity is found block by block with bit masks (a 64-bit word is an 8x8 plane; a flood is a
// few shifts), then block components are joined across block faces by union-find.
#pragma once

#include <cstdint>
#include <vector>

#include "slosh/linear/cell_mask.h"
#include "slosh/linear/system.h"

namespace slosh {

template <int D>
struct Pockets {
    struct Part {
        int block, pocket;
        CellMask<D> cells;
    };
    int count = 0;
    std::vector<Part> parts;  ///< In block order.
};

template <int D>
Pockets<D> find_pockets(const BlockSystem<D>& system);

/// What is left of the matrix' null space when bodies couple pockets: combinations of pockets, each
/// given by one number per pocket, that no body feels. Without bodies: every pocket by itself.
/// (Two pockets that a plug parts in a closed tube are one combination, of equal numbers: the plug
/// feels the difference of their pressures, nothing feels the sum. One pocket that ends at
/// a free piston is none.)
template <int D>
std::vector<std::vector<double>> null_combinations(const Pockets<D>& pockets,
                                                   const LowRank<D>* bodies);

}  // namespace slosh
