// A lower bound of the distance to a mesh, for points too far from it to have samples: on a coarse
// lattice, the exact distance from each cell's centre to the nearest cell the surface touches.
#pragma once

#include <vector>

#include "slosh/shape/mesh_voxels.h"

namespace slosh {

class MeshFar {
public:
    MeshFar() = default;
    /// From the unsigned bricks around the surface; `lo` and `size` give the lattice in voxels and
    /// hold the whole surface.
    MeshFar(const std::vector<DistanceBrick>& bricks, const Index<3>& lo, const Index<3>& size);

    /// At most the true distance from g to the surface, at least 0. All in voxels.
    double bound(const Point<3>& g) const;

private:
    Point<3> lo_;
    Index<3> cells_;
    Box<3> touched_ = Box<3>::nowhere();  // everything the surface touches
    double side_ = 4;                     // of a coarse cell
    std::vector<float> distance_;         // from centres
};

}  // namespace slosh
