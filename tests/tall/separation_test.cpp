// Water that lets go of solids.
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

Setup room(bool separates) {
    Setup s = small_tank();
    s.options.volume_time = 0;
    s.options.thickening.on = false;
    s.spray.on = false;
    s.options.cycles.separation_levels = separates ? 3 : 0;
    return s;
}

/// A slab across the whole room, which stays where it is.
Body<3> lid(double y) {
    Body<3> b = body_of<3>(box<3>({{-1, y, -1}}, {{4.2, y + 0.5, 4.2}}), 500);
    std::fill(std::begin(b.locked), std::end(b.locked), true);
    return b;
}

double lowest_water(const Water& w, int x, int z) {
    const int c = w.grid().column(x, z);
    for (int i = 0; i < w.phi().end(c); ++i)
        if (w.phi().at(c)[i] < 0) {
            const float own = w.phi().at(c)[i], below = w.phi().at(c)[i - 1];
            return (w.grid().top(c) + i + 0.5 - own / (own - below)) * w.grid().dx();
        }
    return 1e9;
}

}  // namespace

TEST_CASE("A layer of water under a lid falls at g if walls let go, and hangs if they do not") {
    // Closed form: its underside falls by g t^2 / 2.
    for (bool separates : {false, true}) {
        CAPTURE(separates);
        Setup s = room(separates);
        s.water = [](const Point<3>& p) { return std::abs(p[1] - 2.25) - 0.25; };  // 2.0 ... 2.5
        s.bodies = {lid(2.5)};
        Simulation sim(s);
        const double dt = 1.0 / 60;
        for (int k = 0; k < 24; ++k) (void)sim.step(dt);
        const double fallen = 2.0 - lowest_water(sim.water(), 16, 16);
        // Steps add up to g dt^2 (0 + 1 + ... + 23): the surface moves with the last velocity.
        if (separates) {
            CHECK(fallen == doctest::Approx(9.81 * dt * dt * 276).epsilon(0.03));
            CHECK(sim.water().max_speed() == doctest::Approx(9.81 * 0.4).epsilon(1e-3));
        } else {
            CHECK(std::abs(fallen) < 0.01);
        }
    }
}

TEST_CASE("A plate that is pulled out of water leaves the water behind") {
    // Sticky, it lifts a hill of water with it; letting go, the water under it cannot rise over
    // its level by more than the waves that the plate has made.
    double hill[2];
    for (int separates : {0, 1}) {
        Setup s = room(separates);
        s.water = [](const Point<3>& p) { return p[1] - 1.2; };
        s.bodies = {body_of<3>(box<3>({{0.8, 1.1, 0.8}}, {{2.4, 1.4, 2.4}}), 500)};
        Simulation sim(s);
        for (int k = 0; k < 12; ++k) {
            sim.hurl({.body = 0, .velocity = {{0, 2, 0}}, .spin = {}});
            (void)sim.step(1.0 / 60);
        }
        hill[separates] = sim.water().surface_height(16, 16) - 1.2;
    }
    CHECK(hill[0] > 0.25);  // of 0.4 m that the plate has risen
    CHECK(hill[1] < 0.02);
}

TEST_CASE("Walls that may let go do not disturb still water, and hold no tension") {
    Setup s = room(true);
    s.water = [](const Point<3>& p) { return p[1] - 1.23; };
    GroundLayer cone;
    cone.position = {{1.6, 1.5, 1.6}};
    cone.cone = 1;
    s.ground = {cone};
    Simulation sim(s);
    for (int k = 0; k < 60; ++k) (void)sim.step(1.0 / 30);
    CHECK(sim.water().max_speed() < 1e-4 * std::sqrt(9.81 * 1.23));

    // A dam breaks and runs up a wall: nowhere beside a solid is P < 0.
    s = room(true);
    s.water = [](const Point<3>& p) { return std::max(p[0] - 1.0, p[1] - 2.0); };
    Simulation dam(s);
    double least = 1e9;
    for (int k = 0; k < 60; ++k) {
        (void)dam.step(1.0 / 30);
        const Level& l = dam.water().pressure().finest();
        for (int z = 0; z < 32; ++z)
            for (int x = 0; x < 32; ++x) {
                const int c = l.grid.column(x, z);
                for (int i = l.bounded[c].first; i < l.bounded[c].last; ++i)
                    if (l.lower.at(c)[i] != kUnbounded)
                        least = std::min<double>(least, l.q.at(c)[i] - l.lower.at(c)[i]);
            }
    }
    CHECK(least == 0);
}

TEST_CASE("Separating walls give the same bytes on one and two threads") {
    std::uint64_t hash[2];
    for (int n : {1, 2}) {
        set_threads(n);
        Setup s = room(true);
        s.water = [](const Point<3>& p) { return std::max(p[0] - 1.0, p[1] - 2.0); };
        s.bodies = {body_of<3>(box<3>({{1.8, 0.1, 1.2}}, {{2.2, 0.5, 1.6}}), 300)};
        Simulation sim(s);
        for (int k = 0; k < 30; ++k) (void)sim.step(1.0 / 30);
        hash[n - 1] = sim.water().hash();
    }
    set_threads(0);
    CHECK(hash[0] == hash[1]);
}
