// What rays can hit, in stage coordinates: an Embree scene and, for each object, how to find its
// smooth normal. Embree itself is seen by ray_scene.cpp only.
#pragma once

#include <memory>
#include <vector>

#include "slosh/render/picture.h"
#include "slosh/render/stage.h"

namespace slosh {

/// Kinds of object; also bits of a ray's mask.
enum Kind : unsigned {
    kWater = 1,
    kGlass = 2,
    kOpaque = 4,
    kCutAway = 8,
    kLine = 16,  ///< Fine edges: seen, but without shadow.
    kEverything = 31,
};

/// Water and glass nearer than this to the start of a ray are not hit, so that a ray goes on from
/// the very point where it met them: moved off it, it could start behind what they touch.
inline constexpr float kStartsOn = 2e-5f;

struct Hit {
    float t = 0;
    Vec3 p;
    Vec3 ng;  ///< Geometric normal, unit length, out of the object.
    Kind kind = kOpaque;
    unsigned object = 0, primitive = 0;
    float u = 0, v = 0;
};

class RayScene {
public:
    RayScene(const Stage& stage, const Box<3>& domain, double contact);
    ~RayScene();
    RayScene(const RayScene&) = delete;
    RayScene& operator=(const RayScene&) = delete;

    /// The liquid; `mesh` in world coordinates. It is laid against the solids added before.
    void add_water(const SurfaceMesh& mesh);
    /// A solid with a mesh. The solid's shape, if any, must outlive the scene.
    void add_solid(const RenderSolid<3>& solid);
    /// The four sides and the lid of the domain as glass, and its edges.
    void add_box(const Box<3>& box);
    void add_particles(const RenderParticles& particles, double radius);
    /// Builds the tree; then rays may be shot.
    void commit();

    /// Closest hit of the objects in `mask` within (0, t_max).
    bool closest(const Vec3& o, const Vec3& d, float t_max, unsigned mask, Hit& hit) const;
    /// Whether anything in `mask` is hit within (0, t_max).
    bool occluded(const Vec3& o, const Vec3& d, float t_max, unsigned mask) const;

    /// Unit normal for shading, out of the object.
    Vec3 shading_normal(const Hit& hit) const;
    Vec3 colour(const Hit& hit) const;
    /// Whether maps of wetness are for this object.
    bool wets(const Hit& hit) const;

private:
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

}  // namespace slosh
