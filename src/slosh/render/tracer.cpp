#include "slosh/render/tracer.h"

#include <cmath>

#include "slosh/base/hash.h"

namespace slosh {

namespace {
constexpr int kMaxDepth = 10;
constexpr float kFar = 1e4f;
constexpr float kShift = kStartsOn;  // moves a new ray off the surface it starts on
constexpr float kWeak = 0.09f;       // weight below which a reflection only glances

Vec3 absorption(const Vec3& left) {
    Vec3 a;
    for (int c = 0; c < 3; ++c) a[c] = -std::log(std::clamp(left[c], 1e-9f, 1.0f));
    return a;
}
}  // namespace

Tracer::Tracer(const RayScene& scene, const Sky& sky, float ground_height, const Vec3& left,
               const Vec3& glow, float contact, int detail, const Smoke* smoke,
               const DrawnMaps* maps)
    : scene_(scene),
      sky_(sky),
      height_(ground_height),
      absorb_(absorption(left)),
      glow_(glow),
      contact_(contact),
      ground_light_(scene, sky, ground_height, absorb_, detail),
      smoke_(smoke),
      maps_(maps) {}

Vec3 Tracer::ground(const Vec3& p, const Vec3& d) const {
    Vec3 sun;
    float seen;
    ground_light_.sample(p, sun, seen);
    if (smoke_) sun *= smoke_->shadow(p, sky_.sun);
    // A subtle checker that fades out with distance, where it would only flicker.
    const float r = std::hypot(p[0], p[2]);
    const int odd =
        (static_cast<int>(std::floor(p[0] * 4)) + static_cast<int>(std::floor(p[2] * 4))) & 1;
    const float contrast = 0.05f * smoothstep(5.0f, 1.0f, r);
    const Vec3 albedo = Vec3{0.40f, 0.395f, 0.385f} * (1 + (odd ? contrast : -contrast));
    Vec3 c = mul(albedo, mul(sky_.sun_light, sun) * sky_.sun[1] + sky_.sky_light * seen);
    // Far ground melts into the horizon.
    const Vec3 flat = normalized({d[0], 0, d[2]});
    return mix(c, sky_.radiance({flat[0], 0.0f, flat[2]}), 1 - std::exp(-0.012f * r * r));
}

Vec3 Tracer::glance(const Vec3& o, const Vec3& d) const {
    if (d[1] >= -1e-4f) return sky_.radiance(d);
    return ground(o + d * std::min(kFar, (height_ - o[1]) / d[1]), d);
}

Vec3 Tracer::sunlight(const Vec3& p, const Vec3& towards) const {
    Vec3 light = {1, 1, 1}, o = p;
    bool wet = false;
    for (int event = 0; event < 8; ++event) {
        Hit hit;
        if (!scene_.closest(o, towards, 4, kWater | kGlass | kOpaque, hit)) break;
        const bool leaving = dot(hit.ng, towards) > 0;
        // Light that comes through water is bent and absorbed; bent light we keep, as if it came
        // from elsewhere on the sun.
        if (hit.kind == kWater && (wet || leaving))
            for (int c = 0; c < 3; ++c) light[c] *= std::exp(-0.7f * absorb_[c] * hit.t);
        if (hit.kind == kOpaque) return {};
        if (hit.kind == kWater) wet = !leaving;
        light *= 0.93f;
        o = hit.p + towards * 1e-4f;
    }
    if (smoke_) light *= smoke_->shadow(p, towards);
    return light;
}

Vec3 Tracer::body(const Hit& hit, const Vec3& d, float weight, std::uint64_t seed) const {
    Vec3 colour = scene_.colour(hit) * 0.72f;  // leaves room for highlights
    float gloss = 0.35f;
    if (maps_ && scene_.wets(hit)) {  // wet sand is darker, and shines
        const float wet = maps_->wet(hit.p);
        colour *= 1.25f - 0.7f * wet;
        gloss += 0.5f * wet;
    }
    if (hit.kind == kLine) return colour;
    Vec3 n = scene_.shading_normal(hit);
    const Vec3 side = dot(hit.ng, d) > 0 ? -hit.ng : hit.ng;
    if (dot(n, side) < 0) n = -n;
    const Vec3 p = hit.p + side * (4 * kShift);
    const int tries = weight > 0.3f ? 4 : 2;
    // The inside of a cut-away container is lit as if the part that was cut away let light in.
    const unsigned blockers = hit.kind == kCutAway ? kOpaque : kOpaque | kCutAway;
    Vec3 sun;
    float seen = 0;
    for (int k = 0; k < tries; ++k) {
        const auto draw = [&](int i) {
            return float(hash_uniform(seed, std::uint64_t(k), std::uint64_t(i)));
        };
        const Vec3 s = sky_.towards_sun((float(k) + draw(0)) / float(tries), draw(1));
        const float cosine = dot(n, s);
        if (cosine > 0 && dot(side, s) > 0) sun += sunlight(p, s) * (cosine / float(tries));
        const Vec3 v = cosine_direction(n, (float(k) + draw(2)) / float(tries), draw(3));
        if (!scene_.occluded(p, v, 0.6f, blockers)) seen += 1.0f / float(tries);
    }
    // From above the sky, from below light that the ground throws back.
    const Vec3 below = mul({0.5f, 0.49f, 0.47f}, sky_.sky_light + sky_.sun_light * 0.35f);
    const Vec3 ambient = mix(below, sky_.sky_light, 0.5f + 0.5f * n[1]) * (0.25f + 0.75f * seen);
    Vec3 c = mul(colour, mul(sky_.sun_light, sun) + ambient);
    float cos_out;
    const float f = fresnel(std::clamp(-dot(n, d), 0.0f, 1.0f), 1 / 1.4f, cos_out);
    return mix(c, glance(p, reflect(d, n)), gloss * f);
}

Vec3 Tracer::foam(const Vec3& p, const Vec3& n) const {
    const Vec3 sun = sunlight(p + n * (4 * kShift), sky_.sun) * std::max(0.0f, dot(n, sky_.sun));
    return (mul(sky_.sun_light, sun) + sky_.sky_light) * 0.42f;
}

Vec3 Tracer::radiance(Vec3 o, Vec3 d, float weight, int depth, bool wet, std::uint64_t seed) const {
    Vec3 through = {1, 1, 1}, sum;
    for (; depth < kMaxDepth; ++depth) {
        const float to_ground = d[1] < -1e-5f ? std::max(0.0f, (height_ - o[1]) / d[1]) : kFar;
        Hit hit;
        const bool found = scene_.closest(o, d, to_ground, kEverything, hit);
        const bool on_ground = !found && d[1] < -1e-5f;

        if (wet) {
            const float way = std::min(found ? hit.t : to_ground, 2.0f);
            Vec3 left;
            for (int c = 0; c < 3; ++c) left[c] = std::exp(-absorb_[c] * way);
            sum += mul(mul(through, glow_), Vec3{1, 1, 1} - left);
            through = mul(through, left);
        }
        if (smoke_) {
            const float start = float(hash_uniform(seed, std::uint64_t(depth), 77));
            const SmokePass pass = smoke_->pass(o, d, found ? hit.t : to_ground, start);
            sum += mul(through, pass.light);
            through *= pass.through;
            if (std::max({through[0], through[1], through[2]}) < 2e-3f) return sum;
        }
        if (on_ground) return sum + mul(through, ground(o + d * to_ground, d));
        if (!found) return sum + mul(through, sky_.radiance(d));
        if (hit.kind & (kOpaque | kCutAway | kLine))
            return sum + mul(through, body(hit, d, weight, mix64(seed + depth)));

        const Vec3 side = dot(hit.ng, d) > 0 ? -hit.ng : hit.ng;  // where the ray comes from
        Vec3 n = scene_.shading_normal(hit);
        if (dot(n, side) < 0) n = -n;
        if (maps_ && hit.kind == kWater && std::abs(n[1]) > 0.2f) n = maps_->rippled(hit.p, n);
        if (dot(n, d) > -0.02f) n = side;  // a smooth normal that the ray sees from behind
        const float cos_in = std::clamp(-dot(n, d), 0.0f, 1.0f);
        const Vec3 before = hit.p + side * kShift;

        if (hit.kind == kGlass) {
            if (!wet) {  // glass in or at water has no air to reflect against
                const GlassPass g = pass_glass(cos_in, scene_.colour(hit));
                const float share = weight * g.reflected;
                const Vec3 r = reflect(d, n);
                const Vec3 mirrored = share > 0.25f
                                          ? radiance(before, r, share, depth + 3, wet, seed)
                                          : glance(before, r);
                sum += mul(through, mirrored) * g.reflected;
                through = mul(through, g.tint) * (1 - g.reflected);
                weight *= 1 - g.reflected;
            }
            o = hit.p;
            continue;
        }

        const bool entering = dot(hit.ng, d) < 0;
        if (maps_ && entering && !wet && n[1] > 0.2f) {
            const float cover = maps_->foam(hit.p);
            if (cover > 0) {
                sum += mul(through, foam(hit.p, n)) * cover;
                through *= 1 - cover;
                weight *= 1 - cover;
            }
        }
        if (entering && wet) {  // overlapping sheets of one liquid
            o = hit.p;
            continue;
        }
        if (!entering) {
            // Water that touches a body or the ground goes right up to it: no air, no reflection.
            const float gap = contact_ / std::max(cos_in, 0.2f);
            Hit wall;
            if (hit.p[1] - height_ < contact_ ||
                scene_.closest(hit.p, d, gap, kOpaque | kCutAway, wall)) {
                o = hit.p;
                wet = true;
                continue;
            }
        }
        const float eta = entering ? 1 / kWaterIndex : kWaterIndex;
        float cos_out;
        const float f = fresnel(cos_in, eta, cos_out);
        const Vec3 r = normalized(reflect(d, n));
        if (f >= 1) {
            d = r;
            o = before;
            continue;
        }
        const float share = weight * f;
        Vec3 mirrored;
        if (share > kWeak)
            mirrored = radiance(before, r, share, depth + 1, !entering, mix64(seed));
        else
            mirrored = entering ? glance(before, r) : glow_;
        sum += mul(through, mirrored) * f;
        through *= 1 - f;
        weight *= 1 - f;
        d = normalized(d * eta + n * (eta * cos_in - cos_out));
        o = hit.p;
        wet = entering;
    }
    return sum + mul(through, wet ? glow_ : glance(o, d));
}

}  // namespace slosh
