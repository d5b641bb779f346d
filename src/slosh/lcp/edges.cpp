#include "slosh/lcp/edges.h"

#include <algorithm>

#include "slosh/base/timer.h"
#include "slosh/lcp/auto.h"
#include "slosh/linear/block_rows.h"

namespace slosh {

template <int D>
LowerCell<D>::LowerCell(const Blocks<D>& blocks, const CutEdge& e) {
    const int step = e.axis == 0 ? 1 : e.axis == 1 ? kSide : kSide * kSide;
    const bool inside = local_cell<D>(e.offset)[e.axis] > 0;
    block = inside ? e.block : blocks.neighbour(e.block, face_code<D>(2 * e.axis));
    offset = inside ? e.offset - step : e.offset + (kSide - 1) * step;
}

namespace {

/// The problem with the released edges cut.
template <int D>
BlockLcp<D> cut(const BlockLcp<D>& lcp, const std::vector<CutEdge>& edges,
                const std::vector<std::uint8_t>& released) {
    BlockLcp<D> result = lcp;
    BlockSystem<D>& s = result.system;
    for (std::size_t k = 0; k < edges.size(); ++k) {
        if (!released[k]) continue;
        const CutEdge& e = edges[k];
        const LowerCell<D> low(*s.blocks, e);
        float& c = s.coefficient.axis(e.axis).block(e.block)[e.offset];
        const float to_liquid = c / e.theta, to_solid = c / (1 - e.theta);
        s.excess.block(e.block)[e.offset] += e.liquid_below ? to_solid : to_liquid;
        s.excess.block(low.block)[low.offset] += e.liquid_below ? to_liquid : to_solid;
        c = 0;
    }
    return result;
}

}  // namespace

template <int D>
LcpReport solve_edges(const BlockLcp<D>& lcp, const std::vector<CutEdge>& edges,
                      const LcpOptions& options, Field<double, D>& q,
                      Field<std::uint8_t, D>& active, std::vector<std::uint8_t>& released) {
    const double wall = wall_seconds(), cpu = cpu_seconds();
    LcpReport report;
    if (released.size() != edges.size()) released.assign(edges.size(), 0);
    while (report.iterations < options.max_iterations) {
        BlockLcp<D> problem = cut(lcp, edges, released);
        const int pockets = make_consistent(problem);
        const int iterations = report.iterations, outer = report.outer;
        const double setup = report.setup_seconds;
        LcpOptions inner = options;
        inner.max_iterations -= iterations;
        report = solve_auto(problem, inner, q, active);
        report.pockets = pockets;
        report.iterations += iterations;
        report.outer = outer + 1;
        report.setup_seconds += setup;
        if (!report.converged) break;

        // (C4): p_w of a node at rest, or minus w of one that lets go, each over its coefficient.
        std::size_t changed = 0;
        for (std::size_t k = 0; k < edges.size(); ++k) {
            const CutEdge& e = edges[k];
            const LowerCell<D> low(*lcp.system.blocks, e);
            const double here = q.block(e.block)[e.offset], below = q.block(low.block)[low.offset];
            const double liquid = e.liquid_below ? below : here;
            const double solid = e.liquid_below ? here : below;
            const double pulls = (1 - e.theta) * liquid + e.theta * solid;
            const bool change = released[k] ? pulls > report.residual : pulls < -report.residual;
            released[k] ^= change;
            changed += change;
        }
        report.converged = changed == 0;
        if (report.converged) break;
    }
    report.constrained += edges.size();
    report.active += static_cast<std::size_t>(std::count(released.begin(), released.end(), 1));
    report.seconds = wall_seconds() - wall;
    report.cpu_seconds = cpu_seconds() - cpu;
    return report;
}

#define SLOSH_INSTANTIATE(D)                                                           \
    template struct LowerCell<D>;                                                      \
    template LcpReport solve_edges<D>(const BlockLcp<D>&, const std::vector<CutEdge>&, \
                                      const LcpOptions&, Field<double, D>&,            \
                                      Field<std::uint8_t, D>&, std::vector<std::uint8_t>&);
SLOSH_INSTANTIATE(2)
SLOSH_INSTANTIATE(3)
#undef SLOSH_INSTANTIATE

}  // namespace slosh
