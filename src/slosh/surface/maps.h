// Maps of a water surface seen from above, for pictures and renderers.
#pragma once

#include <vector>

#include "slosh/base/vec.h"

namespace slosh {

/// Texels along x and z, x fastest, whose corner lies at `lower`.
struct SurfaceMaps {
    int nx = 0, nz = 0;
    Point<2> lower;             ///< Of the first texel, x and z. m
    double texel = 0;           ///< m
    std::vector<float> foam;    ///< On the water. 0 ... 1
    std::vector<float> wet;     ///< How wet the ground is. 0 ... 1
    std::vector<float> ripple;  ///< Height of waves finer than the grid. m

    bool empty() const { return nx == 0; }
};

}  // namespace slosh
