// Separation on edges [projected multigrid sec. 3.1]: the bound is on the pressure *at the wall*,
// not at cell centres.
//
// Put a node on every edge i-j that a wall crosses, at the share theta of the way from the liquid
// cell i. The edge's coefficient c becomes c/theta on one side of the node and c/(1-theta) on the
// other, in series c as before. The node's row is
//
//     0 <= p_w  perp  (c/theta) (p_w - p_i) + (c/(1-theta)) (p_w - p_j) >= 0                  (C4)
//
// so the whole is again an M-matrix problem of the form (C1), with S the nodes. A node at rest
// (w = 0) has the interpolated pressure and may be eliminated: the old matrix. One that lets go
// (p_w = 0) cuts the edge and pulls both its ends like air at the wall. Policy iteration over the
// nodes so needs nothing but solves with the usual stencil; cells that are bounded themselves (at
// walls along grid faces) are left to `auto`.
#pragma once

#include "slosh/lcp/problem.h"
#include "slosh/linear/cut_edge.h"

namespace slosh {

/// `q` is the first guess on entry, the solution on return; so are `active`, the cells of
/// lcp.constrained at p = 0, and `released`, the edges that are cut (if it has another length: none
/// at first). Pockets are made consistent on the way. report.constrained and report.active count
/// edges and cells together, report.outer the problems solved.
template <int D>
LcpReport solve_edges(const BlockLcp<D>& lcp, const std::vector<CutEdge>& edges,
                      const LcpOptions& options, Field<double, D>& q,
                      Field<std::uint8_t, D>& active, std::vector<std::uint8_t>& released);

/// The lower neighbour of a cell along an axis.
template <int D>
struct LowerCell {
    int block, offset;
    LowerCell(const Blocks<D>& blocks, const CutEdge& e);
};

}  // namespace slosh
