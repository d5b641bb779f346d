#include "slosh/view/cached.h"

#include <fmt/format.h>

#include <filesystem>

#include "slosh/base/error.h"
#include "slosh/base/timer.h"
#include "slosh/cache/bodies.h"
#include "slosh/cache/ply.h"
#include "slosh/cache/vdb.h"
#include "slosh/render/preview_scene.h"
#include "slosh/view/live.h"

namespace slosh::view {
namespace {

template <int D>
std::vector<Transform<3>> bodies_of(const std::string& path) {
    std::vector<Transform<3>> all;
    for (const Transform<D>& t : read_bodies<D>(path)) all.push_back(in_space(t));
    return all;
}
/// The scene's solids come first in what pictures show.
template <int D>
std::vector<Transform<3>> solids_at(double time, const std::vector<PreviewSolid<D>>& shown,
                                    std::size_t count) {
    std::vector<Transform<3>> all;
    for (std::size_t i = 0; i < count; ++i) all.push_back(in_space(shown[i].solid.motion.at(time)));
    return all;
}

/// Every cell with smoke becomes a point.
void smoke_points(const SmokeVolume& volume, const Scene& scene, ShownPoints& out) {
    constexpr float kThin = 0.02f;
    std::size_t i = 0;
    for (int z = 0; z < volume.cells[2]; ++z)
        for (int y = 0; y < volume.cells[1]; ++y)
            for (int x = 0; x < volume.cells[0]; ++x, ++i) {
                if (volume.density[i] <= kThin) continue;
                Vec<float, 3> p;
                const int at[3] = {x, y, z};
                for (int d = 0; d < scene.dim; ++d)
                    p[d] = float(scene.lower[d] + (at[d] + 0.5) * scene.dx());
                out.positions.push_back(p);
                out.speeds.push_back(0);
                out.densities.push_back(volume.density[i]);
                out.thicknesses.push_back(0);
            }
}

}  // namespace

CachedRun::CachedRun(std::string directory)
    : directory_(std::move(directory)),
      scene_(load_run_scene(directory_)),
      preview_(preview_scene(scene_)) {
    (void)frames();
}

int CachedRun::frames() const {
    constexpr double kLook = 0.2;  // s
    const double now = wall_seconds();
    if (frames_ == 0 || now > looked_ + kLook) {
        frames_ = read_manifest(directory_).frames;
        looked_ = now;
    }
    return frames_;
}

std::string CachedRun::file(const char* folder, int number, const char* extension) const {
    return fmt::format("{}/{}/{}.{:04}.{}", directory_, folder, folder, number, extension);
}

ShownFrame CachedRun::frame(int number, bool points) const {
    ShownFrame out;
    out.number = number;
    out.time = (number - 1) / scene_.fps;
    out.surface.dim = scene_.dim;
    const bool flat = scene_.dim == 2;
    out.solids = flat ? solids_at(out.time, preview_.flat_solids, scene_.solids.size())
                      : solids_at(out.time, preview_.solids, scene_.solids.size());
    if (!scene_.bodies.empty()) {
        const std::string path = file("bodies", number, "json");
        out.bodies = flat ? bodies_of<2>(path) : bodies_of<3>(path);
    }
    const std::string surface = file("surface", number, "ply"),
                      particles = file("particles", number, "ply");
    if (scene_.gas)
        smoke_points(read_smoke_vdb(file("volumes", number, "vdb"), scene_.cells()), scene_,
                     out.points);
    else if (scene_.output.surface)
        out.surface = read_surface_ply(surface);
    const bool have = std::filesystem::exists(particles);
    if (!scene_.gas && !scene_.output.surface && !have)
        throw InputError(surface + " is missing; run the scene again with output.surface=true");
    if (have && !scene_.gas && (points || !scene_.output.surface)) {
        const ParticleCloud cloud = read_particles_ply(particles);
        for (std::size_t i = 0; i < cloud.positions.size(); ++i) {
            if (!shows_particle(cloud.ids[i], cloud.positions.size())) continue;
            out.points.positions.push_back(cloud.positions[i]);
            out.points.speeds.push_back(length(cloud.velocities[i]));
            out.points.densities.push_back(1);
            out.points.thicknesses.push_back(thickness(scene_.viscosity));
        }
    }
    return out;
}

}  // namespace slosh::view
