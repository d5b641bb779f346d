// The grids of a multigrid method, finest first, with the transfers between neighbours.
#pragma once

#include "slosh/lcp/interpolation.h"

namespace slosh {

struct GridLevel {
    SparseMatrix A;
    std::vector<double> diagonal;  ///< Of A; 0 in rows that mean nothing (see below).
    std::vector<Index<3>> cells;
    // To the next coarser grid; empty on the coarsest.
    SparseMatrix P, R;        ///< Interpolation, and P^T / 2^D.
    std::vector<int> parent;  ///< Row of each cell's parent, or -1.

    std::size_t bytes() const;
};

struct HierarchyOptions {
    TransferOptions transfer;
    bool galerkin = true;  ///< Coarse operators R A P; else discretised anew (geometric.h).
    int bubble_grids = 2;  ///< If anew: coarse grids on which bubbles persist.
    /// If anew: raise coarse diagonals to at least this share of those of R A P (see below).
    double least_diagonal = 0;
    int coarsest = 4;  ///< Stop at a grid at most this many cells wide.
};

/// A pocket that lies within one coarse cell gives that cell a diagonal of zero but for rounding.
/// Such a diagonal is set to zero, and relax() passes the row by.
///
/// Discretised anew, a coarse cell that a wall nearly fills has a tiny diagonal, but P^T brings it
/// residuals from open cells around it: the correction overshoots, and cycles diverge from 128^3
/// on. `least_diagonal` stops that.
std::vector<GridLevel> build_hierarchy(SparseMatrix A, std::vector<Index<3>> cells, int dim,
                                       const HierarchyOptions& options);

/// Whether rows on `cells` fit into a box `width` cells wide.
bool fits(const std::vector<Index<3>>& cells, int width);

}  // namespace slosh
