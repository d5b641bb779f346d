#include <bit>
#include <cmath>

#include "slosh/lcp/auto.h"
#include "slosh/linear/pockets.h"

namespace slosh {

template <int D>
int make_consistent(BlockLcp<D>& lcp, double* squeezed) {
    constexpr double kSqueezed = 0.05;  // the same, past any error of moving fractions
    if (squeezed) *squeezed = 0;
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
    // A pocket whose pressure a body feels is no null space by itself: it is left alone, unless it
    // is part of a combination that nothing feels.
    std::vector<double> take(pockets.count, 0);  // from b of every cell
    std::vector<std::uint8_t> freed(pockets.count, 0);
    for (const std::vector<double>& n : null_combinations(pockets, lcp.system.bodies.get())) {
        Sums all;
        double weight = 0;
        for (int p = 0; p < pockets.count; ++p) {
            all.b += n[p] * sums[p].b;
            all.size += std::abs(n[p]) * sums[p].size;
            all.constrained += n[p] != 0 ? sums[p].constrained : 0;
            weight += n[p] * n[p] * sums[p].cells;
        }
        if (all.constrained > 0 && all.b > kBalanced * all.size) continue;
        if (squeezed && std::abs(all.b) > kSqueezed * all.size) *squeezed += std::abs(all.b);
        for (int p = 0; p < pockets.count; ++p) {
            take[p] += n[p] * all.b / weight;
            freed[p] |= n[p] != 0;
        }
    }
    for (const auto& part : pockets.parts)
        each_cell(part.cells, [&](int o) {
            if (!freed[part.pocket]) return;
            lcp.system.rhs.block(part.block)[o] += take[part.pocket];
            lcp.constrained.block(part.block)[o] = 0;
        });
    return pockets.count;
}

template int make_consistent<2>(BlockLcp<2>&, double*);
template int make_consistent<3>(BlockLcp<3>&, double*);

}  // namespace slosh
