// How much liquid a level set holds.
#pragma once

#include "slosh/grid/field.h"

namespace slosh {

/// Fraction of the unit cube (square) where n.x < -phi, x from its centre and n a unit vector: the
/// part of a cell that lies inside a plane at signed distance phi. In [0, 1].
template <int D>
double fraction_below_plane(double phi, const Point<D>& n);

/// Liquid volume in cells: each cell is cut by the plane that phi (a distance in cells near its
/// zero set) and its gradient give, and counts with its open fraction (`open`; null: all 1).
template <int D>
double liquid_volume(const Field<float, D>& phi, const Field<float, D>* open = nullptr);

}  // namespace slosh
