// A system on cells twice the size, to be solved for itself: a first guess for the fine one.
//
// A coarse row asks of its cell what the fine rows ask of the cell's children together: coarse b
// and coarse F are sums over the children, and the coarse stencil is that of the multigrid's next
// level.
#pragma once

#include "slosh/linear/multigrid.h"

namespace slosh {

/// The offset in a coarse block of the cell over cell `o` of a fine block in that octant.
template <int D>
int coarse_offset(int octant, int o) {
    int to = 0;
    for (int d = 0, step = 1; d < D; ++d, step *= kSide)
        to += step * (o / step % kSide / 2 + (octant >> d & 1) * kSide / 2);
    return to;
}

template <int D>
BlockSystem<D> coarse_system(const BlockSystem<D>& fine, const Coarsening<D>& up,
                             CoarseArrays<D> arrays);

/// A coarse cell is marked where any of its children is.
template <int D>
Field<std::uint8_t, D> coarse_marks(const Field<std::uint8_t, D>& fine, const Coarsening<D>& up);

/// Gives all unknowns of `fine` the value of the cell over them, less what their excess takes where
/// all neighbours have that value. `weight` is the coefficient of faces inside.
template <int D>
void copy_to_children(const Field<double, D>& coarse, const Coarsening<D>& up, double weight,
                      const BlockSystem<D>& fine, Field<double, D>& x);

}  // namespace slosh
