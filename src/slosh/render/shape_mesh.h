// A triangle mesh of a signed distance, by dual contouring: one vertex in every cell that the
// surface crosses, placed where the planes of the crossings meet, so that edges stay sharp.
#pragma once

#include "slosh/shape/shape.h"
#include "slosh/surface/mesh.h"

namespace slosh {

/// Meshes the zero set of `shape` inside `region` with cells of size `dx`. Triangles are
/// counter-clockwise seen from where the distance is positive. Where the surface leaves the region
/// the mesh has a rim. Space is searched block by block: the distance skips the empty ones.
SurfaceMesh mesh_shape(const Shape<3>& shape, const Box<3>& region, double dx);

}  // namespace slosh
