#include "slosh/render/light.h"

#include <cmath>

#include "slosh/base/hash.h"
#include "slosh/base/parallel.h"

namespace slosh {

namespace {
constexpr float kPi = 3.14159265f;
constexpr float kReach = 1.7f;  // half the texture's side, in stage units
constexpr int kPhotons = 5;     // per texel
constexpr int kSkyRays = 28;
constexpr float kFar = 8;

/// Bilinear weights of a ground point in a texture of `side` texels.
struct Texel {
    int x, y;
    float a, b;
    bool inside;
    Texel(const Vec3& p, int side) {
        const float u = (p[0] / kReach + 1) * 0.5f * float(side) - 0.5f;
        const float v = (p[2] / kReach + 1) * 0.5f * float(side) - 0.5f;
        x = static_cast<int>(std::floor(u));
        y = static_cast<int>(std::floor(v));
        a = u - float(x);
        b = v - float(y);
        inside = x >= 0 && y >= 0 && x + 1 < side && y + 1 < side;
    }
    template <class Body>
    void each(int side, const Body& body) const {
        body(std::size_t(y) * side + x, (1 - a) * (1 - b));
        body(std::size_t(y) * side + x + 1, a * (1 - b));
        body(std::size_t(y + 1) * side + x, (1 - a) * b);
        body(std::size_t(y + 1) * side + x + 1, a * b);
    }
};

/// Smooths a square texture with weights 1 2 1 along rows and columns.
template <class T>
void blur(std::vector<T>& f, int side, int rounds) {
    for (int r = 0; r < 2 * rounds; ++r) {
        std::vector<T> g = f;
        const std::size_t step = r % 2 == 0 ? 1 : std::size_t(side);
        for (int y = 1; y + 1 < side; ++y)
            for (int x = 1; x + 1 < side; ++x) {
                const std::size_t i = std::size_t(y) * side + x;
                g[i] = (f[i - step] + f[i] * 2.0f + f[i + step]) * 0.25f;
            }
        f.swap(g);
    }
}

struct Landing {
    bool met = false, landed = false;
    Vec3 aim, at, light;
};
}  // namespace

Vec3 Sky::radiance(const Vec3& d) const {
    const Vec3 horizon = {0.80f, 0.86f, 0.92f}, zenith = {0.16f, 0.34f, 0.66f};
    const float up = std::max(d[1], 0.0f);
    Vec3 c = mix(horizon, zenith, 1 - std::exp(-2.2f * up));
    const float s = std::max(dot(d, sun), 0.0f);
    c += sun_light * (0.10f * std::pow(s, 12.0f) + 0.35f * std::pow(s, 160.0f));
    c += sun_light * (9.0f * smoothstep(0.9975f, 0.9990f, s));
    return c;
}

Vec3 Sky::towards_sun(float a, float b) const {
    Vec3 s, t;
    tangents(sun, s, t);
    const float r = kSunRadius * std::sqrt(a), phi = 2 * kPi * b;
    return normalized(sun + s * (r * std::cos(phi)) + t * (r * std::sin(phi)));
}

float fresnel(float cos_in, float eta, float& cos_out) {
    const float sin2 = eta * eta * (1 - cos_in * cos_in);
    if (sin2 >= 1) {
        cos_out = 0;
        return 1;
    }
    cos_out = std::sqrt(1 - sin2);
    const float s = (eta * cos_in - cos_out) / (eta * cos_in + cos_out);
    const float p = (cos_in - eta * cos_out) / (cos_in + eta * cos_out);
    return 0.5f * (s * s + p * p);
}

void tangents(const Vec3& n, Vec3& s, Vec3& t) {
    const Vec3 other = std::abs(n[0]) < 0.7f ? Vec3{1, 0, 0} : Vec3{0, 1, 0};
    s = normalized(cross(other, n));
    t = cross(n, s);
}

Vec3 cosine_direction(const Vec3& n, float a, float b) {
    Vec3 s, t;
    tangents(n, s, t);
    const float r = std::sqrt(a), phi = 2 * kPi * b;
    return normalized(s * (r * std::cos(phi)) + t * (r * std::sin(phi)) + n * std::sqrt(1 - a));
}

GlassPass pass_glass(float cos_in, const Vec3& colour) {
    float cos_out;
    const float f = fresnel(cos_in, 1 / 1.5f, cos_out);
    // Both faces of the wall reflect, back and forth. The way through a round shell grows towards
    // its rim, which is what shows that there is glass at all.
    const float way = 0.5f / std::max(cos_in, 0.09f);
    Vec3 tint;
    for (int d = 0; d < 3; ++d) tint[d] = std::pow(0.8f + 0.2f * colour[d], way);
    return {2 * f / (1 + f), tint};
}

void even_point(std::size_t i, float& a, float& b) {
    // Additive recurrence with the plastic number's powers.
    const double x = 0.5 + 0.7548776662466927 * double(i), y = 0.5 + 0.5698402909980532 * double(i);
    a = static_cast<float>(x - std::floor(x));
    b = static_cast<float>(y - std::floor(y));
}

GroundLight::GroundLight(const RayScene& scene, const Sky& sky, float height, const Vec3& absorb,
                         int detail)
    : height_(height),
      sun_side_(detail),
      sky_side_(detail / 3),
      sun_(std::size_t(sun_side_) * sun_side_, Vec3{1, 1, 1}),
      sky_(std::size_t(sky_side_) * sky_side_, 1.0f) {
    trace_sun(scene, sky, absorb);
    trace_sky(scene);
}

void GroundLight::trace_sun(const RayScene& scene, const Sky& sky, const Vec3& absorb) {
    constexpr unsigned kSeen = kWater | kGlass | kOpaque;
    std::vector<Landing> landings(kPhotons * sun_.size());
    parallel_for(landings.size(), 1024, [&](std::size_t i) {
        Landing& l = landings[i];
        float a, b;
        even_point(i, a, b);
        l.aim = {(2 * a - 1) * kReach, height_, (2 * b - 1) * kReach};
        const Vec3 s =
            sky.towards_sun(float(hash_uniform(11, i, 0)), float(hash_uniform(11, i, 1)));
        Vec3 d = -s, o = l.aim + s * (3.0f / s[1]);
        l.light = {1, 1, 1};
        bool wet = false;
        for (int event = 0; event < 12; ++event) {
            Hit hit;
            const float to_ground = d[1] < 0 ? (height_ - o[1]) / d[1] : kFar;
            const bool found = scene.closest(o, d, to_ground, kSeen, hit);
            if (!found && d[1] >= 0) break;
            const float t = found ? hit.t : to_ground;
            if (wet)
                for (int c = 0; c < 3; ++c) l.light[c] *= std::exp(-absorb[c] * t);
            if (!found) {
                l.landed = true;
                l.at = o + d * t;
                break;
            }
            l.met = true;
            if (hit.kind == kOpaque) break;
            const bool entering = dot(hit.ng, d) < 0;
            Vec3 n = hit.kind == kWater ? scene.shading_normal(hit) : hit.ng;
            if (dot(n, d) > 0) n = -n;
            const float cos_in = std::min(1.0f, -dot(n, d));
            if (hit.kind == kGlass) {
                const GlassPass g = pass_glass(cos_in, scene.colour(hit));
                l.light = mul(l.light, g.tint) * (1 - g.reflected);
                o = hit.p + d * 1e-4f;
                continue;
            }
            const float eta = entering ? 1 / kWaterIndex : kWaterIndex;
            float cos_out;
            const float f = fresnel(cos_in, eta, cos_out);
            if (f >= 1) {
                d = normalized(reflect(d, n));
            } else {
                d = normalized(d * eta + n * (eta * cos_in - cos_out));
                l.light *= 1 - f;
                wet = entering;
            }
            o = hit.p + d * 1e-4f;
        }
    });

    std::vector<float> sent(sun_.size()), taken(sun_.size());
    std::vector<Vec3> brought(sun_.size());
    for (const Landing& l : landings) {
        const Texel from(l.aim, sun_side_), to(l.at, sun_side_);
        if (from.inside)
            from.each(sun_side_, [&](std::size_t i, float w) {
                sent[i] += w;
                if (l.met) taken[i] += w;
            });
        if (l.met && l.landed && to.inside)
            to.each(sun_side_, [&](std::size_t i, float w) { brought[i] += l.light * w; });
    }
    blur(sent, sun_side_, 1);
    blur(taken, sun_side_, 1);
    blur(brought, sun_side_, 1);
    for (std::size_t i = 0; i < sun_.size(); ++i) {
        const float open = sent[i] > 0 ? 1 - taken[i] / sent[i] : 1;
        sun_[i] = Vec3::filled(open) + brought[i] / float(kPhotons);
    }
}

void GroundLight::trace_sky(const RayScene& scene) {
    parallel_for(sky_.size(), 64, [&](std::size_t i) {
        const float x = (float(i % sky_side_) + 0.5f) / float(sky_side_) * 2 - 1;
        const float z = (float(i / sky_side_) + 0.5f) / float(sky_side_) * 2 - 1;
        const Vec3 p = {x * kReach, height_ + 1e-4f, z * kReach};
        float seen = 0;
        for (int k = 0; k < kSkyRays; ++k) {
            float a, b;
            even_point(std::size_t(k), a, b);
            const Vec3 d = cosine_direction({0, 1, 0}, a, b);
            if (scene.occluded(p, d, 2, kOpaque | kCutAway)) continue;
            seen += scene.occluded(p, d, 2, kWater) ? 0.55f : 1.0f;
        }
        sky_[i] = seen / kSkyRays;
    });
    blur(sky_, sky_side_, 1);
}

void GroundLight::sample(const Vec3& p, Vec3& sun, float& sky) const {
    sun = {1, 1, 1};
    sky = 1;
    const float edge = std::max(std::abs(p[0]), std::abs(p[2])) / kReach;
    if (edge >= 0.99f) return;
    const float keep = smoothstep(0.98f, 0.85f, edge);
    Vec3 s;
    float v = 0;
    const Texel ts(p, sun_side_), tv(p, sky_side_);
    if (!ts.inside || !tv.inside) return;
    ts.each(sun_side_, [&](std::size_t i, float w) { s += sun_[i] * w; });
    tv.each(sky_side_, [&](std::size_t i, float w) { v += sky_[i] * w; });
    sun = mix(sun, s, keep);
    sky = 1 + (v - 1) * keep;
}

}  // namespace slosh
