// What the tests of several folders share.
#pragma once

#include "slosh/grid/geometry.h"

namespace slosh {

/// A dimension as a type, for TEST_CASE_TEMPLATE("...", T, Dim<2>, Dim<3>): D is T::value.
template <int D>
struct Dim {
    static constexpr int value = D;
};

/// n^D cells over the unit square or cube.
template <int D>
GridGeometry<D> unit_grid(int n) {
    return {.origin = {}, .dx = 1.0 / n, .cells = Index<D>::filled(n)};
}

}  // namespace slosh
