// Bodies in tall-cell water, and what a hand does to both.
#include <doctest/doctest.h>

#include <cmath>

#include "slosh/base/parallel.h"
#include "slosh/rigid/mass.h"
#include "slosh/shape/primitives.h"
#include "slosh/tall/simulation.h"
#include "tall/waters.h"

using namespace slosh;
using namespace slosh::tall;

namespace {

Setup pool(double depth) {
    Setup s = small_tank();
    s.water = [depth](const Point<3>& p) { return p[1] - depth; };
    return s;
}

Body<3> box_at(const Point<3>& middle, const Point<3>& size, double density) {
    return body_of<3>(box<3>(middle - size * 0.5, middle + size * 0.5), density);
}

}  // namespace

TEST_CASE("A box floats at its draft, light or heavy, and the water rises by what it displaces") {
    // Closed form: the share under water is the ratio of densities; the level rises by m / (rho A).
    for (double density : {200.0, 500.0, 800.0}) {
        CAPTURE(density);
        Setup s = pool(1.5);
        s.bodies = {box_at({{1.6, 1.6, 1.6}}, {{0.8, 0.4, 0.8}}, density)};
        Simulation sim(s);
        double draft = 0, level = 0;
        for (int k = 0; k < 330; ++k) {
            (void)sim.step(1.0 / 30);
            if (k < 150) continue;  // it has settled, but for some bobbing: a mean over six seconds
            const double now = sim.water().surface_height(2, 2);
            level += now / 180;
            draft += (now - (sim.bodies().states()[0].position[1] - 0.2)) / 180;
        }
        const double rise = density / 1000 * 0.8 * 0.4 * 0.8 / (3.2 * 3.2);
        CHECK(level == doctest::Approx(1.5 + rise).epsilon(0.01));
        CHECK(std::abs(draft - density / 1000 * 0.4) < 0.025);  // a quarter of a cell
        CHECK(length(sim.bodies().states()[0].velocity) < 0.2);
    }
}

TEST_CASE("No slit is left between bodies that nearly touch in a cell") {
    // Faces at 1.548 and 1.553 m about the middle of a cell of 0.1 m: they fill 0.48 and 0.47 of
    // it.
    Setup s = pool(1.5);
    s.bodies = {box_at({{1.348, 1.5, 1.6}}, {{0.4, 0.4, 0.4}}, 500),
                box_at({{1.753, 1.5, 1.6}}, {{0.4, 0.4, 0.4}}, 500)};
    Simulation sim(s);
    sim.hurl({0, {{1, 0, 0}}, {}});
    sim.hurl({1, {{-1, 0, 0}}, {}});
    const Grid& g = sim.water().grid();
    SolidCells cells;
    cells.resize(g);
    sim.bodies().voxelise(g, {}, cells);
    const int c = g.column(15, 16), i = 15 - g.top(c);
    CHECK(cells.fraction().at(c)[i] == 1);
    CHECK(cells.motion().at(c)[i][0] == doctest::Approx(0.01 / 0.95));
    for (const SolidCells::Cell& k : cells.cells()) {
        const float part = cells.fraction().at(k.column)[k.offset];
        CHECK((part <= SolidCells::kFull || part == 1));
    }
}

TEST_CASE("A stone sinks to the ground and stays there") {
    Setup s = pool(2.0);
    s.bodies = {box_at({{1.6, 1.9, 1.6}}, {{0.5, 0.5, 0.5}}, 2500)};
    Simulation sim(s);
    for (int k = 0; k < 120; ++k) (void)sim.step(1.0 / 30);
    const BodyState<3>& b = sim.bodies().states()[0];
    CHECK(b.position[1] == doctest::Approx(0.25).epsilon(0.1));
    CHECK(length(b.velocity) < 0.02);
}

TEST_CASE("Boxes stack on the ground") {
    Setup s = pool(-1);  // no water
    for (int k = 0; k < 3; ++k)
        s.bodies.push_back(box_at({{1.6, 0.26 + 0.51 * k, 1.6}}, {{0.5, 0.5, 0.5}}, 500));
    Simulation sim(s);
    for (int k = 0; k < 90; ++k) (void)sim.step(1.0 / 30);
    for (int k = 0; k < 3; ++k) {
        const BodyState<3>& b = sim.bodies().states()[static_cast<std::size_t>(k)];
        CHECK(b.position[1] == doctest::Approx(0.25 + 0.5 * k).epsilon(0.05));
        CHECK(length(b.velocity) < 0.05);
    }
}

TEST_CASE("A body that falls into water makes waves, and keeps its volume of water") {
    Setup s = pool(1.2);
    s.bodies = {box_at({{1.6, 2.4, 1.6}}, {{0.6, 0.6, 0.6}}, 900)};
    Simulation sim(s);
    double most = 0;
    for (int k = 0; k < 90; ++k) {
        (void)sim.step(1.0 / 30);
        most = std::max(most, sim.water().max_speed());
    }
    CHECK(most > 0.5);
    CHECK(sim.water().volume() == doctest::Approx(3.2 * 3.2 * 1.2).epsilon(0.02));
}

TEST_CASE("A hand pours, pushes, raises the ground, drags and throws") {
    Setup s = pool(1.0);
    s.bodies = {box_at({{0.8, 1.0, 0.8}}, {{0.4, 0.4, 0.4}}, 500)};
    Simulation sim(s);
    const double before = sim.water().volume();
    sim.pour({.at = {{2.4, 2, 2.4}}, .velocity = {{0, -1, 0}}, .radius = 0.4});
    (void)sim.step(1.0 / 30);
    const double poured = sim.water().due_volume() - before;
    CHECK(poured == doctest::Approx(4.18879 * 0.064).epsilon(0.15));
    (void)sim.step(1.0 / 30);
    CHECK(sim.water().due_volume() == doctest::Approx(before + poured));  // that step alone

    sim.push({.at = {{1.6, 0.8, 1.6}}, .velocity = {{2, 0, 0}}, .radius = 0.6});
    CHECK(sim.water().max_speed() > 1.9);

    for (int k = 0; k < 60; ++k) {
        sim.drag(
            {.body = 0, .grab = sim.bodies().bodies()[0].mass.centre, .target = {{2.4, 1.5, 0.8}}});
        (void)sim.step(1.0 / 30);
    }
    CHECK(sim.bodies().states()[0].position[0] == doctest::Approx(2.4).epsilon(0.1));
    sim.hurl({.body = 0, .velocity = {{-3, 2, 0}}, .spin = {}});
    CHECK(sim.bodies().states()[0].velocity[0] == -3);

    sim.raise({.x = 1.6, .z = 1.6, .radius = 1, .height = 2});
    for (int k = 0; k < 30; ++k) (void)sim.step(1.0 / 30);
    CHECK(sim.water().terrain()[16 * 32 + 16] >= 19);
    CHECK(ground_height(sim.setup(), 1.6, 1.6) == doctest::Approx(2));
    CHECK(std::isfinite(sim.water().max_speed()));
}

TEST_CASE("In a container that leans the surface is level in the world, and bodies fall aslant") {
    const double lean = 8 * M_PI / 180;
    const auto felt = [&](const Point<3>& g) {
        return Point<3>{{-g[1] * std::sin(lean), g[1] * std::cos(lean), 0}};
    };
    Simulation wet(pool(1.2));
    wet.carry(felt);
    // It goes on sloshing about the level for a while: a mean over eight seconds.
    double rise = 0;
    for (int k = 0; k < 300; ++k) {
        (void)wet.step(1.0 / 30);
        if (k < 60) continue;
        for (int z = 0; z < 32; ++z)
            rise +=
                (wet.water().surface_height(20, z) - wet.water().surface_height(4, z)) / (240 * 32);
    }
    CHECK(rise == doctest::Approx(1.6 * std::tan(lean)).epsilon(0.05));

    Setup s = pool(-1);  // no water
    s.bodies = {box_at({{1.6, 2.4, 1.6}}, {{0.4, 0.4, 0.4}}, 500)};
    Simulation dry(s);
    dry.carry(felt);
    for (int k = 0; k < 12; ++k) (void)dry.step(1.0 / 30);
    const Point<3> way = dry.bodies().states()[0].position - Point<3>{{1.6, 2.4, 1.6}};
    CHECK(way[0] / -way[1] == doctest::Approx(std::tan(lean)).epsilon(1e-6));
    CHECK(way[1] == doctest::Approx(-0.5 * 9.81 * std::cos(lean) * 0.16).epsilon(0.05));
}

TEST_CASE("Bodies and water give the same bytes on one and two threads") {
    std::uint64_t hash[2];
    double place[2];
    for (int n : {1, 2}) {
        set_threads(n);
        Setup s = pool(1.2);
        s.bodies = {box_at({{1.2, 1.6, 1.6}}, {{0.6, 0.4, 0.5}}, 400),
                    box_at({{1.9, 2.2, 1.5}}, {{0.4, 0.4, 0.4}}, 900)};
        Simulation sim(s);
        for (int k = 0; k < 20; ++k) (void)sim.step(1.0 / 30);
        hash[n - 1] = sim.water().hash();
        place[n - 1] = sim.bodies().states()[1].position[1];
    }
    set_threads(0);
    CHECK(hash[0] == hash[1]);
    CHECK(place[0] == place[1]);
}

TEST_CASE("Thickening keeps a thin sheet that falls") {
    // A sheet of 0.8 cells falls for half a second. The level set alone loses it.
    double left[2];
    for (int on : {0, 1}) {
        WaterOptions options;
        options.volume_time = 0;
        options.thickening.on = on;
        Water w(
            32, 64, 32, 0.1, Terrain(32 * 32, 0),
            [](const Point<3>& p) {
                const double across = std::max(std::abs(p[0] - 1.6), std::abs(p[2] - 1.6)) - 1.0;
                return std::max(std::abs(p[1] - 4.03) - 0.04, across);
            },
            options);
        const double before = w.volume();
        for (int k = 0; k < 15; ++k) (void)w.step(1.0 / 30);
        left[on] = w.volume() / before;
    }
    CAPTURE(left[0]);
    CAPTURE(left[1]);
    CHECK(left[1] > left[0] + 0.2);
    CHECK(left[1] < 2.5);  // balls of 0.55 cells make two cells of it, and no more
}

TEST_CASE("Fast water tears into spray, which becomes foam and wets the ground") {
    Setup s = pool(0.4);
    const auto shallow = s.water;
    s.water = [shallow](const Point<3>& p) {
        return std::min(shallow(p), length(p - Point<3>{{1.6, 2.2, 1.6}}) - 0.5);
    };
    Simulation sim(s);
    std::size_t most = 0;
    float foam = 0;
    for (int k = 0; k < 60; ++k) {
        (void)sim.step(1.0 / 30);
        most = std::max(most, sim.spray().size());
        for (float f : sim.spray().foam_map()) foam = std::max(foam, f);
    }
    CHECK(most > 20);
    CHECK(foam > 0.1f);
    CHECK(*std::min_element(sim.spray().wet_map().begin(), sim.spray().wet_map().end()) == 1);
}
