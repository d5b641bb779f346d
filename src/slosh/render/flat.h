// Pictures of 2D scenes: liquid filled, solids grey with a crisp outline, particles and velocity
// arrows by choice, on a light background.
#pragma once

#include "slosh/grid/field.h"
#include "slosh/grid/geometry.h"
#include "slosh/render/picture.h"

namespace slosh {

struct FlatOptions {
    int width = 512, height = 512;     ///< Pixels; the domain is fitted in and centred.
    Box<2> domain = {{0, 0}, {1, 1}};  ///< What is shown. m.
    double margin = 0.03;              ///< Left free around the domain, as a share of the picture.
    const RenderParticles* particles = nullptr;     ///< Dots, if given.
    const RenderSmoke* smoke = nullptr;             ///< Shades of grey, if given.
    const FaceField<float, 2>* velocity = nullptr;  ///< Arrows, if given; needs `grid`.
    const GridGeometry<2>* grid = nullptr;          ///< Of `velocity`.
    double arrow_spacing = 20;                      ///< Pixels between arrows.
    double top_speed = 0;  ///< m/s that gets the longest arrow; 0: the largest shown.
};

/// Colours of the picture, for captions that want to match.
constexpr Rgb kPaper = {252, 252, 250}, kLiquidFill = {92, 164, 214}, kLiquidLine = {24, 84, 140},
              kSmoke = {52, 54, 60}, kSolidFill = {196, 198, 202}, kSolidLine = {70, 74, 82};

/// Liquid given by its level set at cell centres (negative inside): smooth at any size.
Image render_2d(const Field<float, 2>& level_set, const GridGeometry<2>& grid,
                const std::vector<RenderSolid<2>>& solids, const FlatOptions& options = {});

/// Liquid given by its closed outline, a 2D surface mesh (even-odd).
Image render_2d(const SurfaceMesh& outline, const std::vector<RenderSolid<2>>& solids,
                const FlatOptions& options = {});

}  // namespace slosh
