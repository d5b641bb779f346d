// Preview pictures in 3D: a small ray tracer that shows liquid as refracting water, gas by its
// smoke, containers as thin glass, obstacles as matt bodies, on a ground with soft shadows and
// caustics under a sky.
//
//     std::vector<RenderSolid<3>> solids = ...;
//     mesh_solids(solids, domain);                       // once a run: shapes do not change
//     Image frame = render_3d(surface, solids, default_camera(domain), {.domain = domain});
//
// The picture depends on the input alone: the same bytes on any number of threads.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "slosh/base/vec.h"
#include "slosh/render/image.h"
#include "slosh/shape/motion.h"
#include "slosh/shape/shape.h"
#include "slosh/surface/maps.h"
#include "slosh/surface/mesh.h"

namespace slosh {

using Colour = Vec<float, 3>;  ///< Linear red, green, blue; 1 is white paper.

struct Camera {
    Point<3> eye, target, up;  ///< m, m, any length.
    double fov_degrees = 35;   ///< Height of the picture.
};

/// A camera in front of the box, a little above and to the side, that sees all of it.
/// `up` is the vertical axis: 1 for y, 2 for z.
Camera default_camera(const Box<3>& domain, int up = 1);

/// How a solid is shown.
enum class RenderLook {
    Glass,    ///< A thin clear wall: right for containers.
    Opaque,   ///< A matt body.
    CutAway,  ///< A matt wall, left out where it would hide its inside from the viewer.
    Hidden,
};

template <int D>
struct RenderSolid {
    ShapePtr<D> shape;                        ///< Local frame. May be null in 3D if `mesh` is set.
    std::shared_ptr<const SurfaceMesh> mesh;  ///< Local frame; made from `shape` when missing.
    Transform<D> transform;                   ///< Local frame to world.
    RenderLook look = RenderLook::Opaque;
    Colour colour = {0.75f, 0.62f, 0.45f};  ///< Glass takes only a tint of it.
    bool wets = false;                      ///< Darker where maps say that it is wet.

    RenderSolid() = default;
    RenderSolid(ShapePtr<D> s, RenderLook l, Colour c, const Transform<D>& at = {})
        : shape(std::move(s)), transform(at), look(l), colour(c) {}
};
constexpr Colour kClearGlass = {0.65f, 0.80f, 0.85f};
constexpr Colour kTerracotta = {0.75f, 0.40f, 0.24f};

/// Particles shown as little balls (3D) or dots (2D), coloured by speed.
struct RenderParticles {
    std::vector<Vec<float, 3>> positions;  ///< m; z = 0 in 2D.
    std::vector<float> speeds;             ///< m/s, one each; or empty.
    double radius = 0;                     ///< m; 0 chooses a quarter of a cell.
    double top_speed = 0;                  ///< m/s shown as the brightest; 0: the largest there is.
};

/// Smoke of a gas, in cells of a grid.
struct RenderSmoke {
    Index<3> cells;              ///< 2D: one layer.
    Point<3> origin;             ///< Lower corner of the grid. m
    double dx = 0;               ///< m
    std::vector<float> density;  ///< One per cell, x fastest.
    double thickness = 26;       ///< Optical depth of one domain length of smoke of density 1.
};

struct RenderOptions {
    int width = 512, height = 512;  ///< Pixels.
    int samples = 4;                ///< Rays through a pixel; rounded up to a square.
    int edge_samples = 4;           ///< More of them where the first ones differ; 0 for none.
    Box<3> domain = {{0, 0, 0}, {1, 1, 1}};  ///< The simulated box. m.
    double cell = 0;                     ///< Cell size of the simulation, m; 0: longest side / 64.
    int up = 1;                          ///< Vertical axis: 1 for y, 2 for z.
    bool draw_box = true;                ///< Shows the domain as a glass box with fine edges.
    std::optional<double> ground = {};   ///< Height of the ground, m; rest_height() if not given.
    Point<3> sun = {-0.55, 1.0, -0.40};  ///< Towards the sun, with y up whatever `up` says.
    Colour water = {0.18f, 0.68f, 0.80f};  ///< Light that is left after one domain length of water.
    Colour glow = {0.015f, 0.16f, 0.22f};  ///< Light that deep water scatters towards the eye.
    double exposure = 1;
};

/// What a camera should see: the domain if its box is drawn, else its containers, if they have
/// meshes.
Box<3> shown_box(const std::vector<RenderSolid<3>>& solids, const RenderOptions& options);

/// Where the ground lies if nobody says: under the box that is shown. Ask once a run and keep it,
/// so that the ground does not move with a container.
double rest_height(const std::vector<RenderSolid<3>>& solids, const RenderOptions& options);

/// Gives every solid that has only a shape a mesh of it, with about `cells` cells along the
/// longest side of the shape (or of the domain, for shapes without bounds).
void mesh_solids(std::vector<RenderSolid<3>>& solids, const Box<3>& domain, int cells = 96);

/// The picture of a closed liquid surface (may be empty) and solids.
Image render_3d(const SurfaceMesh& liquid, const std::vector<RenderSolid<3>>& solids,
                const Camera& camera, const RenderOptions& options = {},
                const RenderParticles* particles = nullptr, const RenderSmoke* smoke = nullptr,
                const SurfaceMaps* maps = nullptr);

}  // namespace slosh
