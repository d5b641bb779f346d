#include "slosh/cli/lcp_traffic.h"

#include <algorithm>

#include "slosh/base/parallel.h"

namespace slosh::cli {

namespace {

/// Unknowns whose coefficients are not the common ones of liquid all around.
template <int D>
double unknowns_at_edges(const BlockSystem<D>& system) {
    const Blocks<D>& blocks = *system.blocks;
    float full = 0;
    for (int d = 0; d < D; ++d) {
        const float* c = system.coefficient.axis(d).data();
        full = std::max(full, *std::max_element(c, c + system.coefficient.axis(d).cells()));
    }
    return parallel_sum(blocks.size(), [&](std::size_t i) {
        const int b = static_cast<int>(i);
        double n = 0;
        for (int o = 0; o < kBlockCells<D>; ++o) {
            if (!system.unknown.block(b)[o]) continue;
            bool plain = system.excess.block(b)[o] == 0;
            for (int d = 0; d < D && plain; ++d) {
                const Field<float, D>& c = system.coefficient.axis(d);
                Index<D> above = blocks.coord(b) * kSide + local_cell<D>(o);
                ++above[d];
                plain = c.block(b)[o] == full && c.get(above) == full;
            }
            n += !plain;
        }
        return n;
    });
}

}  // namespace

template <int D>
double fused_bytes(const BlockSystem<D>& system, const LcpReport& report) {
    const double unknowns = static_cast<double>(report.unknowns), cycles = report.iterations;
    const double cycle = 68 + (D == 3 ? 24.0 / 3 : 24.0);
    const double before = 8 + 8 + 4 + 4 * (D + 1) + 2, after = 8 + 8;
    const double edge_cycle = (D + 1) * (2 + 2 + 4), edge_once = (D + 1) * (2 + 4 + 4);
    return unknowns * (cycle * cycles + before + after) +
           unknowns_at_edges(system) * (edge_cycle * cycles + edge_once);
}

template double fused_bytes<2>(const BlockSystem<2>&, const LcpReport&);
template double fused_bytes<3>(const BlockSystem<3>&, const LcpReport&);

}  // namespace slosh::cli
