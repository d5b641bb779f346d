// Complementarity problems on a grid: falling, swirling liquid in a sphere that it may leave.
#pragma once

#include "linear/problems.h"
#include "slosh/lcp/sparse.h"

namespace slosh::test {

/// S holds the cells that `solid` touches at a face.
template <int D>
SparseLcp grid_lcp(int n, const std::function<double(const Point<D>&)>& solid,
                   const std::function<double(const Point<D>&)>& liquid) {
    BlockLcp<D> lcp(pressure_system<D>(n, solid, liquid));
    const double h = 1.0 / n;
    const Blocks<D>& blocks = *lcp.system.blocks;
    for (int b = 0; b < blocks.size(); ++b)
        for (int o = 0; o < kBlockCells<D>; ++o) {
            if (!lcp.system.unknown.block(b)[o]) continue;
            const Index<D> cell = blocks.first_cell(b) + local_cell<D>(o);
            for (int side = 0; side < 2 * D; ++side) {
                Point<D> face = (cell.template as<double>() + Point<D>::filled(0.5)) * h;
                face[side / 2] += (side % 2 ? 0.5 : -0.5) * h;
                if (solid(face) < 0.5 * h) lcp.constrained.block(b)[o] = 1;
            }
        }
    make_consistent(lcp.system);
    return to_sparse(lcp);
}
template <int D>
SparseLcp sphere_lcp(int n) {
    return grid_lcp<D>(n, sphere_solid<D>, wavy_liquid<D>);
}

}  // namespace slosh::test
