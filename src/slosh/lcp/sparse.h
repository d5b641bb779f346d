// The same problem for any sparse symmetric matrix: the entrance for systems that come from
// elsewhere, and for the solvers of the literature, which are written for such matrices.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "slosh/base/vec.h"
#include "slosh/lcp/problem.h"

namespace slosh {

/// Compressed rows, columns ascending within a row.
struct SparseMatrix {
    std::vector<std::int64_t> start = {0};  ///< Of each row in `column`; rows() + 1 entries.
    std::vector<int> column;
    std::vector<double> value;
    /// Columns c of low rank: the matrix is the rows above plus the sum of c c^T, never formed.
    /// Each is a degree of freedom of a rigid body (linear/low_rank.h).
    struct LowRankColumn {
        std::vector<int> row;
        std::vector<double> value;
    };
    std::vector<LowRankColumn> low_rank;

    int rows() const { return static_cast<int>(start.size()) - 1; }
    /// y = A x
    void multiply(const std::vector<double>& x, std::vector<double>& y) const;
    /// y += the part of A x that the columns of low rank make.
    void add_low_rank(const std::vector<double>& x, std::vector<double>& y) const;
    /// Of the rows, without columns of low rank: the scale of (C3).
    std::vector<double> diagonal() const;
    std::size_t bytes() const;
};

/// (C1), (C2) of problem.h, with b's own sign: w = A p + b.
struct SparseLcp {
    SparseMatrix A;
    std::vector<double> b;
    std::vector<std::uint8_t> constrained;  ///< 1 in S.
    std::vector<Index<3>> cells;            ///< Grid cell of each row, or empty: no multigrid then.
    int dim = 3;  ///< Dimension of `cells`; in 2D the last component is 0.
};

/// What a row of a block system becomes, and back.
template <int D>
SparseLcp to_sparse(const BlockLcp<D>& lcp);
template <int D>
std::vector<double> to_rows(const BlockLcp<D>& lcp, const Field<double, D>& p);
template <int D>
void from_rows(const BlockLcp<D>& lcp, const std::vector<double>& rows, Field<double, D>& p);

/// max|r_i| of (C3). `active`, if given, becomes 1 in active rows, 0 elsewhere.
double natural_residual(const SparseLcp& lcp, const std::vector<double>& p,
                        std::vector<std::uint8_t>* active = nullptr);

}  // namespace slosh
