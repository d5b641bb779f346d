#include "slosh/render/picture.h"

#include <algorithm>
#include <cmath>

#include "slosh/base/error.h"
#include "slosh/base/hash.h"
#include "slosh/base/parallel.h"
#include "slosh/render/ray_scene.h"
#include "slosh/render/shape_mesh.h"
#include "slosh/render/smoke.h"
#include "slosh/render/tracer.h"

namespace slosh {

namespace {

constexpr int kTile = 16;  // pixels along a tile's edge

/// Directions of rays through pixels, in stage coordinates.
struct Lens {
    Vec3 eye, forward, right, up;

    Lens(const Camera& camera, const Stage& stage, int width, int height) {
        eye = stage.from_world(camera.eye);
        forward = normalized(stage.from_world(camera.target) - eye);
        Vec3 above = normalized(stage.turn(camera.up).as<float>());
        if (std::abs(dot(above, forward)) > 0.999f) above = {0, 0, -1};
        right = normalized(cross(forward, above));
        up = cross(right, forward);
        const float half = std::tan(float(camera.fov_degrees * M_PI / 360));
        right = right * (half * float(width) / float(height));
        up = up * half;
    }
    /// x right and y down, both in [-1, 1].
    Vec3 through(float x, float y) const { return normalized(forward + right * x - up * y); }
};

/// Compresses light into [0, 1]: linear in the dark, a soft shoulder in the bright; then sRGB.
Vec3 develop(const Vec3& light, float exposure) {
    Vec3 c;
    for (int d = 0; d < 3; ++d) {
        const float x = std::max(0.0f, light[d] * exposure);
        // Narkowicz's fit of the ACES film curve, at a brightness where white paper stays white.
        const float y = std::clamp(0.60f * x, 0.0f, 50.0f);
        const float film = y * (2.51f * y + 0.03f) / (y * (2.43f * y + 0.59f) + 0.14f);
        const float v = std::clamp(film, 0.0f, 1.0f);
        c[d] = v <= 0.0031308f ? 12.92f * v : 1.055f * std::pow(v, 1 / 2.4f) - 0.055f;
    }
    return c;
}

/// The mean of `side`^2 developed samples, one in each square of a lattice over the pixel.
struct Sampler {
    const Tracer& tracer;
    const Lens& lens;
    const RenderOptions& options;

    Vec3 samples(int px, int py, int side, int round, float& contrast) const {
        Vec3 sum, lo = {1, 1, 1}, hi;
        for (int k = 0; k < side * side; ++k) {
            const std::uint64_t pixel = std::uint64_t(py) * options.width + px;
            const std::uint64_t seed = mix64(pixel * 64 + std::uint64_t(round) * 32 + k);
            const float jx = float(hash_uniform(seed, 0, 0)), jy = float(hash_uniform(seed, 0, 1));
            const float x =
                (float(px) + (float(k % side) + jx) / float(side)) / float(options.width);
            const float y =
                (float(py) + (float(k / side) + jy) / float(side)) / float(options.height);
            const Vec3 light = tracer.radiance(lens.eye, lens.through(2 * x - 1, 2 * y - 1), seed);
            const Vec3 c = develop(light, float(options.exposure));
            sum += c;
            lo = min(lo, c);
            hi = max(hi, c);
        }
        const Vec3 span = hi - lo;
        contrast = std::max({span[0], span[1], span[2]});
        return sum;
    }

    Rgb pixel(int px, int py) const {
        const int side = std::max(1, static_cast<int>(std::ceil(std::sqrt(options.samples))));
        float contrast = 0;
        Vec3 sum = samples(px, py, side, 0, contrast);
        int count = side * side;
        if (options.edge_samples > 0 && contrast > 0.12f) {
            const int more =
                std::max(1, static_cast<int>(std::ceil(std::sqrt(options.edge_samples))));
            sum += samples(px, py, more, 1, contrast);
            count += more * more;
        }
        Rgb c;
        for (int d = 0; d < 3; ++d)
            c[d] = static_cast<std::uint8_t>(std::clamp(sum[d] / float(count), 0.0f, 1.0f) * 255 +
                                             0.5f);
        return c;
    }
};

double cell_size(const RenderOptions& options, const Stage& stage) {
    return options.cell > 0 ? options.cell : stage.size / 64;
}

/// Texels across the ground's light: enough for the picture, and no more.
int ground_detail(const RenderOptions& options) {
    return std::clamp(std::max(options.width, options.height) * 9 / 16, 96, 480);
}

}  // namespace

Box<3> shown_box(const std::vector<RenderSolid<3>>& solids, const RenderOptions& options) {
    if (options.draw_box) return options.domain;
    Box<3> box = Box<3>::nowhere();
    for (const auto& s : solids)
        if (s.mesh && (s.look == RenderLook::Glass || s.look == RenderLook::CutAway))
            for (const auto& v : s.mesh->vertices) {
                const Point<3> x = s.transform.apply(v.as<double>());
                box = {min(box.lo, x), max(box.hi, x)};
            }
    return box.lo[0] < box.hi[0] ? box : options.domain;
}

double rest_height(const std::vector<RenderSolid<3>>& solids, const RenderOptions& options) {
    return shown_box(solids, options).lo[options.up];
}

void mesh_solids(std::vector<RenderSolid<3>>& solids, const Box<3>& domain, int cells) {
    for (auto& solid : solids) {
        if (solid.mesh || solid.look == RenderLook::Hidden) continue;
        SLOSH_EXPECT(solid.shape);
        // The domain as the solid sees it, and of that what the solid can fill.
        Box<3> region = Box<3>::nowhere();
        for (int k = 0; k < 8; ++k) {
            Point<3> corner;
            for (int d = 0; d < 3; ++d) corner[d] = k >> d & 1 ? domain.hi[d] : domain.lo[d];
            const Point<3> local = solid.transform.unapply(corner);
            region = {min(region.lo, local), max(region.hi, local)};
        }
        const Box<3> bounds = solid.shape->bounds();
        bool bounded = true;
        for (int d = 0; d < 3; ++d)
            bounded = bounded && bounds.lo[d] > -1e20 && bounds.hi[d] < 1e20;
        if (bounded) region = bounds;
        const Point<3> side = region.hi - region.lo;
        const double longest = std::max({side[0], side[1], side[2]});
        if (longest <= 0) continue;
        const double dx = longest / cells;
        // Off the lattice of round numbers, where a face of a box would fall on grid nodes.
        const Box<3> roomy = {region.lo - Point<3>{1.37, 1.41, 1.43} * dx,
                              region.hi + Point<3>{1.59, 1.61, 1.63} * dx};
        solid.mesh = std::make_shared<const SurfaceMesh>(mesh_shape(*solid.shape, roomy, dx));
    }
}

Image render_3d(const SurfaceMesh& liquid, const std::vector<RenderSolid<3>>& solids,
                const Camera& camera, const RenderOptions& options,
                const RenderParticles* particles, const RenderSmoke* smoke,
                const SurfaceMaps* maps) {
    SLOSH_EXPECT(options.width > 0 && options.height > 0 && options.samples > 0);
    SLOSH_EXPECT(liquid.dim == 3 && (options.up == 1 || options.up == 2));
    std::vector<RenderSolid<3>> meshed = solids;
    mesh_solids(meshed, options.domain);

    const Stage stage(options.domain, options.up);
    const double cell = cell_size(options, stage);
    RayScene scene(stage, options.domain, cell);
    for (const auto& solid : meshed) scene.add_solid(solid);
    scene.add_water(liquid);
    if (options.draw_box) scene.add_box(options.domain);
    if (particles)
        scene.add_particles(*particles, particles->radius > 0 ? particles->radius : 0.25 * cell);
    scene.commit();

    Point<3> floor;
    floor[options.up] = options.ground ? *options.ground : rest_height(meshed, options);
    floor[options.up] -= 1e-3 * stage.size;
    const Sky sky{.sun = normalized(options.sun.as<float>())};
    std::optional<Smoke> volume;
    if (smoke) volume.emplace(stage, *smoke).light(scene, sky);
    std::optional<DrawnMaps> drawn;
    if (maps && !maps->empty()) drawn.emplace(stage, *maps);
    const Tracer tracer(scene, sky, stage.from_world(floor)[1], options.water, options.glow,
                        float(cell / stage.size), ground_detail(options),
                        volume ? &*volume : nullptr, drawn ? &*drawn : nullptr);

    const Lens lens(camera, stage, options.width, options.height);
    const Sampler sampler{tracer, lens, options};
    Image image(options.width, options.height);
    const int across = (options.width + kTile - 1) / kTile,
              down = (options.height + kTile - 1) / kTile;
    parallel_for(std::size_t(across) * down, 1, [&](std::size_t tile) {
        const int x0 = int(tile % across) * kTile, y0 = int(tile / across) * kTile;
        for (int y = y0; y < std::min(y0 + kTile, options.height); ++y)
            for (int x = x0; x < std::min(x0 + kTile, options.width); ++x)
                image.set(x, y, sampler.pixel(x, y));
    });
    return image;
}

}  // namespace slosh
