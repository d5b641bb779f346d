// The surface phi = 0 as a closed mesh: triangles in 3D, closed polylines in 2D.
//
// A dual method ("surface nets"): the cubes between 2^D cell centres that hold part of the surface
// get a vertex at the mean of their edges' crossings, and every grid edge that crosses the surface
// joins the vertices of the cubes around it. Where several sheets pass through one cube it has a
// vertex for each of them, so sheets are not glued together. Every edge of the mesh is shared by an
// even number of triangles (two, but for rare touching sheets), one half each way.
#pragma once

#include "slosh/grid/field.h"
#include "slosh/grid/geometry.h"
#include "slosh/surface/mesh.h"

namespace slosh {

/// Meshes phi (cell centres, negative inside; any unit) on `grid`. What lies outside phi's topology
/// is air, so the mesh closes at its border too. Vertices are in metres; velocities are sampled
/// from `velocity`, whose cells are `velocity_grid` (null: zero). Same bytes on any number of
/// threads.
template <int D>
SurfaceMesh mesh_surface(const Field<float, D>& phi, const GridGeometry<D>& grid,
                         const FaceField<float, D>* velocity = nullptr,
                         const GridGeometry<D>* velocity_grid = nullptr);

}  // namespace slosh
