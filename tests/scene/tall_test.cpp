#include "slosh/scene/tall.h"

#include <doctest/doctest.h>

#include <cmath>
#include <map>
#include <numbers>

#include "slosh/base/parallel.h"
#include "slosh/scene/estimate.h"
#include "slosh/scene/load.h"
#include "slosh/tall/simulation.h"

using namespace slosh;

namespace {

Scene tall_scene(const std::string& tall, const std::string& rest = "") {
    return read_scene(R"({"size": [4, 3, 2], "resolution": 32, "lower": [1, 2, 3],
        "initial": [{"shape": {"type": "box", "lower": [-9, -9, -9], "upper": [9, 3, 9]}}],
        "tall": )" + tall +
                          rest + "}",
                      "tall.json");
}

/// Edges that do not have one triangle on each side.
std::size_t open_edges(const SurfaceMesh& mesh) {
    std::map<std::pair<std::uint32_t, std::uint32_t>, int> edges;
    for (const auto& e : mesh.elements)
        for (int k = 0; k < 3; ++k) {
            const std::uint32_t a = e[k], b = e[(k + 1) % 3];
            edges[{std::min(a, b), std::max(a, b)}] += a < b ? 1 : -1;
        }
    std::size_t open = 0;
    for (const auto& edge : edges) open += edge.second != 0;
    return open;
}

/// Volume inside a closed mesh, from a point near it so that floats do.
double volume_of(const SurfaceMesh& mesh) {
    double sum = 0;
    const Vec<float, 3> o = mesh.vertices.at(0);
    for (const auto& e : mesh.elements)
        sum +=
            dot(mesh.vertices[e[0]] - o, cross(mesh.vertices[e[1]] - o, mesh.vertices[e[2]] - o)) /
            6;
    return sum;
}

}  // namespace

TEST_CASE("Ground is as high as its highest layer says") {
    const tall::Setup s = make_tall_setup(tall_scene(R"({"terrain": [
        {"position": [2, 2.5, 4], "slope_x": 0.5, "curve_z": 0.25, "waves": [
            {"height": 0.1, "length_x": 4, "phase": 90}]},
        {"position": [4, 4, 4], "cone": 2},
        {"position": [3, 4.5, 3.5], "radius": 0.25}]})"));
    const auto height = [&](double x, double z) { return ground_height(s, x, z); };
    const double wave = 0.1 * std::cos(2 * std::numbers::pi * 2.5 / 4);
    CHECK(height(2.5, 4.5) == doctest::Approx(2.5 + 0.25 + 0.0625 + wave));
    CHECK(height(4, 4.05) == doctest::Approx(3.9));
    CHECK(height(3.1, 3.4) == doctest::Approx(4.5));
    CHECK(height(-20, 4) == 2);  // never below the floor
}

TEST_CASE("A tall scene becomes water in the world's coordinates") {
    const Scene scene = tall_scene(R"({"rows": 16, "under": 5, "over": 6, "max_step": 3,
        "v_cycles": 4, "wave_makers": [{"side": "z+", "speed": 2, "period": 8, "start": 1}]})",
                                   R"(, "inflows": [{"shape": {"type": "sphere", "radius": 0.5,
        "position": [2, 4, 4]}, "velocity": [0, {"keys": [[0, -1], [2, -3]]}, 0], "end": 5}])");
    const tall::Setup s = make_tall_setup(scene);
    CHECK(s.nx == 32);
    CHECK(s.nz == 16);
    CHECK(s.rows == 16);
    CHECK(s.options.remesh.under == 5);
    CHECK(s.options.remesh.over == 6);
    CHECK(s.options.remesh.max_step == 3);
    CHECK(s.options.cycles.v_cycles == 4);
    CHECK(s.gravity(1) == doctest::Approx(9.81));
    CHECK(s.water({{2, 2.5, 4}}) == doctest::Approx(-0.5));
    CHECK(s.inflows.at(0).distance({{2, 4.75, 4}}, 0) == doctest::Approx(0.25));
    CHECK(s.inflows[0].velocity(1)[1] == doctest::Approx(-2));
    CHECK(s.wave_makers.at(0).side == 3);
    CHECK(s.wave_makers[0].start == 1);

    const tall::Simulation simulation(s);
    CHECK(simulation.water().volume() == doctest::Approx(4 * 1 * 2).epsilon(1e-4));
    const SurfaceMesh mesh = simulation.surface();
    CHECK(open_edges(mesh) == 0);
    // The gap to the walls, 0.08 of a cell of 1/8 m, takes 0.01 m off five sides; the mesher cuts
    // the 28 m of edges off by a triangle of half a cell.
    const double edges = 28 * 0.0625 * 0.0625 / 2;
    CHECK(volume_of(mesh) == doctest::Approx(3.98 * 0.99 * 1.98 - edges).epsilon(0.006));
    for (const auto& v : mesh.vertices) {
        CHECK(v[0] > 1);
        CHECK(v[1] > 2);
        CHECK(v[2] < 5);
    }
    CHECK(open_edges(tall::ground_mesh(s)) ==
          3 * 2 * (32 + 16));  // three squares a column  // but for its underside
}

TEST_CASE("Water goes on under its ground, and meets it at the shore alone") {
    tall::Simulation simulation(make_tall_setup(tall_scene(R"({"rows": 16, "terrain": [
        {"position": [3, 2.6, 4], "waves": [{"height": 0.7, "length_x": 1.9, "length_z": 2.3}]}]})")));
    for (int step = 0; step < 3; ++step) {
        const SurfaceMesh mesh = simulation.surface();
        CHECK(open_edges(mesh) == 0);
        int undersides = 0, bare = 0;
        for (const auto& e : mesh.elements) {
            const Vec<float, 3>&a = mesh.vertices[e[0]], &b = mesh.vertices[e[1]],
                             &c = mesh.vertices[e[2]];
            const Vec<float, 3> middle = (a + b + c) / 3.0f;
            // Not in the last columns: upright sides of the mesh lean a little either way.
            const bool inside =
                middle[0] > 1.125 && middle[0] < 4.875 && middle[2] > 3.125 && middle[2] < 4.875;
            if (!inside || cross(b - a, c - a)[1] >= 0) continue;
            ++undersides;
            bare += middle[1] > ground_height(simulation.setup(), middle[0], middle[2]);
        }
        CHECK(undersides > 500);
        CHECK(bare == 0);
        (void)simulation.step(1.0 / 30);
    }
}

TEST_CASE("A resolved tall scene loads back to the same scene") {
    const Scene s = load_scene("lighthouse");
    const std::string text = resolved_json(s);
    const Scene again = read_scene(text, "resolved.json");
    CHECK(resolved_json(again) == text);
    CHECK(scene_hash(again) == scene_hash(s));
    Scene steeper = s;
    steeper.tall->terrain[0].slope_x += 0.01;
    CHECK(scene_hash(steeper) != scene_hash(s));
    CHECK(resolved_json(load_scene("sphere")).find("\"tall\"") == std::string::npos);
}

TEST_CASE("An estimate of tall cells does not grow with depth") {
    const SceneEstimate a = estimate_scene(load_scene("tank"), 2);
    const SceneEstimate b = estimate_scene(load_scene("tank:deep"), 2);
    CHECK(a.particles == 0);
    CHECK(a.substeps_per_frame == 1);
    CHECK(b.seconds_per_frame == doctest::Approx(a.seconds_per_frame));
    CHECK(b.memory_bytes == doctest::Approx(a.memory_bytes));
}

TEST_CASE("A tank of twice the depth has twice the water and no more unknowns") {
    double volume[2];
    std::size_t unknowns[2];
    for (int deep : {0, 1}) {
        const tall::Simulation tank(make_tall_setup(load_scene(deep ? "tank:deep" : "tank")));
        volume[deep] = tank.water().volume();
        unknowns[deep] = tall::residual_norm(tank.water().pressure().finest()).unknowns;
    }
    CHECK(volume[0] == doctest::Approx(6.4 * 6.4 * 12.03).epsilon(1e-5));
    CHECK(volume[1] == doctest::Approx(6.4 * 6.4 * 24.03).epsilon(1e-5));
    CHECK(unknowns[1] == unknowns[0]);
}

TEST_CASE("Water takes as many rows as a scene may ask for") {
    tall::Simulation simulation(make_tall_setup(tall_scene(R"({"rows": 256})")));
    CHECK(simulation.step(1.0 / 30).max_speed < 1e-4);
}

TEST_CASE("Driven tall water gives the same bytes on one and two threads") {
    const Scene scene = load_scene("lighthouse", {"resolution=32", "tall.rows=16"});
    std::uint64_t hash[2];
    std::size_t vertices[2];
    for (int n : {1, 2}) {
        set_threads(n);
        tall::Simulation simulation(make_tall_setup(scene));
        for (int i = 0; i < 8; ++i) (void)simulation.step(1.0 / 30);
        const SurfaceMesh mesh = simulation.surface();
        hash[n - 1] =
            simulation.water().hash() ^
            hash_bytes(mesh.vertices.data(), mesh.vertices.size() * sizeof mesh.vertices[0]);
        vertices[n - 1] = mesh.vertices.size();
    }
    set_threads(0);
    CHECK(hash[0] == hash[1]);
    CHECK(vertices[0] == vertices[1]);
    CHECK(vertices[0] > 1000);
}
