#include "slosh/render/painter.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "slosh/render/flat.h"

namespace slosh {
namespace {

template <int D>
Transform<D> flattened(const Transform<3>& t) {
    Transform<D> r;
    for (int i = 0; i < D; ++i) {
        r.translation[i] = t.translation[i];
        for (int j = 0; j < D; ++j) r.rotation.row[i][j] = t.rotation.row[i][j];
    }
    return r;
}

template <int D>
std::vector<RenderSolid<D>> shown_solids(const std::vector<PreviewSolid<D>>& given, double time,
                                         const std::vector<Transform<3>>& bodies = {}) {
    std::vector<RenderSolid<D>> solids;
    for (const PreviewSolid<D>& g : given) {
        if (g.shown == Shown::Hidden) continue;
        RenderSolid<D> solid;
        solid.shape = g.solid.shape;
        solid.mesh = g.mesh;
        solid.transform = g.solid.motion.at(time);
        if (g.body >= 0 && !bodies.empty())
            solid.transform = flattened<D>(bodies.at(static_cast<std::size_t>(g.body)));
        solid.look = g.shown == Shown::Glass ? RenderLook::Glass : RenderLook::Opaque;
        solid.colour = g.colour;
        solid.wets = g.wets;
        solids.push_back(solid);
    }
    return solids;
}

}  // namespace

Painter::Painter(PreviewScene scene, const PaintOptions& options)
    : scene_(std::move(scene)), particles_(options.particles) {
    width_ = options.width.value_or(scene_.size[0]);
    height_ = options.height.value_or(scene_.size[1]);
    // One given side keeps the proportions of the scene.
    if (options.width && !options.height)
        height_ = std::max(16, int(double(width_) * scene_.size[1] / scene_.size[0] + 0.5));
    if (options.height && !options.width)
        width_ = std::max(16, int(double(height_) * scene_.size[0] / scene_.size[1] + 0.5));
    if (scene_.dim == 2) return;
    if (options.draft) {
        const double scale = std::min(1.0, 640.0 / std::max(width_, height_));
        width_ = int(width_ * scale + 0.5);
        height_ = int(height_ * scale + 0.5);
        picture_.samples = 1;
        picture_.edge_samples = 4;
    }
    solids_ = shown_solids(scene_.solids, 0);
    mesh_solids(solids_, scene_.domain);
    picture_.width = width_;
    picture_.height = height_;
    picture_.domain = scene_.domain;
    picture_.cell = scene_.dx;
    picture_.up = scene_.up;
    picture_.draw_box = scene_.draw_box;
    if (scene_.liquid) {
        // Syrup: a tenth of the domain already has the colour, and it is not as clear as water.
        for (int c = 0; c < 3; ++c) {
            picture_.water[c] = std::pow((*scene_.liquid)[c], 10.0f);
            picture_.glow[c] = 0.5f * (*scene_.liquid)[c];
        }
    }
    picture_.ground = rest_height(solids_, picture_);
    camera_ = default_camera(scene_.domain, scene_.up);
    camera_.eye = scene_.eye;
    camera_.target = scene_.target;
    camera_.fov_degrees = scene_.fov;
}

Image Painter::paint(const PaintFrame& frame) const {
    Image image = scene_.dim == 2 ? paint_2d(frame) : paint_3d(frame);
    draw_label(image, fmt::format("frame {}  t = {:.3f} s", frame.number, frame.time));
    return image;
}

Image Painter::paint_3d(const PaintFrame& frame) const {
    std::vector<RenderSolid<3>> solids = solids_;
    const auto now = shown_solids(scene_.solids, frame.time, frame.bodies);
    for (std::size_t i = 0; i < solids.size(); ++i) solids[i].transform = now[i].transform;
    return render_3d(particles_ ? SurfaceMesh{} : frame.surface, solids, camera_, picture_,
                     // The drops of tall-cell water fly above its surface.
                     particles_ || (scene_.spray && !frame.particles.positions.empty())
                         ? &frame.particles
                         : nullptr,
                     frame.smoke ? &*frame.smoke : nullptr, frame.maps ? &*frame.maps : nullptr);
}

Image Painter::paint_2d(const PaintFrame& frame) const {
    FlatOptions flat;
    flat.width = width_;
    flat.height = height_;
    for (int d = 0; d < 2; ++d) {
        flat.domain.lo[d] = scene_.domain.lo[d];
        flat.domain.hi[d] = scene_.domain.hi[d];
    }
    if (particles_) flat.particles = &frame.particles;
    if (frame.smoke) flat.smoke = &*frame.smoke;
    return render_2d(frame.surface, shown_solids(scene_.flat_solids, frame.time, frame.bodies),
                     flat);
}

}  // namespace slosh
