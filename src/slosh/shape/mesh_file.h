// Triangle meshes from files: OBJ, PLY, STL, glTF and GLB.
#pragma once

#include <string>

#include "slosh/shape/triangle_mesh.h"

namespace slosh {

/// All triangles of all parts of a file, polygons cut into triangles, node transforms applied,
/// equal vertices joined. Throws InputError, one line that names the file, if it is missing, of an
/// unknown kind, damaged, without triangles, or holds coordinates that are not finite.
TriangleMesh load_mesh(const std::string& path);

}  // namespace slosh
