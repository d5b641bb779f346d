// Distances to a triangle mesh on the corners of voxels, kept in bricks near the surface only.
//
// Node i is at origin + i * voxel. Brick c holds nodes 8c .. 8c+8 (so that every voxel finds its
// corners in one brick). Values are in voxels and never negative: the sign is found elsewhere.
#pragma once

#include <vector>

#include "slosh/shape/triangle_mesh.h"

namespace slosh {

constexpr int kBrickSide = 8;  ///< Voxels along a brick's edge.
constexpr int kBrickNodes = 9 * 9 * 9;

struct DistanceBrick {
    Index<3> coord;
    float v[kBrickNodes];  ///< x fastest.
};

/// Unsigned distances up to `band` voxels, which is also the value of nodes further away. Every
/// node closer than that is in a brick. Sorted by coordinate: the same mesh gives the same bytes.
std::vector<DistanceBrick> mesh_voxels(const TriangleMesh& mesh, const Point<3>& origin,
                                       double voxel, double band);

}  // namespace slosh
