// Signed distances: negative inside, positive outside, in metres.
//
// A Shape is immutable and safe to read from many threads. Distances of CSG results are bounds
// with the right sign and zero set, exact near a single surface.
#pragma once

#include <memory>

#include "slosh/base/vec.h"

namespace slosh {

template <int D>
class Shape {
public:
    virtual ~Shape() = default;
    /// Signed distance at a point (m).
    virtual double distance(const Point<D>& x) const = 0;
    /// A box that holds every point with distance <= 0; Box::everywhere() if unbounded.
    virtual Box<D> bounds() const = 0;
};

template <int D>
using ShapePtr = std::shared_ptr<const Shape<D>>;

/// Unit outward normal of a distance by central differences over `step` metres; zero where flat.
template <int D>
Point<D> normal(const Shape<D>& shape, const Point<D>& x, double step);

}  // namespace slosh
