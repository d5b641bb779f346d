// The projection with separation on edges.
#pragma once

#include "slosh/lcp/problem.h"
#include "slosh/liquid/pressure_solve.h"
#include "slosh/liquid/step_grid.h"

namespace slosh {

/// Solves for q and, if that converged, makes the velocity of `grid` divergence-free. Cells on cut
/// edges count as active, those on others as constrained.
template <int D>
LcpReport solve_on_edges(StepGrid<D>& grid, const PressureOptions& options, BlockLcp<D>& lcp,
                         Field<double, D>& q, Field<std::uint8_t, D>& active);

}  // namespace slosh
