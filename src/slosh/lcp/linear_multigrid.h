// Multigrid V-cycles for the linear systems inside policy iteration and the penalty method
// [Lai2021, Algorithm 4], on the hierarchy that `fas` uses.
//
// Rows that are fixed, or whose penalty outweighs their diagonal, take no part in the hierarchy:
// their neighbours see a Dirichlet value there, as they do beyond the surface. (A penalty carried
// to coarse grids would hold whole coarse cells at zero.) A penalised row is solved for by itself
// after each cycle.
//
// Where we leave the paper: it finds that weights at walls need not be normalised. Here that takes
// 13, 19, 30 cycles for sphere at 32, 64, 128 instead of 8, 9, 9.
#pragma once

#include "slosh/lcp/hierarchy.h"
#include "slosh/lcp/inner.h"

namespace slosh {

struct LinearMultigridOptions {
    HierarchyOptions hierarchy;
    int pre_sweeps = 2, post_sweeps = 2;
    int coarsest_sweeps = 100;
    /// An inner solve may stop once it has reduced its residual by this factor. 0, the paper's
    /// choice, solves exactly: four times the cycles from a cold start.
    double reduction = 0.1;
};

/// V-cycles for A x = rhs.
class LinearMultigrid {
public:
    LinearMultigrid(SparseMatrix A, std::vector<Index<3>> cells, int dim,
                    const LinearMultigridOptions& options);
    void cycle(const std::vector<double>& rhs, std::vector<double>& x);
    std::size_t bytes() const;

private:
    void cycle(std::size_t grid, const std::vector<double>& rhs, std::vector<double>& x);

    LinearMultigridOptions options_;
    std::vector<GridLevel> grids_;
    std::vector<std::vector<double>> rhs_, x_, residual_;  ///< Of each grid; rhs_, x_ from 1 on.
};

/// For policy_iteration() and penalty_method(). Keeps the hierarchy while the set of rows that
/// take part stays the same.
InnerSolver multigrid_inner(const LinearMultigridOptions& options);

}  // namespace slosh
