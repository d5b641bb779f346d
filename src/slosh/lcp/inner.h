// The linear systems that policy iteration and the penalty method leave behind, and what solves
// them: MIC(0)-PCG (cholesky.h) or multigrid.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "slosh/lcp/sparse.h"

namespace slosh {

/// (A p + extra p + b)_i = 0 in the rows that are not fixed, p_i = 0 in those that are.
struct InnerSystem {
    const SparseLcp& lcp;
    const std::vector<std::uint8_t>& fixed;  ///< 1: p_i = 0 (and zero it is on entry).
    const std::vector<double>& extra;        ///< Added to the diagonal; empty: nothing is.
    double goal;                       ///< Largest |A p + extra p + b| allowed in rows not fixed.
    int max_iterations;                ///< Stop after as many.
    std::function<void()> after_each;  ///< If set, to be called when an iteration has updated p.
};

struct InnerReport {
    int iterations = 0;
    double setup_seconds = 0;
    std::size_t bytes = 0;
};

/// `p` is the first guess on entry. Rows with a zero diagonal must be left alone.
using InnerSolver = std::function<InnerReport(const InnerSystem&, std::vector<double>& p)>;

}  // namespace slosh
