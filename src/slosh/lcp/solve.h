// One door to all solvers of (C1), (C2) on sparse matrices, by the words users know.
#pragma once

#include <string>
#include <vector>

#include "slosh/lcp/sparse.h"

namespace slosh {

struct LcpSolver {
    const char* word;
    const char* description;  ///< One line.
    bool needs_cells;         ///< Whether SparseLcp::cells must be there.
};

/// All words that solve_lcp knows.
const std::vector<LcpSolver>& lcp_solvers();

/// `p` is the first guess on entry (zero if it has another length), the solution on return.
/// `control`, an active set such as the last step's, is used by the methods that can start from
/// one. InputError for an unknown word, or cells missing where the word needs them.
LcpReport solve_lcp(const std::string& word, const SparseLcp& lcp, const LcpOptions& options,
                    std::vector<double>& p, const std::vector<std::uint8_t>* control = nullptr);

}  // namespace slosh
