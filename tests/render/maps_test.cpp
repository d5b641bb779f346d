// Foam, wetness and ripples in pictures.
#include <doctest/doctest.h>

#include "slosh/render/drawn_maps.h"
#include "slosh/render/picture.h"

using namespace slosh;

namespace {

const Box<3> kRoom = {{0, 0, 0}, {1, 1, 1}};

/// A level sheet at height y over the room, and its underside.
SurfaceMesh slab(float y) {
    SurfaceMesh m;
    m.vertices = {{{0, y, 0}},     {{1, y, 0}},     {{1, y, 1}},     {{0, y, 1}},
                  {{0, 0.01f, 0}}, {{1, 0.01f, 0}}, {{1, 0.01f, 1}}, {{0, 0.01f, 1}}};
    m.elements = {{0, 2, 1}, {0, 3, 2}, {4, 5, 6}, {4, 6, 7}, {0, 1, 5}, {0, 5, 4},
                  {1, 2, 6}, {1, 6, 5}, {2, 3, 7}, {2, 7, 6}, {3, 0, 4}, {3, 4, 7}};
    m.velocities.resize(m.vertices.size());
    return m;
}

SurfaceMaps maps(float foam, float wet, float ripple) {
    SurfaceMaps m;
    m.nx = m.nz = 32;
    m.texel = 1.0 / 32;
    m.foam.assign(32 * 32, foam);
    m.wet.assign(32 * 32, wet);
    for (int z = 0; z < 32; ++z)
        for (int x = 0; x < 32; ++x) m.ripple.push_back(ripple * static_cast<float>(x) / 32);
    return m;
}

const Camera kAbove = {{0.5, 2, 1.2}, {0.5, 0.4, 0.5}, {0, 1, 0}, 25};

/// Mean brightness of the middle of a picture.
double brightness(const Image& image) {
    double sum = 0;
    for (int y = 24; y < 40; ++y)
        for (int x = 24; x < 40; ++x) {
            const Rgb p = image.get(x, y);
            sum += p[0] + p[1] + p[2];
        }
    return sum / (3 * 16 * 16);
}

}  // namespace

TEST_CASE("Foam makes water white, and wet ground is darker than dry") {
    const RenderOptions options{.width = 64, .height = 64, .domain = kRoom, .draw_box = false};
    const SurfaceMaps clear = maps(0, 0, 0), foamy = maps(1, 0, 0), wet = maps(0, 1, 0);
    const auto water = [&](const SurfaceMaps& m) {
        return brightness(render_3d(slab(0.4f), {}, kAbove, options, nullptr, nullptr, &m));
    };
    CHECK(water(foamy) > water(clear) + 25);

    RenderSolid<3> ground;
    ground.mesh = std::make_shared<const SurfaceMesh>(slab(0.4f));
    ground.wets = true;
    const auto land = [&](const SurfaceMaps& m) {
        return brightness(render_3d({}, {ground}, kAbove, options, nullptr, nullptr, &m));
    };
    CHECK(land(wet) < land(clear) - 25);
    ground.wets = false;  // other solids do not take part
    CHECK(land(wet) == land(clear));
}

TEST_CASE("Ripples tilt the normal by their slope, from above and from below") {
    const SurfaceMaps m = maps(0, 0, 0.2f);  // rises by 0.2 along x
    const DrawnMaps drawn(Stage(kRoom, 1), m);
    const Vec3 n = drawn.rippled({0, 0, 0}, {0, 1, 0});
    CHECK(n[0] / n[1] == doctest::Approx(-0.2).epsilon(1e-3));
    const Vec3 under = drawn.rippled({0, 0, 0}, {0, -1, 0});
    CHECK(under[0] / under[1] == doctest::Approx(-0.2).epsilon(1e-3));
}
