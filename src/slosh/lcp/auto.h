// `auto`: the solver slosh runs with, a truncated non-smooth Newton multigrid [Graeser2009] inside
// conjugate gradients.
//
// Each cycle looks for a correction z of p with z >= -p in S: projected Gauss-Seidel sweeps on the
// finest level find out which cells end at their bound; these are taken out of the coarser levels,
// which then correct the others as in a linear problem; more projected sweeps follow. p moves
// along z by the step that minimises the energy (at most 1 while the set still changes, so that no
// bound is crossed). Once the set rests, the problem is linear, and the directions are made
// conjugate; after two cycles at rest the rows of its cells are taken out until the end, and a
// cycle has no bounds to mind. The last word is always the natural residual in double.
//
// A cold start whose first sweeps put much of S at its bound takes its first guess from the same
// problem on cells twice the size.
//
// Telling the coarser levels *between* the sweeps and the coarse correction, not a cycle later, is
// what makes this nearly as fast as the linear solve: 5 to 7 cycles where the set of the last cycle
// needs up to 12, and the set of the start may never converge. Once few cells change sides, the end
// of the last cycle is soon enough.
#pragma once

#include "slosh/lcp/problem.h"
#include "slosh/linear/multigrid.h"

namespace slosh {

/// `p` and `active` (1 in cells held at p = 0) are the first guess on entry, the answer on return.
/// The system must be consistent (see below). report.outer counts updates of the coarser levels.
template <int D>
LcpReport solve_auto(const BlockLcp<D>& lcp, const LcpOptions& options, Field<double, D>& p,
                     Field<std::uint8_t, D>& active);

/// The same with a hierarchy built from lcp.system, lcp.constrained and `active`, which afterwards
/// still serves other right-hand sides.
template <int D>
LcpReport solve_auto(const BlockLcp<D>& lcp, Multigrid<D>& multigrid, const LcpOptions& options,
                     Field<double, D>& p, Field<std::uint8_t, D>& active);

/// Makes pockets without air solvable (prepare.h says why and how): takes the mean out of their
/// right-hand side and frees them from constraints, unless they expand and so must let go of their
/// wall somewhere. Returns the number of pockets. `squeezed`, if given, becomes the flux taken out
/// where walls close in on a pocket (or, if they are sticky, draw back from it) and nothing can
/// give way; in the units of b, 0 if that is no more than rounding.
template <int D>
int make_consistent(BlockLcp<D>& lcp, double* squeezed = nullptr);

}  // namespace slosh
