#include "slosh/lcp/hierarchy.h"

#include <algorithm>
#include <utility>

#include "slosh/base/error.h"
#include "slosh/lcp/galerkin.h"
#include "slosh/lcp/vectors.h"

namespace slosh {

namespace {

/// The diagonal of R A P, without what is only rounding: R A P differences sums over the fine
/// diagonal, and what is left may be zero.
std::vector<double> coarse_diagonal(const GridLevel& fine, const SparseMatrix& A) {
    constexpr double rounding = 1e-12;
    std::vector<double> diagonal = A.diagonal();
    for_each_row(diagonal.size(), [&](std::size_t i) {
        double terms = 0;
        for (std::int64_t k = fine.R.start[i]; k < fine.R.start[i + 1]; ++k)
            terms += fine.R.value[k] * fine.R.value[k] * fine.diagonal[fine.R.column[k]];
        if (!(diagonal[i] > rounding * terms)) diagonal[i] = 0;
    });
    return diagonal;
}

}  // namespace

std::size_t GridLevel::bytes() const {
    return A.bytes() + P.bytes() + R.bytes() + diagonal.size() * sizeof(double) +
           cells.size() * sizeof(Index<3>) + parent.size() * sizeof(int);
}

bool fits(const std::vector<Index<3>>& cells, int width) {
    if (cells.empty()) return true;
    Index<3> lo = cells[0], hi = cells[0];
    for (const Index<3>& c : cells) {
        lo = min(lo, c);
        hi = max(hi, c);
    }
    const Index<3> size = hi - lo;
    return std::max({size[0], size[1], size[2]}) < width;
}

std::vector<GridLevel> build_hierarchy(SparseMatrix A, std::vector<Index<3>> cells, int dim,
                                       const HierarchyOptions& options) {
    SLOSH_EXPECT(options.coarsest >= 2);  // one cell may never come: cells -1 and 0 stay apart
    std::vector<GridLevel> levels(1);
    levels[0].A = std::move(A);
    levels[0].cells = std::move(cells);
    levels[0].diagonal = levels[0].A.diagonal();
    while (!fits(levels.back().cells, options.coarsest)) {
        GridLevel& fine = levels.back();
        GridLevel coarse;
        coarse.cells = parents_of(fine.cells);
        fine.parent = find_parents(fine.cells, coarse.cells);
        fine.P = interpolation(fine.A, fine.cells, coarse.cells, dim, options.transfer);
        fine.R = transposed(fine.P, static_cast<int>(coarse.cells.size()), 1.0 / (1 << dim));
        coarse.A = galerkin(fine.R, fine.A, fine.P);
        coarse.diagonal = coarse_diagonal(fine, coarse.A);
        levels.push_back(std::move(coarse));
    }
    return levels;
}

}  // namespace slosh
