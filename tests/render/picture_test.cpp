#include "slosh/render/picture.h"

#include <doctest/doctest.h>

#include "render/shapes.h"
#include "slosh/base/parallel.h"
#include "slosh/render/shape_mesh.h"

using namespace slosh;

namespace {
RenderOptions small(int size) {
    RenderOptions o;
    o.width = o.height = size;
    return o;
}
SurfaceMesh water_ball(const Point<3>& centre, double radius) {
    return mesh_shape(*ball<3>(centre, radius), {{-0.011, -0.013, -0.017}, {1.02, 1.02, 1.02}},
                      0.03);
}
/// A sphere container with a block standing in it.
std::vector<RenderSolid<3>> sphere_and_block(double block_x) {
    std::vector<RenderSolid<3>> solids = {
        {hollow<3>({0.5, 0.5, 0.5}, 0.45), RenderLook::Glass, kClearGlass},
        {block<3>({block_x, 0.3, 0.5}, {0.1, 0.15, 0.1}), RenderLook::Opaque, kTerracotta}};
    mesh_solids(solids, {{0, 0, 0}, {1, 1, 1}}, 40);
    return solids;
}
double mean_difference(const Image& a, const Image& b) {
    double sum = 0;
    for (std::size_t i = 0; i < a.rgb.size(); ++i) sum += std::abs(int(a.rgb[i]) - int(b.rgb[i]));
    return sum / double(a.rgb.size());
}
Image mirrored(const Image& image) {
    Image m = image;
    for (int y = 0; y < image.height; ++y)
        for (int x = 0; x < image.width; ++x) m.set(x, y, image.get(image.width - 1 - x, y));
    return m;
}
double brightness(Rgb c) {
    return (c[0] + c[1] + c[2]) / 3.0;
}
}  // namespace

TEST_CASE("A picture is neither black nor blown out, and shows more than one thing") {
    const auto options = small(96);
    const Image image = render_3d(water_ball({0.5, 0.4, 0.5}, 0.3), sphere_and_block(0.8),
                                  default_camera(options.domain), options);
    double lo = 255, hi = 0, sum = 0;
    for (int y = 0; y < 96; ++y)
        for (int x = 0; x < 96; ++x) {
            const double b = brightness(image.get(x, y));
            lo = std::min(lo, b);
            hi = std::max(hi, b);
            sum += b;
        }
    CHECK(lo < 110);
    CHECK(hi > 200);
    CHECK(sum / (96 * 96) > 90);
    CHECK(sum / (96 * 96) < 235);
}

TEST_CASE("The same bytes on one thread and on two") {
    const auto options = small(80);
    const auto water = water_ball({0.4, 0.45, 0.55}, 0.3);
    const auto camera = default_camera(options.domain);
    const int before = threads();
    set_threads(1);
    const Image one = render_3d(water, sphere_and_block(0.7), camera, options);
    set_threads(2);
    const Image two = render_3d(water, sphere_and_block(0.7), camera, options);
    set_threads(before);
    CHECK(one == two);
}

TEST_CASE("A mirrored scene gives a mirrored picture") {
    auto options = small(96);
    options.samples = 16;  // the jitter inside pixels is not mirrored: more samples, less of it
    auto camera = default_camera(options.domain);
    const Image right =
        render_3d(water_ball({0.4, 0.45, 0.55}, 0.25), sphere_and_block(0.7), camera, options);
    options.sun[0] *= -1;
    camera.eye[0] = 1 - camera.eye[0];
    camera.target[0] = 1 - camera.target[0];
    const Image left =
        render_3d(water_ball({0.6, 0.45, 0.55}, 0.25), sphere_and_block(0.3), camera, options);
    CHECK(mean_difference(right, mirrored(left)) < 3);
    CHECK(mean_difference(right, left) > 6);
}

TEST_CASE("Scenes with z up look like those with y up") {
    auto options = small(64);
    options.samples = 9;
    const Image y_up =
        render_3d(water_ball({0.4, 0.45, 0.45}, 0.25), {}, default_camera(options.domain), options);
    options.up = 2;
    // y becomes z and z becomes -y: a rotation about x by 90 degrees.
    const Image z_up = render_3d(water_ball({0.4, 0.55, 0.45}, 0.25), {},
                                 default_camera(options.domain, 2), options);
    CHECK(mean_difference(y_up, z_up) < 2);
}

TEST_CASE("A ball of water is a lens that turns what is behind its focus upside down") {
    // Focal length from the centre: n r / (2 (n - 1)) = 0.30 for r = 0.15; the bar is at 0.45.
    auto options = small(64);
    options.draw_box = false;
    const std::vector<RenderSolid<3>> bar = {{block<3>({0.5, 0.54, 0.05}, {0.5, 0.02, 0.02}),
                                              RenderLook::Opaque,
                                              {0.02f, 0.02f, 0.02f}}};
    const Camera camera{
        .eye = {0.5, 0.5, 3}, .target = {0.5, 0.5, 0.5}, .up = {0, 1, 0}, .fov_degrees = 12};
    const Image dry = render_3d({}, bar, camera, options);
    const Image wet = render_3d(water_ball({0.5, 0.5, 0.5}, 0.15), bar, camera, options);
    // In the column through the middle, the darkest row inside the ball moves from above to below.
    const auto darkest = [](const Image& image) {
        int best = 18;
        for (int y = 18; y < 46; ++y)
            if (brightness(image.get(32, y)) < brightness(image.get(32, best))) best = y;
        return best;
    };
    CHECK(darkest(dry) < 31);
    CHECK(darkest(wet) > 34);
}

TEST_CASE("Water that all but touches the ground is seen as lying on it") {
    // A ray that is moved off the water's underside before it goes on would start under the ground.
    RenderSolid<3> ground;
    SurfaceMesh sheet;
    sheet.vertices = {{{0, 0.3f, 0}}, {{0, 0.3f, 1}}, {{1, 0.3f, 1}}, {{1, 0.3f, 0}}};
    sheet.elements = {{0, 1, 2}, {0, 2, 3}};
    ground.mesh = std::make_shared<const SurfaceMesh>(sheet);
    ground.colour = kTerracotta;
    const auto over = [&](double gap) {
        const Point<3> lower = {0.1, 0.3 + gap, 0.1}, upper = {0.9, 0.5, 0.9};
        SurfaceMesh water;
        for (int k = 0; k < 8; ++k)
            water.vertices.push_back(Point<3>{k & 1 ? upper[0] : lower[0],
                                              k & 2 ? upper[1] : lower[1],
                                              k & 4 ? upper[2] : lower[2]}
                                         .as<float>());
        water.elements = {{0, 2, 3}, {0, 3, 1}, {4, 5, 7}, {4, 7, 6}, {0, 1, 5}, {0, 5, 4},
                          {2, 6, 7}, {2, 7, 3}, {0, 4, 6}, {0, 6, 2}, {1, 3, 7}, {1, 7, 5}};
        Camera camera;
        camera.eye = {0.5, 2.5, 0.7};
        camera.target = {0.5, 0.3, 0.5};
        camera.fov_degrees = 18;
        return render_3d(water, {ground}, camera, small(48));
    };
    // 2.6 is noise of the light on the ground; where rays start under it, it is 39.
    CHECK(mean_difference(over(1e-3), over(1e-5)) < 4);
}

TEST_CASE("A glass container shows its inside; an opaque one hides it; a cut-away one does not") {
    const auto options = small(64);
    const auto camera = default_camera(options.domain);
    const auto look_at = [&](RenderLook look, bool with_block) {
        auto solids = sphere_and_block(0.5);
        solids[0].look = look;
        solids[0].colour = {0.9f, 0.9f, 0.9f};
        if (!with_block) solids[1].look = RenderLook::Hidden;
        return render_3d({}, solids, camera, options);
    };
    CHECK(mean_difference(look_at(RenderLook::Glass, true), look_at(RenderLook::Glass, false)) > 2);
    CHECK(mean_difference(look_at(RenderLook::CutAway, true), look_at(RenderLook::CutAway, false)) >
          2);
    CHECK(mean_difference(look_at(RenderLook::Opaque, true), look_at(RenderLook::Opaque, false)) <
          0.5);
}

TEST_CASE("The ground lies under the box, or under the container if no box is drawn") {
    auto options = small(16);
    const auto solids = sphere_and_block(0.5);
    CHECK(rest_height(solids, options) == 0);
    options.draw_box = false;
    CHECK(rest_height(solids, options) == doctest::Approx(0.05).epsilon(0.01));
}

TEST_CASE("Particles are drawn as balls") {
    auto options = small(48);
    RenderParticles particles;
    for (int i = 0; i < 200; ++i)
        particles.positions.push_back({0.3f + 0.002f * float(i), 0.5f, 0.5f});
    particles.radius = 0.03;
    const auto camera = default_camera(options.domain);
    const Image with = render_3d({}, {}, camera, options, &particles);
    CHECK(mean_difference(with, render_3d({}, {}, camera, options)) > 1);
}
