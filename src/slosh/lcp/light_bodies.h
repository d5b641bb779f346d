// Separating walls with bodies much lighter than the liquid (internal to auto.cpp).
//
// A body of density s adds eigenvalues of about 1 + 1/(2 s) to what the cycle knows of. Conjugate
// gradients find such a few in as many iterations, but only on a set of active cells that stays as it
// is. So sets and pressures change by turns here, as in policy iteration [Lai2021, sec. 5.1]: the
// linear system of a set is solved some way, then every cell of S takes its side by (C3).
#pragma once

#include "slosh/lcp/problem.h"

namespace slosh {

/// From this LowRank::lightness on.
inline constexpr double kLightBody = 20;

/// Reduces the natural residual to `goal` or as far as it gets; may leave it larger than it was. The
/// report has iterations and outer rounds, nothing else.
template <int D>
LcpReport solve_by_sets(const BlockLcp<D>& lcp, double goal, int max_iterations,
                        Field<double, D>& p, Field<std::uint8_t, D>& active);

}  // namespace slosh
