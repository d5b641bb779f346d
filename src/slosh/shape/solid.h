// A solid obstacle or container: a shape, where it is, and how it moves.
#pragma once

#include <string>

#include "slosh/shape/motion.h"
#include "slosh/shape/shape.h"

namespace slosh {

/// Whether liquid may let go of a solid.
enum class SolidWalls {
    Scene,       ///< As the scene says for all.
    Sticky,      ///< Never.
    Separating,  ///< Yes.
};

template <int D>
struct Solid {
    std::string name;
    ShapePtr<D> shape;  ///< In its local frame; solid where the distance is negative.
    Motion<D> motion;   ///< Places the local frame in the world.
    SolidWalls walls = SolidWalls::Scene;
    double slip_length = -1;  ///< Of viscous liquid along it. Negative: that of the scene. m.

    double distance(const Point<D>& world, const Transform<D>& at) const {
        return shape->distance(at.unapply(world));
    }
};

}  // namespace slosh
