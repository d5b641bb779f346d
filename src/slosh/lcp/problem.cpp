#include "slosh/lcp/problem.h"

#include <bit>

#include "slosh/lcp/natural_row.h"

namespace slosh {

template <int D>
double natural_residual(const BlockLcp<D>& lcp, const Field<double, D>& p,
                        Field<std::uint8_t, D>* active) {
    const BlockSystem<D>& system = lcp.system;
    BodiesRhs<D> rhs(system);
    rhs.set(p);
    return parallel_max(system.blocks->size(), [&](std::size_t i) {
        const int b = static_cast<int>(i);
        if (active) std::fill_n(active->block(b), kBlockCells<D>, 0);
        alignas(32) typename BodiesRhs<D>::Room room;
        const ResidualBlock<D> rows(system, p, b, rhs.block(b, room));
        detail::Largest worst;
        for (int z = 0; z < kPlanes<D>; ++z)
            for (int y = 0; y < kSide; ++y)
                if (rows.has_unknowns(y, z)) {
                    detail::Row row;
                    unsigned who;
                    worst.keep(natural_row(lcp, rows, b, y, z, row, who));
                    if (!active) continue;
                    for (; who; who &= who - 1)
                        active->block(b)[64 * z + kSide * y + std::countr_zero(who)] = 1;
                }
        return worst.value();
    });
}

template double natural_residual<2>(const BlockLcp<2>&, const Field<double, 2>&,
                                    Field<std::uint8_t, 2>*);
template double natural_residual<3>(const BlockLcp<3>&, const Field<double, 3>&,
                                    Field<std::uint8_t, 3>*);

}  // namespace slosh
