// A surface: triangles in 3D, line segments in 2D (then z = 0 and every `element` has two ends).
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "slosh/base/vec.h"

namespace slosh {

struct SurfaceMesh {
    int dim = 3;
    std::vector<Vec<float, 3>> vertices;    ///< World positions. m.
    std::vector<Vec<float, 3>> velocities;  ///< One per vertex. m/s.
    std::vector<std::array<std::uint32_t, 3>>
        elements;  ///< Counter-clockwise seen from the air; 2D uses two.
};

}  // namespace slosh
