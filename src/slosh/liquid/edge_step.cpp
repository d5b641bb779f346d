#include "slosh/liquid/edge_step.h"

#include "slosh/lcp/edges.h"
#include "slosh/pressure/assemble.h"
#include "slosh/pressure/separation.h"

namespace slosh {

template <int D>
LcpReport solve_on_edges(StepGrid<D>& grid, const PressureOptions& options, BlockLcp<D>& lcp,
                         Field<double, D>& q, Field<std::uint8_t, D>& active) {
    std::vector<CutEdge> edges = find_cut_edges(lcp.system, grid.solid);
    if (grid.sticky.blocks_ptr())
        std::erase_if(edges,
                      [&](const CutEdge& e) { return grid.sticky.block(e.block)[e.offset] != 0; });
    std::vector<std::uint8_t> released;
    const LcpReport report = solve_edges(
        lcp, edges, {.tolerance = options.tolerance, .max_iterations = 10 * options.max_iterations},
        q, active, released);
    if (!report.converged) return report;
    subtract_gradient(lcp.system, grid.phi, grid.solid, q, grid.velocity, grid.known);
    subtract_cut_gradient(edges, released, q, grid.velocity);
    for (std::size_t k = 0; k < edges.size(); ++k) {
        const CutEdge& e = edges[k];
        const LowerCell<D> low(*grid.blocks, e);
        const int block = e.liquid_below ? low.block : e.block;
        const int offset = e.liquid_below ? low.offset : e.offset;
        lcp.constrained.block(block)[offset] = 1;
        active.block(block)[offset] |= released[k];
    }
    return report;
}

template LcpReport solve_on_edges<2>(StepGrid<2>&, const PressureOptions&, BlockLcp<2>&,
                                     Field<double, 2>&, Field<std::uint8_t, 2>&);
template LcpReport solve_on_edges<3>(StepGrid<3>&, const PressureOptions&, BlockLcp<3>&,
                                     Field<double, 3>&, Field<std::uint8_t, 3>&);

}  // namespace slosh
