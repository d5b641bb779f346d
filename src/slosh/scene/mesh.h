// Meshes that scenes name.
#pragma once

#include <string>

#include "slosh/shape/mesh_distance.h"

namespace slosh {

/// The triangles of a mesh file, or of the embedded OBJ file that "builtin:NAME" names.
TriangleMesh scene_mesh(const std::string& file);

}  // namespace slosh
