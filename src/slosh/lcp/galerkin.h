// Coarse operators from fine ones [fast LCP, eq. 5.24]:
//
//     A_H = R A P,      R = P^T / 2^D                                                          (G1)
//
// R averages, P interpolates, so A_H is a discretisation on cells of twice the width; it is
// symmetric because R is a multiple of P^T.
#pragma once

#include "slosh/lcp/sparse.h"

namespace slosh {

/// A B, row by row; `columns` is the number of columns of B.
SparseMatrix product(const SparseMatrix& A, const SparseMatrix& B, int columns);
/// factor * A^T; `columns` is the number of columns of A.
SparseMatrix transposed(const SparseMatrix& A, int columns, double factor = 1);
/// R A P of (G1). `R` has as many rows as P has columns.
SparseMatrix galerkin(const SparseMatrix& R, const SparseMatrix& A, const SparseMatrix& P);

}  // namespace slosh
