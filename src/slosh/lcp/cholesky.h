// Conjugate gradients preconditioned by modified incomplete Cholesky, MIC(0), for any sparse
// symmetric matrix; linear/mic.cpp is the same method for block systems.
#pragma once

#include "slosh/lcp/inner.h"

namespace slosh {

/// M = (E + F) E^-1 (E + F)^T with F the strictly lower part of A. On a grid this is MIC(0); where
/// the graph of A has triangles it drops their fill as well, and stays symmetric and definite.
class IncompleteCholesky {
public:
    /// Of A + diag(extra) with the fixed rows and columns, and those without a diagonal, left out.
    /// `extra` may be empty. Keeps a reference to A.
    IncompleteCholesky(const SparseMatrix& A, const std::vector<std::uint8_t>& fixed,
                       const std::vector<double>& extra);
    /// z = M^-1 r, zero in rows left out.
    void apply(const std::vector<double>& r, std::vector<double>& z) const;
    std::size_t bytes() const { return pivot_.size() * sizeof(double); }

private:
    const SparseMatrix& A_;
    std::vector<double> pivot_;  ///< 1/E, 0 in rows left out.
};

/// Conjugate gradients for an inner system; without a preconditioner if `M` is null.
InnerReport conjugate_gradients(const InnerSystem& system, const IncompleteCholesky* M,
                                std::vector<double>& p);

/// Conjugate gradients with MIC(0): an InnerSolver.
InnerReport solve_mic_pcg(const InnerSystem& system, std::vector<double>& p);

}  // namespace slosh
