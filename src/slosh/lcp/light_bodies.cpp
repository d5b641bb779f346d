#include "slosh/lcp/light_bodies.h"

#include <algorithm>

#include "slosh/linear/multigrid.h"

namespace slosh {

namespace {

constexpr int kRounds = 30;
/// By how much a round reduces the residual of its linear system, before sets are looked at again.
constexpr double kRound = 0.02;

/// The system of the cells that are not active, whose pressure is zero: they become Dirichlet
/// neighbours.
template <int D>
BlockSystem<D> without_active(const BlockSystem<D>& system, const Field<std::uint8_t, D>& active) {
    BlockSystem<D> out = system;
    const Blocks<D>& blocks = *system.blocks;
    // Every block changes only what is its own: its cells, and their lower faces.
    parallel_for(blocks.size(), 8, [&](std::size_t i) {
        const int b = static_cast<int>(i);
        const Index<D> first = blocks.first_cell(b);
        for (int o = 0; o < kBlockCells<D>; ++o) {
            if (!system.unknown.block(b)[o]) continue;
            const Index<D> cell = first + local_cell<D>(o);
            const bool gone = active.block(b)[o];
            if (gone) {
                out.unknown.block(b)[o] = 0;
                out.rhs.block(b)[o] = 0;
                out.excess.block(b)[o] = 0;
            }
            for (int d = 0; d < D; ++d) {
                const Index<D> step = unit<D, int>(d);
                const bool below = active.get(cell - step), above = active.get(cell + step);
                if (gone || below) {
                    float& c = out.coefficient.axis(d).block(b)[o];
                    if (!gone) out.excess.block(b)[o] += c;
                    c = 0;
                }
                if (!gone && above)
                    out.excess.block(b)[o] += system.coefficient.axis(d).get(cell + step);
            }
        }
    });
    auto rest = std::make_shared<LowRank<D>>(*system.bodies);
    for (auto& e : rest->entries)
        if (active.block(e.block)[e.offset]) std::fill(std::begin(e.f), std::end(e.f), 0.0);
    out.bodies = std::move(rest);
    return out;
}

template <int D>
void clear(const Field<std::uint8_t, D>& where, Field<double, D>& p) {
    parallel_for(where.blocks().size(), 16, [&](std::size_t i) {
        const int b = static_cast<int>(i);
        for (int o = 0; o < kBlockCells<D>; ++o)
            if (where.block(b)[o]) p.block(b)[o] = 0;
    });
}

}  // namespace

template <int D>
LcpReport solve_by_sets(const BlockLcp<D>& lcp, double goal, int max_iterations,
                        Field<double, D>& p, Field<std::uint8_t, D>& active) {
    LcpReport report;
    Field<std::uint8_t, D> judged(lcp.system.blocks);
    double worst = natural_residual(lcp, p, &judged);
    while (worst > goal && report.outer < kRounds && report.iterations < max_iterations) {
        const BlockSystem<D> rest = without_active(lcp.system, active);
        clear(active, p);
        const SolveReport round = solve_multigrid(
            rest,
            {.tolerance = 0,
             .absolute = std::max(0.5 * goal, kRound * worst),
             .max_iterations = max_iterations - report.iterations},
            p);
        report.iterations += round.iterations;
        ++report.outer;
        worst = natural_residual(lcp, p, &judged);
        active = judged;
        if (!round.converged) break;
    }
    return report;
}

template LcpReport solve_by_sets<2>(const BlockLcp<2>&, double, int, Field<double, 2>&,
                                    Field<std::uint8_t, 2>&);
template LcpReport solve_by_sets<3>(const BlockLcp<3>&, double, int, Field<double, 3>&,
                                    Field<std::uint8_t, 3>&);

}  // namespace slosh
