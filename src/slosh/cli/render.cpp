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
#include "slosh/cache/ply.h"
#include "slosh/cache/vdb.h"
#include "slosh/cli/commands.h"
#include "slosh/cli/interrupt.h"
#include "slosh/cli/preview_scene.h"
#include "slosh/cli/progress.h"
#include "slosh/render/flat.h"
#include "slosh/render/picture.h"
#include "slosh/render/video.h"

namespace slosh::cli {
namespace {

namespace fs = std::filesystem;

template <int D>
std::vector<RenderSolid<D>> shown_solids(const std::vector<PreviewSolid<D>>& given, double time,
                                         const std::vector<Transform<D>>& bodies = {}) {
    std::vector<RenderSolid<D>> solids;
    for (const PreviewSolid<D>& g : given) {
        if (g.shown == Shown::Hidden) continue;
        RenderSolid<D> solid;
        solid.shape = g.solid.shape;
        solid.mesh = g.mesh;
        solid.transform = g.solid.motion.at(time);
        if (g.body >= 0 && !bodies.empty())
            solid.transform = bodies.at(static_cast<std::size_t>(g.body));
        solid.look = g.shown == Shown::Glass ? RenderLook::Glass : RenderLook::Opaque;
        solid.colour = g.colour;
        solids.push_back(solid);
    }
    return solids;
}

/// Draws the frames of one cache; keeps what does not change between them.
class Painter {
public:
    Painter(const RenderOptions& options, const Manifest& manifest)
        : options_(options), manifest_(manifest), scene_(load_preview_scene(options.directory)) {
        width = options.width.value_or(scene_.size[0]);
        height = options.height.value_or(scene_.size[1]);
        // One given side keeps the proportions of the scene.
        if (options.width && !options.height)
            height = std::max(16, int(double(width) * scene_.size[1] / scene_.size[0] + 0.5));
        if (options.height && !options.width)
            width = std::max(16, int(double(height) * scene_.size[0] / scene_.size[1] + 0.5));
        if (options.draft && scene_.dim == 3) {
            const double scale = std::min(1.0, 640.0 / std::max(width, height));
            width = int(width * scale + 0.5);
            height = int(height * scale + 0.5);
            picture_.samples = 1;
            picture_.edge_samples = 4;
        }
        if (scene_.dim == 3) prepare_3d();
    }

    Image paint(int frame) const {
        const SurfaceMesh surface = read_surface(frame);
        const RenderParticles particles = read_particles(frame);
        const std::optional<RenderSmoke> smoke = read_smoke(frame);
        const RenderSmoke* shown = smoke ? &*smoke : nullptr;
        Image image = scene_.dim == 2 ? paint_2d(frame, surface, particles, shown)
                                      : paint_3d(frame, surface, particles, shown);
        draw_label(image, fmt::format("frame {}  t = {:.3f} s", frame, manifest_.time_of(frame)));
        return image;
    }

    double fps() const { return scene_.fps; }
    int width = 0, height = 0;

private:
    void prepare_3d() {
        solids_ = shown_solids(scene_.solids, 0);
        mesh_solids(solids_, scene_.domain);
        picture_.width = width;
        picture_.height = height;
        picture_.domain = scene_.domain;
        picture_.cell = scene_.dx;
        picture_.up = scene_.up;
        picture_.draw_box = scene_.draw_box;
        picture_.ground = rest_height(solids_, picture_);
        camera_ = default_camera(scene_.domain, scene_.up);
        camera_.eye = scene_.eye;
        camera_.target = scene_.target;
        camera_.fov_degrees = scene_.fov;
    }

    Image paint_3d(int frame, const SurfaceMesh& surface, const RenderParticles& particles,
                   const RenderSmoke* smoke) const {
        std::vector<RenderSolid<3>> solids = solids_;
        const auto now = shown_solids(scene_.solids, manifest_.time_of(frame),
                                      bodies_at<3>(frame, scene_.solids));
        for (std::size_t i = 0; i < solids.size(); ++i) solids[i].transform = now[i].transform;
        return render_3d(options_.particles ? SurfaceMesh{} : surface, solids, camera_, picture_,
                         options_.particles ? &particles : nullptr, smoke);
    }

    Image paint_2d(int frame, const SurfaceMesh& surface, const RenderParticles& particles,
                   const RenderSmoke* smoke) const {
        FlatOptions flat;
        flat.width = width;
        flat.height = height;
        for (int d = 0; d < 2; ++d) {
            flat.domain.lo[d] = scene_.domain.lo[d];
            flat.domain.hi[d] = scene_.domain.hi[d];
        }
        if (options_.particles) flat.particles = &particles;
        flat.smoke = smoke;
        return render_2d(surface,
                         shown_solids(scene_.flat_solids, manifest_.time_of(frame),
                                      bodies_at<2>(frame, scene_.flat_solids)),
                         flat);
    }

    /// Where the bodies are; nothing if the scene has none.
    template <int D>
    std::vector<Transform<D>> bodies_at(int frame,
                                        const std::vector<PreviewSolid<D>>& solids) const {
        const auto count =
            std::count_if(solids.begin(), solids.end(), [](const auto& s) { return s.body >= 0; });
        if (count == 0) return {};
        const std::string path =
            (fs::path(options_.directory) / "bodies" / fmt::format("bodies.{:04}.json", frame))
                .string();
        std::vector<Transform<D>> all = read_bodies<D>(path);
        if (all.size() != static_cast<std::size_t>(count))
            throw InputError(path + " does not fit the scene; run it again");
        return all;
    }

    std::string file(int frame, const char* kind, const char* extension, const char* key) const {
        const fs::path path =
            fs::path(options_.directory) / kind / fmt::format("{}.{:04}.{}", kind, frame, extension);
        if (!fs::exists(path))
            throw InputError(
                fmt::format("{} is missing; a run {} writes it", path.string(), key));
        return path.string();
    }

    std::optional<RenderSmoke> read_smoke(int frame) const {
        if (!scene_.gas || options_.particles) return {};
        SmokeVolume volume =
            read_smoke_vdb(file(frame, "volumes", "vdb", "of the scene"), scene_.cells);
        RenderSmoke smoke;
        smoke.cells = volume.cells;
        smoke.origin = scene_.domain.lo;
        smoke.dx = scene_.dx;
        smoke.density = std::move(volume.density);
        return smoke;
    }

    SurfaceMesh read_surface(int frame) const {
        if (scene_.gas) {
            SurfaceMesh none;
            none.dim = scene_.dim;
            return none;
        }
        if (options_.particles && scene_.dim == 3) return {};
        return read_surface_ply(file(frame, "surface", "ply", "with --set output.surface=true"));
    }

    RenderParticles read_particles(int frame) const {
        RenderParticles shown;
        if (!options_.particles) return shown;
        const ParticleCloud cloud = read_particles_ply(
            file(frame, "particles", "ply", "with --set output.particles=ply"));
        shown.positions = cloud.positions;
        for (const auto& v : cloud.velocities) shown.speeds.push_back(length(v));
        return shown;
    }

    const RenderOptions& options_;
    const Manifest& manifest_;
    PreviewScene scene_;
    std::vector<RenderSolid<3>> solids_;
    slosh::RenderOptions picture_;
    Camera camera_;
};

int film(const Painter& painter, const Manifest& manifest, const fs::path& path, bool quiet) {
    Progress progress(manifest.frames, quiet);
    VideoWriter video(path, painter.width, painter.height, painter.fps());
    for (int frame = 1; frame <= manifest.frames; ++frame) {
        video.add(painter.paint(frame));
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
    const Painter painter(options, manifest);
    if (kind == ".mp4") return film(painter, manifest, path, options.quiet);
    write_png(painter.paint(options.frame.value_or(manifest.frames)), path);
    if (!options.quiet) std::printf("picture: %s\n", path.c_str());
    return 0;
}

}  // namespace slosh::cli
