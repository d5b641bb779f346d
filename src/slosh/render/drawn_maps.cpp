#include "slosh/render/drawn_maps.h"

#include <cmath>

#include "slosh/base/hash.h"

namespace slosh {

namespace {

/// Smooth noise in [0, 1), of texels.
float fleck(float x, float z) {
    const float fx = std::floor(x), fz = std::floor(z);
    const auto at = [&](int i, int k) {
        const auto ix = static_cast<std::uint64_t>(static_cast<std::int64_t>(fx) + i),
                   iz = static_cast<std::uint64_t>(static_cast<std::int64_t>(fz) + k);
        return static_cast<float>(hash_uniform(0xf0a3, ix, iz));
    };
    const float a = smoothstep(0, 1, x - fx), b = smoothstep(0, 1, z - fz);
    return (1 - b) * ((1 - a) * at(0, 0) + a * at(1, 0)) + b * ((1 - a) * at(0, 1) + a * at(1, 1));
}

}  // namespace

DrawnMaps::DrawnMaps(const Stage& stage, const SurfaceMaps& maps) : stage_(stage), maps_(maps) {}

float DrawnMaps::read(const std::vector<float>& map, const Vec3& p, float right, float up) const {
    const Point<3> at = stage_.to_world(p);
    const auto place = [&](double x, double low, float more, int n) {
        return std::clamp(static_cast<float>((x - low) / maps_.texel - 0.5) + more, 0.0f,
                          static_cast<float>(n) - 1.001f);
    };
    const float x = place(at[0], maps_.lower[0], right, maps_.nx),
                z = place(at[2], maps_.lower[1], up, maps_.nz);
    const int ix = static_cast<int>(x), iz = static_cast<int>(z);
    const float ax = x - static_cast<float>(ix), az = z - static_cast<float>(iz);
    const float* m = &map[static_cast<std::size_t>(iz) * maps_.nx + ix];
    return (1 - az) * ((1 - ax) * m[0] + ax * m[1]) +
           az * ((1 - ax) * m[maps_.nx] + ax * m[maps_.nx + 1]);
}

float DrawnMaps::foam(const Vec3& p) const {
    const float amount = read(maps_.foam, p);
    if (amount < 0.02f) return 0;
    const Point<3> at = stage_.to_world(p) / maps_.texel;
    const float x = static_cast<float>(at[0]), z = static_cast<float>(at[2]);
    const float noise = 0.6f * fleck(0.7f * x, 0.7f * z) + 0.4f * fleck(1.9f * x, 1.9f * z);
    return 0.9f * smoothstep(0.95f - amount, 1.25f - amount, noise);
}

Vec3 DrawnMaps::rippled(const Vec3& p, const Vec3& n) const {
    const float step = 2 * static_cast<float>(maps_.texel);
    const float x = (read(maps_.ripple, p, 1, 0) - read(maps_.ripple, p, -1, 0)) / step,
                z = (read(maps_.ripple, p, 0, 1) - read(maps_.ripple, p, 0, -1)) / step;
    const float up = n[1] < 0 ? -1.0f : 1.0f;  // seen from below the normal points down
    return normalized(n - Vec3{up * x, 0, up * z});
}

}  // namespace slosh
