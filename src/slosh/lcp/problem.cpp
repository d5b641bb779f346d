#include "slosh/lcp/problem.h"

#include <cmath>
#include <cstring>

#include "slosh/lcp/sparse.h"
#include "slosh/linear/residual_block.h"

namespace slosh {

template <int D>
double natural_residual(const BlockLcp<D>& lcp, const Field<double, D>& p,
                        Field<std::uint8_t, D>* active) {
    const BlockSystem<D>& system = lcp.system;
    BodiesRhs<D> rhs(system);
    rhs.set(p);
    return parallel_max(system.blocks->size(), [&](std::size_t block) {
        const int b = static_cast<int>(block);
        if (active) std::fill_n(active->block(b), kBlockCells<D>, 0);
        alignas(32) typename BodiesRhs<D>::Room room;
        const ResidualBlock<D> rows(system, p, b, rhs.block(b, room));
        double worst = 0;
        detail::Row free{_mm256_setzero_pd(), _mm256_setzero_pd()};  // the largest outside S
        for (int z = 0; z < kPlanes<D>; ++z)
            for (int y = 0; y < kSide; ++y) {
                if (!rows.has_unknowns(y, z)) continue;
                const int o = 64 * z + kSide * y;
                const detail::Row row = rows.row(y, z);
                std::uint64_t in_s;
                std::memcpy(&in_s, lcp.constrained.block(b) + o, 8);
                if (in_s == 0) {
                    if (detail::has_nan(row)) return HUGE_VAL;
                    detail::keep_largest(free, row);
                    continue;
                }
                alignas(32) double minus_w[kSide];
                _mm256_store_pd(minus_w, row.low);
                _mm256_store_pd(minus_w + 4, row.high);
                for (int x = 0; x < kSide; ++x) {
                    double r = -minus_w[x];
                    if (lcp.constrained.block(b)[o + x]) {
                        const double dp = rows.diagonal(x, y, z) * p.block(b)[o + x];
                        if (dp < r) {
                            r = dp;
                            if (active) active->block(b)[o + x] = 1;
                        }
                    }
                    // Not a number is as far from zero as can be; std::max would pass it over.
                    worst = std::isnan(r) ? HUGE_VAL : std::max(worst, std::abs(r));
                    if (worst == HUGE_VAL) return worst;
                }
            }
        return std::max(worst, detail::largest(free));
    });
}

template double natural_residual<2>(const BlockLcp<2>&, const Field<double, 2>&,
                                    Field<std::uint8_t, 2>*);
template double natural_residual<3>(const BlockLcp<3>&, const Field<double, 3>&,
                                    Field<std::uint8_t, 3>*);

}  // namespace slosh
