// Pictures of the frames of one run: the scene's looks and camera, and what does not change between
// frames, kept.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "slosh/render/picture.h"
#include "slosh/render/preview_scene.h"

namespace slosh {

struct PaintOptions {
    std::optional<int> width, height;  ///< Pixels; none: the scene's.
    bool draft = false;                ///< Fewer rays and at most 640 pixels a side.
    bool particles = false;            ///< Particles instead of, or in 2D over, the surface.
};

/// What a frame holds, read or computed.
struct PaintFrame {
    int number = 1;
    double time = 0;  ///< s
    SurfaceMesh surface;
    RenderParticles particles;
    std::optional<RenderSmoke> smoke;
    std::optional<SurfaceMaps> maps;
    std::vector<Transform<3>> bodies;  ///< Where the bodies' shapes are; empty: at their start.
};

class Painter {
public:
    Painter(PreviewScene scene, const PaintOptions& options);

    /// With a label that says which frame it is.
    Image paint(const PaintFrame& frame) const;

    const PreviewScene& scene() const { return scene_; }
    int width() const { return width_; }
    int height() const { return height_; }

private:
    Image paint_3d(const PaintFrame& frame) const;
    Image paint_2d(const PaintFrame& frame) const;

    PreviewScene scene_;
    bool particles_;
    int width_ = 0, height_ = 0;
    std::vector<RenderSolid<3>> solids_;
    RenderOptions picture_;
    Camera camera_;
};

}  // namespace slosh
