// Incomplete Cholesky factors without fill, the preconditioner of [Takahashi2019, sec. 4].
#pragma once

#include "slosh/viscosity/rows.h"

namespace slosh {

class ZeroFillCholesky {
public:
    /// A pivot that falls below a hundredth of the matrix's diagonal is replaced by that diagonal:
    /// the viscous matrix has positive entries beside the diagonal, so the factors need not exist.
    /// For the same reason IC(0), not the paper's MIC(0): moving dropped fill to the diagonal makes
    /// it worse here.
    explicit ZeroFillCholesky(const Rows<double>& matrix);
    /// z = (L L^T)^-1 r. One row after the other.
    void apply(const std::vector<double>& r, std::vector<double>& z) const;
    std::size_t bytes() const { return lower_.bytes() + 8 * pivot_.size(); }

private:
    Rows<double> lower_;         // strictly below the diagonal, row by row
    std::vector<double> pivot_;  // 1 / L_ii
};

}  // namespace slosh
