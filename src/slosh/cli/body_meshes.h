// The surfaces of bodies on disk.
#pragma once

#include <string>
#include <vector>

#include "slosh/rigid/body.h"

namespace slosh::cli {

/// Writes each body's surface at the start, once: frames say where it has gone since. Meshes of
/// cells half as large as the grid's (m).
void write_body_meshes(const std::vector<Body<3>>& bodies, double dx, const std::string& directory);

}  // namespace slosh::cli
