// A rigid body as the grid sees it in one step, and the faces that it covers.
#pragma once

#include "slosh/shape/motion.h"
#include "slosh/shape/shape.h"

namespace slosh {

template <int D>
struct PlacedBody {
    const Shape<D>* shape = nullptr;  ///< In its local frame.
    Transform<D> at;                  ///< Places the local frame in the world.
    Point<D> centre;                  ///< World point that `velocity` belongs to. m.
    Point<D> velocity;                ///< m/s
    Point<3> spin;                    ///< rad/s; in 2D z only.

    double distance(const Point<D>& world) const { return shape->distance(at.unapply(world)); }
    Point<D> velocity_at(const Point<D>& world) const {
        const Point<D> r = world - centre;
        if constexpr (D == 2)
            return velocity + Point<2>{-spin[2] * r[1], spin[2] * r[0]};
        else
            return velocity + cross(spin, r);
    }
};

/// The part of a lower face that a body, and nothing else, closes.
struct BodyFace {
    int block, offset, axis;  ///< The face is the lower one of this cell along `axis`.
    int body;
    float share;  ///< Of the face's area. (0, 1].
};

}  // namespace slosh
