// Methods on sparse rows for `slosh bench lcp`: the solver words, and variants of them that tell
// what a detail is worth.
#pragma once

#include "slosh/lcp/sparse.h"

namespace slosh::cli {

/// `word` is one of lcp_solvers(), or
///     fas-trilinear, fas-constant, fas-simple (walls not treated), fas-direct (coarse grids
///     discretised anew): table 6.12 of [Lai2021];
///     fas-2: two sweeps instead of three;
///     fas-w: fas with W-cycles;
///     policy-mg-exact, penalty-mg-exact: inner solves to the end, as the paper makes them.
LcpReport solve_variant(const std::string& word, const SparseLcp& lcp, const LcpOptions& options,
                        std::vector<double>& p, const std::vector<std::uint8_t>* control);

/// `cycles` cycles of projected full multigrid, three of them full, as in [Chentanez2011] table 1.
LcpReport solve_fmg_cycles(const SparseLcp& lcp, int cycles, std::vector<double>& p);

}  // namespace slosh::cli
