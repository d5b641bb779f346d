#include "slosh/lcp/hierarchy.h"

#include <algorithm>
#include <utility>

#include "slosh/base/error.h"
#include "slosh/lcp/galerkin.h"
#include "slosh/lcp/geometric.h"
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

/// The diagonal of R A P, without the rest of it.
std::vector<double> galerkin_diagonal(const GridLevel& fine, int dim) {
    const SparseMatrix& R = fine.R;
    std::vector<double> diagonal(R.rows());
    parallel_ranges(R.rows(), kRowChunk, [&](std::size_t begin, std::size_t end) {
        std::vector<double> weight(fine.cells.size(), 0);
        for (std::size_t c = begin; c < end; ++c) {
            for (std::int64_t k = R.start[c]; k < R.start[c + 1]; ++k)
                weight[R.column[k]] = R.value[k];
            double sum = 0;
            for (std::int64_t k = R.start[c]; k < R.start[c + 1]; ++k) {
                const int i = R.column[k];
                for (std::int64_t m = fine.A.start[i]; m < fine.A.start[i + 1]; ++m)
                    sum += R.value[k] * fine.A.value[m] * weight[fine.A.column[m]];
            }
            for (std::int64_t k = R.start[c]; k < R.start[c + 1]; ++k) weight[R.column[k]] = 0;
            diagonal[c] = sum * (1 << dim);  // P = 2^D R^T
        }
    });
    return diagonal;
}

void raise_diagonal(GridLevel& level, int row, double least) {
    if (level.diagonal[row] >= least) return;
    level.diagonal[row] = least;
    for (std::int64_t k = level.A.start[row]; k < level.A.start[row + 1]; ++k)
        if (level.A.column[k] == row) level.A.value[k] = least;
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
    LcpGeometry geometry;
    if (!options.galerkin) geometry = read_geometry(levels[0].A, levels[0].cells, dim);
    while (!fits(levels.back().cells, options.coarsest)) {
        GridLevel& fine = levels.back();
        GridLevel coarse;
        if (options.galerkin) {
            coarse.cells = parents_of(fine.cells);
        } else {
            geometry = coarsened(geometry, static_cast<int>(levels.size()) <= options.bubble_grids);
            GeometricOperator anew = discretise(geometry);
            if (anew.cells.empty()) break;  // no coarse cell is liquid any more
            coarse.cells = std::move(anew.cells);
            coarse.A = std::move(anew.A);
        }
        fine.parent = find_parents(fine.cells, coarse.cells);
        fine.P = interpolation(fine.A, fine.cells, coarse.cells, dim, options.transfer);
        fine.R = transposed(fine.P, static_cast<int>(coarse.cells.size()), 1.0 / (1 << dim));
        if (options.galerkin) coarse.A = galerkin(fine.R, fine.A, fine.P);
        coarse.diagonal = options.galerkin ? coarse_diagonal(fine, coarse.A) : coarse.A.diagonal();
        if (!options.galerkin && options.least_diagonal > 0) {
            const std::vector<double> other = galerkin_diagonal(fine, dim);
            for (int c = 0; c < coarse.A.rows(); ++c)
                raise_diagonal(coarse, c, options.least_diagonal * other[c]);
        }
        levels.push_back(std::move(coarse));
    }
    return levels;
}

}  // namespace slosh
