#include "slosh/render/smoke.h"

#include <algorithm>
#include <cmath>

#include "slosh/base/error.h"
#include "slosh/base/parallel.h"

namespace slosh {

namespace {
constexpr float kStep = 0.75f;               // of a cell, along rays that are seen
constexpr float kShadowStep = 1.0f;          // of a cell, along rays of light
constexpr float kClear = 1e-3f;              // light left at which a ray ends
const Vec3 kAlbedo = {0.62f, 0.61f, 0.60f};  // grey: white smoke would drown in a bright sky
/// Share of sunlight sent to the eye per unit of light taken out: between that of all directions
/// alike and what many scatterings, which we leave out, would add.
constexpr float kTowardsEye = 0.55f;
constexpr float kFromSky = 0.55f;
constexpr float kSkySoftness = 0.45f;  // smoke above dims the sky less than the sun: it is wide
}  // namespace

Smoke::Smoke(const Stage& stage, const RenderSmoke& given)
    : stage_(stage), given_(given), n_(given.cells) {
    SLOSH_EXPECT(given.density.size() == std::size_t(n_[0]) * n_[1] * n_[2] && given.dx > 0);
    cell_ = float(given.dx / stage.size);
    extinction_ = float(given.thickness);
}

Vec3 Smoke::to_grid(const Vec3& p) const {
    return ((stage_.to_world(p) - given_.origin) / given_.dx).as<float>();
}

Vec3 Smoke::turned(const Vec3& d) const {
    return stage_.turn_back(d.as<double>()).as<float>();
}

Smoke::Span Smoke::inside(const Vec3& o, const Vec3& d, float way) const {
    const Vec3 g = to_grid(o), v = turned(d) / cell_;
    Span s{0, way};
    for (int a = 0; a < 3; ++a) {
        if (std::abs(v[a]) < 1e-12f) {
            if (g[a] < 0 || g[a] > float(n_[a])) return {0, 0};
            continue;
        }
        const float t0 = -g[a] / v[a], t1 = (float(n_[a]) - g[a]) / v[a];
        s.from = std::max(s.from, std::min(t0, t1));
        s.to = std::min(s.to, std::max(t0, t1));
    }
    return s;
}

namespace {
/// The eight cells around a place, and their weights; cells outside are those of the edge.
struct Corners {
    std::size_t index[8];
    float weight[8];
    Corners(const Vec3& g, const Index<3>& n) {
        int lo[3], hi[3];
        float t[3];
        for (int a = 0; a < 3; ++a) {
            const float x = g[a] - 0.5f;
            const float f = std::floor(x);
            t[a] = x - f;
            lo[a] = std::clamp(int(f), 0, n[a] - 1);
            hi[a] = std::clamp(int(f) + 1, 0, n[a] - 1);
        }
        for (int k = 0; k < 8; ++k) {
            const int x = k & 1 ? hi[0] : lo[0], y = k & 2 ? hi[1] : lo[1],
                      z = k & 4 ? hi[2] : lo[2];
            index[k] = (std::size_t(z) * n[1] + y) * n[0] + x;
            weight[k] =
                (k & 1 ? t[0] : 1 - t[0]) * (k & 2 ? t[1] : 1 - t[1]) * (k & 4 ? t[2] : 1 - t[2]);
        }
    }
};
}  // namespace

float Smoke::density(const Vec3& g) const {
    const Corners c(g, n_);
    float sum = 0;
    for (int k = 0; k < 8; ++k) sum += c.weight[k] * given_.density[c.index[k]];
    return std::max(sum, 0.0f);
}

Vec3 Smoke::lit(const Vec3& g) const {
    const Corners c(g, n_);
    Vec3 sum;
    for (int k = 0; k < 8; ++k) sum += lit_[c.index[k]] * c.weight[k];
    return sum;
}

float Smoke::shadow(const Vec3& p, const Vec3& d) const {
    const Span s = inside(p, d, 8);
    if (s.to <= s.from) return 1;
    const Vec3 g = to_grid(p), v = turned(d) / cell_;
    const int steps = std::max(1, int(std::ceil((s.to - s.from) / (kShadowStep * cell_))));
    const float step = (s.to - s.from) / float(steps);
    float depth = 0;
    for (int k = 0; k < steps; ++k) depth += density(g + v * (s.from + (float(k) + 0.5f) * step));
    return std::exp(-extinction_ * step * depth);
}

void Smoke::light(const RayScene& scene, const Sky& sky) {
    lit_.assign(given_.density.size(), Vec3{});
    // Light is asked for wherever a neighbour has smoke: there interpolation reads it.
    const auto any_near = [&](int x, int y, int z) {
        for (int c = std::max(z - 1, 0); c <= std::min(z + 1, n_[2] - 1); ++c)
            for (int b = std::max(y - 1, 0); b <= std::min(y + 1, n_[1] - 1); ++b)
                for (int a = std::max(x - 1, 0); a <= std::min(x + 1, n_[0] - 1); ++a)
                    if (given_.density[(std::size_t(c) * n_[1] + b) * n_[0] + a] > 1e-4f)
                        return true;
        return false;
    };
    parallel_for(std::size_t(n_[1]) * n_[2], 4, [&](std::size_t row) {
        const int y = int(row) % n_[1], z = int(row) / n_[1];
        for (int x = 0; x < n_[0]; ++x) {
            if (!any_near(x, y, z)) continue;
            const Point<3> world = given_.origin + Point<3>{x + 0.5, y + 0.5, z + 0.5} * given_.dx;
            const Vec3 p = stage_.from_world(world);
            const bool hidden = scene.occluded(p, sky.sun, 4, kOpaque | kCutAway);
            const float sun = hidden ? 0 : shadow(p, sky.sun);
            const float above = std::pow(shadow(p, {0, 1, 0}), kSkySoftness);
            // Light that comes up from the ground keeps the underside from going black.
            const Vec3 around = sky.sky_light * (kFromSky * (0.25f + 0.75f * above));
            lit_[row * n_[0] + x] = mul(kAlbedo, sky.sun_light * (kTowardsEye * sun) + around);
        }
    });
}

SmokePass Smoke::pass(const Vec3& o, const Vec3& d, float way, float start) const {
    SmokePass out;
    const Span s = inside(o, d, way);
    if (s.to <= s.from) return out;
    const Vec3 g = to_grid(o), v = turned(d) / cell_;
    // Whole steps, so that the end of a ray counts for what it is long.
    const int steps = std::max(1, int(std::ceil((s.to - s.from) / (kStep * cell_))));
    const float step = (s.to - s.from) / float(steps);
    for (int k = 0; k < steps; ++k) {
        const Vec3 at = g + v * (s.from + (float(k) + start) * step);
        const float rho = density(at);
        if (rho < 1e-5f) continue;
        const float left = std::exp(-extinction_ * rho * step);
        out.light += lit(at) * (out.through * (1 - left));
        out.through *= left;
        if (out.through < kClear) break;
    }
    return out;
}

}  // namespace slosh
