// Constructive solid geometry on signed distances: min, max and negation.
//
// Results keep the right sign and zero set and never overstate the distance; they are exact where
// the nearest surface point belongs to a single part.
#pragma once

#include <vector>

#include "slosh/shape/shape.h"

namespace slosh {

/// All points in any of the parts; at least one part is needed (InputError).
template <int D>
ShapePtr<D> unite(std::vector<ShapePtr<D>> parts);

/// All points in every part; at least one part is needed (InputError).
template <int D>
ShapePtr<D> intersect(std::vector<ShapePtr<D>> parts);

/// All points of `a` that are not in `b`.
template <int D>
ShapePtr<D> subtract(ShapePtr<D> a, ShapePtr<D> b);

/// Everything outside the shape; a container is an inverted solid.
template <int D>
ShapePtr<D> invert(ShapePtr<D> shape);

/// On which side of the surface a shell has its thickness.
enum class ShellSide { Inward, Outward, Centred };

/// The skin of a shape, `thickness` metres thick.
template <int D>
ShapePtr<D> shell(ShapePtr<D> shape, double thickness, ShellSide side = ShellSide::Inward);

}  // namespace slosh
