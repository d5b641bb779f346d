// Projected Gauss-Seidel sweeps [Lai2021, Algorithm 5], the smoother of all multigrid methods of
// this folder:
//
//     x_i = max( lower_i, (rhs_i - sum_{j != i} a_ij x_j) / a_ii )                             (S1)
//
// Rows in their own order are visited by one thread. Coarse Galerkin matrices would need 15 to 34
// colours to be swept in parallel; that was tried, took one to three cycles more at 128^3, and at
// two threads gained nothing.
#pragma once

#include <vector>

#include "slosh/lcp/sparse.h"

namespace slosh {

struct Sweep {
    const SparseMatrix& A;
    const std::vector<double>& diagonal;  ///< Of A. Rows where it is zero are left alone.
    const std::vector<double>& rhs;
    const std::vector<double>& lower;  ///< Empty: no bounds.
};

/// (S1) for all rows in their order.
void relax(const Sweep& sweep, std::vector<double>& x);
/// (S1) for `rows`, in parallel: none of them may be coupled to another.
void relax_uncoupled(const Sweep& sweep, const std::vector<int>& rows, std::vector<double>& x);

}  // namespace slosh
