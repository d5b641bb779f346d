// Light along a ray: Whitted's recursion with Fresnel splits at water, straight passage through
// thin glass, absorption and a little scattering in water, soft sun and sky on matt surfaces, smoke
// on the way (smoke.h).
//
// There is no random choice between branches: a branch too weak to matter is cut off by a glance
// at the sky in its direction, so the picture has no grain.
#pragma once

#include <cstdint>

#include "slosh/render/drawn_maps.h"
#include "slosh/render/light.h"
#include "slosh/render/smoke.h"

namespace slosh {

class Tracer {
public:
    /// `left` is the light left after one stage unit of water, `glow` what it scatters towards the
    /// eye where it is deep, `contact` the gap (stage units)
    /// below which water touches a body, `detail` the texels across the ground's light.
    /// `smoke` and `maps` may be null; they must outlive this.
    Tracer(const RayScene& scene, const Sky& sky, float ground_height, const Vec3& left,
           const Vec3& glow, float contact, int detail, const Smoke* smoke = nullptr,
           const DrawnMaps* maps = nullptr);

    /// Light that arrives at `o` from direction d. `seed` picks the points of sun and sky that are
    /// tried.
    Vec3 radiance(const Vec3& o, const Vec3& d, std::uint64_t seed) const {
        return radiance(o, d, 1, 0, false, seed);
    }

private:
    Vec3 radiance(Vec3 o, Vec3 d, float weight, int depth, bool wet, std::uint64_t seed) const;
    Vec3 ground(const Vec3& p, const Vec3& d) const;
    Vec3 body(const Hit& hit, const Vec3& d, float weight, std::uint64_t seed) const;
    Vec3 sunlight(const Vec3& p, const Vec3& towards) const;
    /// Light of foam that lies on water.
    Vec3 foam(const Vec3& p, const Vec3& n) const;
    /// What a weak reflection sees: sky or ground, nothing else.
    Vec3 glance(const Vec3& o, const Vec3& d) const;

    const RayScene& scene_;
    Sky sky_;
    float height_;
    Vec3 absorb_;
    Vec3 glow_;  // light that water scatters towards the eye, when deep
    float contact_;
    GroundLight ground_light_;
    const Smoke* smoke_;
    const DrawnMaps* maps_;
};

}  // namespace slosh
