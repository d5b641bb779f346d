#include "slosh/render/smoke.h"

#include <doctest/doctest.h>

#include <cmath>

#include "render/shapes.h"
#include "slosh/base/parallel.h"
#include "slosh/render/flat.h"

using namespace slosh;

namespace {

/// A cube of 20 cells over the unit cube, with smoke where `inside` holds.
template <class Inside>
RenderSmoke smoke_where(const Inside& inside, float density = 1) {
    RenderSmoke s;
    s.cells = {{20, 20, 20}};
    s.dx = 0.05;
    for (int z = 0; z < 20; ++z)
        for (int y = 0; y < 20; ++y)
            for (int x = 0; x < 20; ++x)
                s.density.push_back(inside((x + 0.5) / 20, (y + 0.5) / 20, (z + 0.5) / 20) ? density
                                                                                           : 0.0f);
    return s;
}

constexpr auto everywhere = [](double, double, double) { return true; };

Image picture(const RenderSmoke* smoke) {
    RenderOptions o;
    o.width = o.height = 80;
    SurfaceMesh none;
    none.dim = 3;
    return render_3d(none, {}, default_camera(o.domain), o, nullptr, smoke);
}

}  // namespace

TEST_CASE("Even smoke dims light by Beer's law, whatever the way through it") {
    RenderSmoke given = smoke_where(everywhere, 0.5f);
    given.thickness = 3;
    const Stage stage({{0, 0, 0}, {1, 1, 1}}, 1);
    const Smoke smoke(stage, given);
    // The stage's origin is the middle of the cube.
    CHECK(smoke.shadow({0, -0.5f, 0}, {0, 1, 0}) == doctest::Approx(std::exp(-1.5)).epsilon(0.06));
    CHECK(smoke.shadow({0, 0, 0}, {1, 0, 0}) == doctest::Approx(std::exp(-0.75)).epsilon(0.06));
    CHECK(smoke.shadow({0, 2, 0}, {0, 1, 0}) == 1);  // past it
    CHECK(smoke.shadow({0, 2, 0}, {1, 0, 0}) == 1);  // beside it
    RayScene scene(stage, {{0, 0, 0}, {1, 1, 1}}, 0.05);
    scene.commit();
    Smoke lit(stage, given);
    lit.light(scene, Sky{.sun = {0, 1, 0}});
    for (const float start : {0.0f, 0.5f, 0.9f}) {
        const SmokePass pass = lit.pass({0, 0, -3}, {0, 0, 1}, 100, start);
        CHECK(pass.through == doctest::Approx(std::exp(-1.5)).epsilon(1e-3));
        CHECK(pass.light[1] > 0.1f);
        // A ray that ends in the middle has half the way.
        CHECK(lit.pass({0, 0, -3}, {0, 0, 1}, 3, start).through ==
              doctest::Approx(std::exp(-0.75)).epsilon(1e-3));
    }
}

TEST_CASE("Smoke shows in the picture, the same on one thread and on two") {
    const RenderSmoke cloud = smoke_where(
        [](double x, double y, double z) { return std::hypot(x - 0.5, y - 0.5, z - 0.5) < 0.3; });
    const RenderSmoke none = smoke_where(everywhere, 0.0f);
    const Image clear = picture(nullptr);
    CHECK(picture(&none).rgb == clear.rgb);
    set_threads(1);
    const Image one = picture(&cloud);
    set_threads(2);
    const Image two = picture(&cloud);
    set_threads(0);
    CHECK(one.rgb == two.rgb);
    std::size_t changed = 0;
    for (std::size_t i = 0; i < one.rgb.size(); ++i)
        changed += std::abs(int(one.rgb[i]) - int(clear.rgb[i])) > 8;
    CHECK(double(changed) > 0.05 * double(one.rgb.size()));
}

TEST_CASE("In 2D smoke is a shade that grows with its density") {
    RenderSmoke s;
    s.cells = {{20, 20, 1}};
    s.dx = 0.05;
    for (int y = 0; y < 20; ++y)
        for (int x = 0; x < 20; ++x) s.density.push_back(x < 7 ? 0.0f : x < 14 ? 0.3f : 1.0f);
    SurfaceMesh none;
    none.dim = 2;
    FlatOptions o;
    o.smoke = &s;
    const Image image = render_2d(none, {}, o);
    CHECK(image.get(100, 256) == kPaper);
    CHECK(image.get(256, 256)[0] < kPaper[0] - 20);
    CHECK(image.get(420, 256)[0] < image.get(256, 256)[0] - 40);
}
