// Smoke in pictures: a grid of densities that rays go through.
//
// Light dims by exp(-extinction) and is scattered once: every bit of smoke sends on the sunlight
// that smoke and solids leave of the sun there, and light of the sky, dimmed by the smoke above.
// Both are computed once per cell and picture; along a ray they are summed in equal steps. Nothing
// is random but the start of the first step.
#pragma once

#include <vector>

#include "slosh/render/light.h"

namespace slosh {

/// What smoke does on a piece of a ray: the light it sends, and the share it lets through.
struct SmokePass {
    Vec3 light;
    float through = 1;
};

class Smoke {
public:
    /// Smoke of the world's box; `given` in cells of its grid, and must outlive this.
    Smoke(const Stage& stage, const RenderSmoke& given);

    /// Computes the light in every cell; `scene` must be complete.
    void light(const RayScene& scene, const Sky& sky);

    /// From `o` along d (unit) to `way`; `start` in [0, 1) shifts the steps.
    SmokePass pass(const Vec3& o, const Vec3& d, float way, float start) const;
    /// Share of light that arrives at p from direction d (unit), smoke alone.
    float shadow(const Vec3& p, const Vec3& d) const;

private:
    struct Span {
        float from, to;
    };
    /// Where a ray is in the box of the grid.
    Span inside(const Vec3& o, const Vec3& d, float way) const;
    /// Trilinear, at a place in cells of the grid.
    float density(const Vec3& g) const;
    Vec3 lit(const Vec3& g) const;
    Vec3 to_grid(const Vec3& p) const;
    Vec3 turned(const Vec3& d) const;

    Stage stage_;
    const RenderSmoke& given_;
    Index<3> n_;
    float cell_;        // in stage units
    float extinction_;  // per stage unit and density
    std::vector<Vec3> lit_;
};

}  // namespace slosh
