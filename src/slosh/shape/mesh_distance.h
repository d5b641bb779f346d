// The signed distance of a triangle mesh, sampled once and interpolated afterwards.
//
// Near the surface the distance is trilinear between exact values on voxel corners. Further than
// the band it is a lower bound of the true distance with the right sign: enough to tell that
// nothing is near, which is all that anyone asks there.
#pragma once

#include "slosh/shape/shape.h"
#include "slosh/shape/triangle_mesh.h"

namespace slosh {

struct MeshDistanceOptions {
    double voxel = 0;  ///< Sampling distance: one grid cell or a little less. m, > 0.
    double band = 6;   ///< Voxels on each side of the surface in which distances are exact. >= 3.
    double open_mesh_thickness = 0;  ///< A mesh with holes becomes a sheet this thick. m; 0 refuses
                                     ///< it, else at least two voxels.
};

/// Throws InputError, naming the mesh, if it is empty, not closed, or much too fine for its size.
ShapePtr<3> mesh_shape(const TriangleMesh& mesh, const MeshDistanceOptions& options);
inline ShapePtr<3> mesh_shape(const TriangleMesh& mesh, double voxel) {
    return mesh_shape(mesh, MeshDistanceOptions{.voxel = voxel});
}

}  // namespace slosh
