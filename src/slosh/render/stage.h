// The stage: coordinates in which the ray tracer works. The domain's longest side is 1, its centre
// the origin and y is up, whatever units and axes the scene has, so every tolerance of the tracer
// is a plain number and floats are used where they are finest.
#pragma once

#include "slosh/base/vec.h"

namespace slosh {

using Vec3 = Vec<float, 3>;

struct Stage {
    Point<3> centre;
    double size = 1;  ///< Metres per stage unit.
    int up = 1;

    Stage(const Box<3>& domain, int up_axis) : centre((domain.lo + domain.hi) * 0.5), up(up_axis) {
        const Point<3> side = domain.hi - domain.lo;
        size = std::max({side[0], side[1], side[2]});
    }
    /// A direction, turned so that y is up (a rotation, so nothing is mirrored).
    Point<3> turn(const Point<3>& v) const { return up == 1 ? v : Point<3>{v[0], v[2], -v[1]}; }
    Point<3> turn_back(const Point<3>& v) const {
        return up == 1 ? v : Point<3>{v[0], -v[2], v[1]};
    }
    Vec3 from_world(const Point<3>& x) const { return (turn(x - centre) / size).as<float>(); }
    Point<3> to_world(const Vec3& x) const { return centre + turn_back(x.as<double>()) * size; }
};

inline Vec3 mul(const Vec3& a, const Vec3& b) {
    return {a[0] * b[0], a[1] * b[1], a[2] * b[2]};
}
inline Vec3 mix(const Vec3& a, const Vec3& b, float t) {
    return a + (b - a) * t;
}
inline Vec3 normalized(const Vec3& a) {
    const float len = length(a);
    return len > 0 ? a / len : a;
}
inline float smoothstep(float from, float to, float x) {
    const float t = std::clamp((x - from) / (to - from), 0.0f, 1.0f);
    return t * t * (3 - 2 * t);
}

}  // namespace slosh
