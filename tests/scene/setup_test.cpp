#include <doctest/doctest.h>

#include <cmath>
#include <numbers>

#include "slosh/base/error.h"
#include "slosh/scene/estimate.h"
#include "slosh/scene/load.h"

using namespace slosh;

namespace {

constexpr double kPi = std::numbers::pi;

Scene scene_with(const std::string& shape, int dim = 3) {
    return read_scene(
        "{\"dim\": " + std::to_string(dim) + ", \"initial\": [{\"shape\": " + shape + "}]}",
        "test.json");
}

/// Distance of the first initial liquid's shape.
double distance(const std::string& shape, Point<3> x) {
    return make_setup<3>(scene_with(shape)).liquid[0].shape->distance(x);
}

}  // namespace

TEST_CASE("Every built-in scene and variant builds its setup and has liquid or gas") {
    for (const BuiltinScene& b : builtin_scenes()) {
        CAPTURE(b.name);
        CHECK(!b.description.empty());
        std::vector<std::string> names{b.name};
        for (const std::string& v : b.variants) names.push_back(b.name + ":" + v);
        for (const std::string& name : names) {
            CAPTURE(name);
            // A channel of 256 x 8 columns has no coarser version, and a tank that is deeper than
            // it is wide not this one.
            const bool narrow = b.name == "bore" || b.name == "tank";
            const Scene s = load_scene(name, narrow ? std::vector<std::string>{}
                                                    : std::vector<std::string>{"resolution=32"});
            if (s.dim == 2)
                CHECK(make_setup<2>(s).grid.dx == doctest::Approx(s.dx()));
            else
                CHECK(make_setup<3>(s).grid.dx == doctest::Approx(s.dx()));
            CHECK(estimate_scene(load_scene(name), 1).liquid_cells > 100);
        }
    }
}

TEST_CASE("Built-in scenes raise no warnings at their own resolution") {
    for (const BuiltinScene& b : builtin_scenes()) {
        CAPTURE(b.name);
        const SceneEstimate e = estimate_scene(load_scene(b.name), 1);
        if (std::string(b.name) == "thin_walls") {  // that is what it is for
            CHECK(e.warnings.size() == 3);
            for (const std::string& w : e.warnings)
                CHECK_MESSAGE(w.find("thinner than 2 cells") != std::string::npos, w);
            continue;
        }
        for (const std::string& w : e.warnings) CHECK_MESSAGE(false, w);
    }
}

TEST_CASE("All scenes asked for are there") {
    const auto all = builtin_scenes();
    for (const char* name : {"circle",        "square",
                             "maze",          "ball_circle",
                             "wall_splash",   "vortex_box",
                             "tilted_rest",   "sphere",
                             "sphere_cuboid", "hollow_spheres",
                             "ball_box",      "dambreak_box",
                             "rotated_box",   "dambreak_sphere",
                             "sphere_stream", "fountain",
                             "thin_walls",    "box_in_tube",
                             "plug",          "floating",
                             "rigid_mix",     "bottle",
                             "bunny_dragon",  "smoke_paddle",
                             "manip",         "tank",
                             "flood",         "lighthouse",
                             "lake",          "bore",
                             "plate"})
        CHECK_MESSAGE(std::any_of(all.begin(), all.end(), [&](auto& b) { return b.name == name; }),
                      name);
}

TEST_CASE("Shapes stand where their keys say") {
    CHECK(distance(R"({"type": "sphere", "position": [1, 0, 0], "radius": 0.5})", {{3, 0, 0}}) ==
          doctest::Approx(1.5));
    CHECK(distance(R"({"type": "sphere", "radius": 0.5, "scale": 2, "position": [1, 0, 0]})",
                   {{3, 0, 0}}) == doctest::Approx(1));
    // Turned about its own origin: the corner of a cube turned by 45 degrees is at sqrt(2)/2.
    CHECK(
        distance(
            R"({"type": "box", "size": [1, 1, 1], "rotation": [0, 0, 45], "position": [0, 2, 0]})",
            {{0, 2 + std::sqrt(0.5), 0}}) == doctest::Approx(0).epsilon(1e-9));
    CHECK(distance(R"({"type": "box", "lower": [0, 0, 0], "upper": [1, 2, 3]})",
                   {{0.5, 2.25, 1}}) == doctest::Approx(0.25));
    CHECK(distance(R"({"type": "half_space", "position": [0, 1, 0], "normal": [0, 2, 0]})",
                   {{5, 3, 0}}) == doctest::Approx(2));
    CHECK(distance(R"({"type": "torus", "radius": 1, "tube": 0.25})", {{1, 0.5, 0}}) ==
          doctest::Approx(0.25));
    CHECK(distance(R"({"type": "plane", "thickness": 0.5})", {{0, 1, 0}}) == doctest::Approx(0.75));
    CHECK(
        distance(
            R"({"type": "shell", "thickness": 0.1, "side": "outward", "shape": {"type": "sphere", "radius": 1}})",
            {{1.05, 0, 0}}) == doctest::Approx(-0.05));
    CHECK(distance(R"({"type": "difference", "shape": {"type": "sphere", "radius": 1},
                       "minus": [{"type": "sphere", "radius": 0.5}]})",
                   {{0, 0, 0}}) == doctest::Approx(0.5));
    CHECK(distance(R"({"type": "invert", "shape": {"type": "sphere", "radius": 1}})",
                   {{0, 0, 0}}) == doctest::Approx(1));
}

TEST_CASE("The embedded knot is a closed mesh that a distance can be made of") {
    const Scene s = load_scene("fountain", {"resolution=32"});
    const auto setup = make_setup<3>(s);
    const Solid<3>& knot = setup.solids[1];
    // Its centre line passes (0.275, 0, 0) from its middle; the middle itself is the hole.
    CHECK(knot.distance({{0.775, 0.44, 0.5}}, {}) < -0.02);
    CHECK(knot.distance({{0.5, 0.44, 0.5}}, {}) > 0.05);
}

TEST_CASE("Sides, gravity, keyframes and sources reach the setup") {
    const Scene s = read_scene(R"({
        "dim": 2, "size": [2, 1], "resolution": 40, "open_sides": ["y+", "x-"],
        "gravity": [{"keys": [[0, 0], [2, 4]]}, -10],
        "inflows": [{"shape": {"type": "sphere", "radius": 0.1}, "start": 0.5, "end": 1,
                     "velocity": [1, {"keys": [[0, 0], [1, -2]]}]}],
        "drains": [{"shape": {"type": "box", "size": [0.2, 0.2]}}],
        "probes": [{"name": "wall", "position": [1.9, 0.1]}],
        "solids": [{"name": "paddle", "shape": {"type": "box", "size": [0.1, 0.5]},
                    "motion": {"keys": [{"time": 0, "position": [1, 0.5]},
                                        {"time": 1, "position": [1, 0.5], "rotation": 360}]}}]})",
                               "t.json");
    const auto setup = make_setup<2>(s);
    CHECK(setup.grid.cells == Index<2>{{40, 20}});
    CHECK(setup.open_side[0]);
    CHECK(!setup.open_side[1]);
    CHECK(!setup.open_side[2]);
    CHECK(setup.open_side[3]);
    CHECK(setup.gravity[0].at(1) == doctest::Approx(2));
    CHECK(setup.inflows[0].velocity[1].at(0.5) == doctest::Approx(-1));
    CHECK(setup.inflows[0].start == 0.5);
    CHECK(setup.drains.size() == 1);
    CHECK(setup.probes.at(0) == Point<2>{{1.9, 0.1}});
    // A quarter of the turn: a point a quarter metre to the right moves straight up.
    const Point<2> v = setup.solids[0].motion.velocity({{1.25, 0.5}}, 0.25, 1e-6);
    CHECK(v[1] == doctest::Approx(0.25 * 2 * kPi).epsilon(1e-4));
    CHECK(std::abs(v[0]) < 1e-4);
}

TEST_CASE("Estimates of the half-full sphere match its volume") {
    const Scene s = load_scene("sphere");
    const SceneEstimate e = estimate_scene(s, 2);
    const double volume = 2.0 / 3.0 * kPi * std::pow(0.45, 3);
    CHECK(e.volume == doctest::Approx(volume).epsilon(0.01));
    CHECK(e.particles == doctest::Approx(8 * volume * 64 * 64 * 64).epsilon(0.01));
    CHECK(e.peak_particles == doctest::Approx(e.particles));
    // The first step of a run has 452; samples at cell centres may miss a block's last sliver.
    CHECK(e.blocks == doctest::Approx(452).epsilon(0.1));
    CHECK(e.memory_bytes > 1e7);
    CHECK(e.seconds > 0);
}

TEST_CASE("A small blob in a large grid is estimated by the blob") {
    const Scene s = load_scene(
        "sphere",
        {"resolution=512",
         "initial=[{\"shape\":{\"type\":\"sphere\",\"position\":[0.5,0.5,0.5],\"radius\":0.05}}]"});
    const SceneEstimate e = estimate_scene(s, 2);
    CHECK(e.volume == doctest::Approx(4.0 / 3.0 * kPi * std::pow(0.05, 3)).epsilon(0.01));
    CHECK(e.memory_bytes < 2e9);
}

TEST_CASE("Estimates warn of what users trip over") {
    const auto warned = [](const Scene& s, const std::string& part) {
        for (const std::string& w : estimate_scene(s, 1).warnings)
            if (w.find(part) != std::string::npos) return true;
        return false;
    };
    CHECK(warned(load_scene("hollow_spheres", {"resolution=32"}), "thinner than 2 cells"));
    CHECK(warned(load_scene("sphere", {"size=[1,1,1.01]"}), "no whole number of cells"));
    CHECK(warned(load_scene("fountain", {"inflows[0].shape.radius=0.01"}), "only"));
    CHECK(warned(load_scene("sphere_stream", {"frames=10000"}), "add a drain"));
    CHECK(warned(load_scene("dambreak_box", {"initial[0].shape.position=[3,0,0]"}),
                 "outside the domain"));
    CHECK(warned(load_scene("sphere_cuboid",
                            {"initial[0].shape={\"type\":\"box\",\"position\":[0.58,0.46,0.5],"
                             "\"size\":[0.1,0.1,0.1]}"}),
                 "inside a solid"));
    CHECK(warned(load_scene("dambreak_box", {"initial[0].velocity=[1000,0,0]"}), "substeps"));
}
