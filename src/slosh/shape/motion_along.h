// How a rigid motion moves a point.
#pragma once

#include "slosh/base/vec.h"

namespace slosh {

/// How the point r from the centre moves along `axis` per unit of each degree of freedom: those
/// along the axes, then those about them.
template <int D>
Vec<double, D == 3 ? 6 : 3> motion_along(int axis, const Point<D>& r) {
    Vec<double, D == 3 ? 6 : 3> j;
    j[axis] = 1;
    if constexpr (D == 2) {
        j[2] = axis == 0 ? -r[1] : r[0];
    } else {
        // (omega x r) along `axis` is omega . (r x e_axis).
        const Point<3> turn = cross(r, unit<3, double>(axis));
        for (int k = 0; k < 3; ++k) j[3 + k] = turn[k];
    }
    return j;
}

}  // namespace slosh
