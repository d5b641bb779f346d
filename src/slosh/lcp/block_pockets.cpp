#include <bit>
#include <cmath>

#include "slosh/lcp/auto.h"
#include "slosh/linear/pockets.h"

namespace slosh {

template <int D>
int make_consistent(BlockLcp<D>& lcp) {
    constexpr double kBalanced = 1e-9;  // sum b over a pocket's sum |b|: zero but for rounding
    const Pockets<D> pockets = find_pockets(lcp.system);
    struct Sums {
        double b = 0, size = 0;
        int cells = 0, constrained = 0;
    };
    std::vector<Sums> sums(pockets.count);
    const auto each_cell = [](const CellMask<D>& m, const auto& body) {
        for (int z = 0; z < kPlanes<D>; ++z)
            for (std::uint64_t bits = m[z]; bits; bits &= bits - 1)
                body(64 * z + std::countr_zero(bits));
    };
    for (const auto& part : pockets.parts)
        each_cell(part.cells, [&](int o) {
            Sums& s = sums[part.pocket];
            s.b -= lcp.system.rhs.block(part.block)[o];
            s.size += std::abs(lcp.system.rhs.block(part.block)[o]);
            s.cells += 1;
            s.constrained += lcp.constrained.block(part.block)[o];
        });
    for (const auto& part : pockets.parts) {
        const Sums& s = sums[part.pocket];
        if (s.constrained > 0 && s.b > kBalanced * s.size) continue;
        each_cell(part.cells, [&](int o) {
            lcp.system.rhs.block(part.block)[o] += s.b / s.cells;
            lcp.constrained.block(part.block)[o] = 0;
        });
    }
    return pockets.count;
}

template int make_consistent<2>(BlockLcp<2>&);
template int make_consistent<3>(BlockLcp<3>&);

}  // namespace slosh
