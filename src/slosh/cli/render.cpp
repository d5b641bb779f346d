// `slosh render`: a video of all frames of a run, or a picture of one.
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <optional>

#include "slosh/base/error.h"
#include "slosh/base/parallel.h"
#include "slosh/cache/bodies.h"
#include "slosh/cache/manifest.h"
#include "slosh/cache/maps.h"
#include "slosh/cache/ply.h"
#include "slosh/cache/vdb.h"
#include "slosh/cli/commands.h"
#include "slosh/cli/interrupt.h"
#include "slosh/cli/progress.h"
#include "slosh/render/painter.h"
#include "slosh/render/video.h"
#include "slosh/view/live.h"

namespace slosh::cli {
namespace {

namespace fs = std::filesystem;

template <int D>
std::vector<Transform<3>> read_placements(const std::string& path) {
    std::vector<Transform<3>> all;
    for (const Transform<D>& t : read_bodies<D>(path)) all.push_back(view::in_space(t));
    return all;
}

/// Reads the frames of one cache, and has them painted.
class Film {
public:
    Film(const RenderOptions& options, const Manifest& manifest)
        : options_(options),
          manifest_(manifest),
          painter_(preview_scene(load_run_scene(options.directory)),
                   {.width = options.width,
                    .height = options.height,
                    .draft = options.draft,
                    .particles = options.particles}) {}

    Image paint(int frame) const {
        return painter_.paint({.number = frame,
                               .time = manifest_.time_of(frame),
                               .surface = read_surface(frame),
                               .particles = read_particles(frame),
                               .smoke = read_smoke(frame),
                               .maps = read_frame_maps(frame),
                               .bodies = bodies_at(frame)});
    }
    const Painter& painter() const { return painter_; }

private:
    const PreviewScene& scene() const { return painter_.scene(); }

    /// Where the bodies are; nothing if the scene has none.
    std::vector<Transform<3>> bodies_at(int frame) const {
        const auto is_body = [](const auto& s) { return s.body >= 0; };
        const auto& flat = scene().flat_solids;
        const auto& solids = scene().solids;
        const auto count = std::count_if(flat.begin(), flat.end(), is_body) +
                           std::count_if(solids.begin(), solids.end(), is_body);
        if (count == 0) return {};
        const std::string path =
            (fs::path(options_.directory) / "bodies" / fmt::format("bodies.{:04}.json", frame))
                .string();
        std::vector<Transform<3>> all =
            scene().dim == 2 ? read_placements<2>(path) : read_placements<3>(path);
        if (all.size() != static_cast<std::size_t>(count))
            throw InputError(path + " does not fit the scene; run it again");
        return all;
    }

    std::string file(int frame, const char* kind, const char* extension, const char* key) const {
        const fs::path path = fs::path(options_.directory) / kind /
                              fmt::format("{}.{:04}.{}", kind, frame, extension);
        if (!fs::exists(path))
            throw InputError(fmt::format("{} is missing; a run {} writes it", path.string(), key));
        return path.string();
    }

    std::optional<RenderSmoke> read_smoke(int frame) const {
        if (!scene().gas || options_.particles) return {};
        SmokeVolume volume =
            read_smoke_vdb(file(frame, "volumes", "vdb", "of the scene"), scene().cells);
        RenderSmoke smoke;
        smoke.cells = volume.cells;
        smoke.origin = scene().domain.lo;
        smoke.dx = scene().dx;
        smoke.density = std::move(volume.density);
        return smoke;
    }

    std::optional<SurfaceMaps> read_frame_maps(int frame) const {
        if (!scene().maps || options_.particles) return {};
        const Box<3>& domain = scene().domain;
        return read_maps(file(frame, "maps", "pfm", "of the scene"), {{domain.lo[0], domain.lo[2]}},
                         domain.hi[0] - domain.lo[0]);
    }

    SurfaceMesh read_surface(int frame) const {
        if (scene().gas) {
            SurfaceMesh none;
            none.dim = scene().dim;
            return none;
        }
        if (options_.particles && scene().dim == 3) return {};
        return read_surface_ply(file(frame, "surface", "ply", "with --set output.surface=true"));
    }

    RenderParticles read_particles(int frame) const {
        RenderParticles shown;
        if (!options_.particles && !scene().spray) return shown;
        const ParticleCloud cloud =
            read_particles_ply(file(frame, "particles", "ply", "with --set output.particles=ply"));
        shown.positions = cloud.positions;
        if (scene().spray) {  // white, whatever its speed
            shown.speeds.assign(cloud.positions.size(), 1.0f);
            shown.top_speed = 1;
            shown.radius = 0.12 * scene().dx;
            return shown;
        }
        for (const auto& v : cloud.velocities) shown.speeds.push_back(length(v));
        return shown;
    }

    const RenderOptions& options_;
    const Manifest& manifest_;
    Painter painter_;
};

int write_film(const Film& film, const Manifest& manifest, const fs::path& path, bool quiet) {
    Progress progress(manifest.frames, quiet);
    VideoWriter video(path, film.painter().width(), film.painter().height(),
                      film.painter().scene().fps);
    for (int frame = 1; frame <= manifest.frames; ++frame) {
        video.add(film.paint(frame));
        progress.item("picture", frame, manifest.frames);
        if (interrupted()) {
            progress.clear();
            std::fprintf(stderr, "slosh: interrupted; no video was written\n");
            return 130;
        }
    }
    video.finish();
    progress.say("video: " + path.string());
    return 0;
}

}  // namespace

int render(const RenderOptions& options) {
    const Manifest manifest = read_manifest(options.directory);
    if (manifest.frames == 0) throw InputError(options.directory + " holds no frame yet");
    if (options.frame && *options.frame > manifest.frames)
        throw InputError(fmt::format("{} holds frames 1 to {}; there is no frame {}",
                                     options.directory, manifest.frames, *options.frame));
    fs::path path = options.output;
    if (path.empty())
        path = fs::path(options.directory) /
               (options.frame ? fmt::format("frame.{:04}.png", *options.frame) : "preview.mp4");
    const std::string kind = path.extension().string();
    if (kind != ".mp4" && kind != ".png")
        throw InputError("cannot write " + path.string() + "; its name must end in .mp4 or .png");
    if (kind == ".mp4" && options.frame)
        throw InputError("one frame is a picture: give -o a name that ends in .png");
    if (kind == ".mp4" && !have_ffmpeg())
        throw ResourceError(
            "ffmpeg is not installed, so there is no video; --frame N -o FILE.png works without "
            "it");

    set_threads(options.threads);
    catch_interrupts();
    const Film film(options, manifest);
    if (kind == ".mp4") return write_film(film, manifest, path, options.quiet);
    write_png(film.paint(options.frame.value_or(manifest.frames)), path);
    if (!options.quiet) std::printf("picture: %s\n", path.c_str());
    return 0;
}

}  // namespace slosh::cli
