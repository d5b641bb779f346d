#include "slosh/cli/body_meshes.h"

#include <fmt/format.h>

#include <filesystem>

#include "slosh/cache/ply.h"
#include "slosh/render/shape_mesh.h"

namespace slosh::cli {

void write_body_meshes(const std::vector<Body<3>>& bodies, double dx,
                       const std::string& directory) {
    if (bodies.empty()) return;
    std::filesystem::create_directories(directory + "/bodies");
    for (std::size_t n = 0; n < bodies.size(); ++n) {
        const Shape<3>& shape = *bodies[n].shape;
        SurfaceMesh mesh = mesh_shape(shape, shape.bounds().grown(dx), 0.5 * dx);
        mesh.velocities.resize(mesh.vertices.size());
        (void)write_surface_ply(fmt::format("{}/bodies/body_{}.ply", directory, n), mesh);
    }
}

}  // namespace slosh::cli
