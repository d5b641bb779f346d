// Coarse grids and interpolation for pressures at cell centres [Lai2021, sec. 5.3.2, 5.3.3].
//
// The 2^D cells of a coarse cell are its children. A fine row takes its value from its parent and
// from the parent's neighbours on the row's own side (a quarter of a coarse cell away):
//
//     barycentric   1/2, 1/4, 1/4 (2D) or four times 1/4 (3D): exact for linear functions     (I1)
//     trilinear     products of 3/4 and 1/4 over the 2^D nearest                              (I2)
//     constant      the parent alone                                                          (I3)
//
// Only coarse cells that hold rows exist; what happens to the weights of the others decides how
// fast a cycle converges. Beyond the surface p = 0, so such a weight is dropped and no other grows.
// Behind a wall p continues, so the rest is scaled to sum to one. The matrix tells which it is: a
// row that sums to more than zero sees air (or a row held at zero), any other sees walls.
//
// *One-sided*: a coarse cell across a wall is not used either. It is on the row's side if a path of
// couplings leads from the row to a child of it without leaving the children of the cells between.
#pragma once

#include <vector>

#include "slosh/lcp/sparse.h"

namespace slosh {

enum class CoarseTransfer { Barycentric, Trilinear, Constant };

struct TransferOptions {
    CoarseTransfer kind = CoarseTransfer::Barycentric;
    bool one_sided = true;  ///< Leave out coarse cells across a wall.
    bool normalise = true;  ///< Scale weights to sum to one in rows that see no air.
};

/// The parents of `cells`, in order of first occurrence.
std::vector<Index<3>> parents_of(const std::vector<Index<3>>& cells);
/// Position in `coarse` of the parent of each cell, or -1.
std::vector<int> find_parents(const std::vector<Index<3>>& cells,
                              const std::vector<Index<3>>& coarse);
/// P: a row for each row of A (whose cells are `cells`), a column for each cell of `coarse`.
SparseMatrix interpolation(const SparseMatrix& A, const std::vector<Index<3>>& cells,
                           const std::vector<Index<3>>& coarse, int dim,
                           const TransferOptions& options);

/// The cell of twice the width that holds `cell`.
inline Index<3> parent_of(const Index<3>& cell) {
    return {cell[0] >> 1, cell[1] >> 1, cell[2] >> 1};
}

}  // namespace slosh
