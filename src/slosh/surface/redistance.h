// Turns a level set into a signed distance near its zero set, leaving the zero set where it is.
//
// Cells with a neighbour of the other sign get |phi| / |grad phi|, the gradient taken across the
// surface, and a foot point on it. All other cells within the band take the distance to the
// nearest foot point's tangent plane. No iteration, no marching order: a cell's value depends on
// the foot points around it alone.
#pragma once

#include "slosh/grid/field.h"

namespace slosh {

/// Signed distance in cells, clamped to [-band, band]; 1 <= band <= 8. Cells of the background
/// count as far away, not as a surface: give phi a background of the sign it should continue with.
template <int D>
void redistance(Field<float, D>& phi, float band);

}  // namespace slosh
