// Shapes with exact Euclidean distances. Sizes that make no sense are InputErrors.
#pragma once

#include "slosh/shape/motion.h"
#include "slosh/shape/shape.h"

namespace slosh {

/// The box from lo to hi, its edges rounded with the given radius (m).
template <int D>
ShapePtr<D> box(const Point<D>& lo, const Point<D>& hi, double rounding = 0);

template <int D>
ShapePtr<D> sphere(const Point<D>& centre, double radius);

/// All points within `radius` of the segment from a to b.
template <int D>
ShapePtr<D> capsule(const Point<D>& a, const Point<D>& b, double radius);

/// The capped cylinder around the axis from a to b; in 2D the rectangle of width 2 radius.
template <int D>
ShapePtr<D> cylinder(const Point<D>& a, const Point<D>& b, double radius);

/// A tube of radius `minor` around the circle of radius `major` about `axis`. In 2D, where `axis`
/// is not used, an annulus of width 2 minor.
template <int D>
ShapePtr<D> torus(const Point<D>& centre, const Point<D>& axis, double major, double minor);

/// Solid where (x - point) . normal < 0.
template <int D>
ShapePtr<D> half_space(const Point<D>& point, const Point<D>& normal);

/// The slab of the given thickness (m) centred on a plane.
template <int D>
ShapePtr<D> plane(const Point<D>& point, const Point<D>& normal, double thickness);

/// A shape moved from its local frame to where the transform puts it.
template <int D>
ShapePtr<D> placed(ShapePtr<D> shape, const Transform<D>& transform);

/// A shape scaled about the origin.
template <int D>
ShapePtr<D> scaled(ShapePtr<D> shape, double factor);

}  // namespace slosh
