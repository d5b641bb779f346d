// Light: the sky, the sun, Fresnel's law, and what reaches the ground.
//
// The ground's light is computed once a picture on a square texture: the share of the sky that each
// point sees, and the sunlight that photons carry there. A photon aimed at a ground point that
// meets nothing changes nothing; one that meets something takes its light away from there, and
// sets down what is left of it where refraction leads it. So open ground is free of noise, shadows
// are soft since the sun has a size, shadows through water are tinted, and caustics come for free.
#pragma once

#include <vector>

#include "slosh/render/ray_scene.h"
#include "slosh/render/stage.h"

namespace slosh {

constexpr float kWaterIndex = 1.333f;
constexpr float kSunRadius =
    0.045f;  ///< Of the sun's disc, as a tangent: larger than life, softer.

struct Sky {
    Vec3 sun;                                ///< Unit vector towards the sun.
    Vec3 sun_light = {2.10f, 1.98f, 1.76f};  ///< On a surface that faces the sun.
    Vec3 sky_light = {0.50f, 0.58f, 0.70f};  ///< On an upward surface that sees the whole sky.

    /// What a ray that leaves the stage sees.
    Vec3 radiance(const Vec3& d) const;
    /// A direction towards a point of the sun's disc; (a, b) in [0, 1)^2.
    Vec3 towards_sun(float a, float b) const;
};

/// Share of unpolarised light reflected at a smooth interface; `eta` = index before / behind.
/// `cos_in` >= 0; gives 1 under total reflection and the transmitted cosine in `cos_out`.
float fresnel(float cos_in, float eta, float& cos_out);

inline Vec3 reflect(const Vec3& d, const Vec3& n) {
    return d - n * (2 * dot(d, n));
}

/// Two unit vectors across n.
void tangents(const Vec3& n, Vec3& s, Vec3& t);
/// A direction about n with density cosine; (a, b) in [0, 1)^2.
Vec3 cosine_direction(const Vec3& n, float a, float b);

/// What one passage of a thin glass wall does: the share reflected and the tint of the rest.
struct GlassPass {
    float reflected;
    Vec3 tint;
};
GlassPass pass_glass(float cos_in, const Vec3& colour);

/// Point i of a two-dimensional sequence that fills the unit square evenly.
void even_point(std::size_t i, float& a, float& b);

class GroundLight {
public:
    /// The ground is y = height; `absorb` is the water's absorption per stage unit; `detail` is
    /// the side of the texture in texels.
    GroundLight(const RayScene& scene, const Sky& sky, float height, const Vec3& absorb,
                int detail);
    /// Sunlight (1 = unobstructed) and share of sky seen at a ground point.
    void sample(const Vec3& p, Vec3& sun, float& sky) const;

private:
    void trace_sun(const RayScene& scene, const Sky& sky, const Vec3& absorb);
    void trace_sky(const RayScene& scene);

    float height_;
    int sun_side_, sky_side_;  // texels
    std::vector<Vec3> sun_;
    std::vector<float> sky_;
};

}  // namespace slosh
