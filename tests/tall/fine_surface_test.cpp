// The surface on cells of half the size.
#include "slosh/tall/fine_surface.h"

#include <doctest/doctest.h>

#include "slosh/base/parallel.h"
#include "slosh/tall/simulation.h"
#include "tall/pools.h"
#include "tall/waters.h"

using namespace slosh;
using namespace slosh::tall;

namespace {

Terrain ground(int n, const std::function<int(int, int)>& height) {
    Terrain t;
    for (int z = 0; z < n; ++z)
        for (int x = 0; x < n; ++x) t.push_back(height(x, z));
    return t;
}

WaterOptions with_surface(int cells) {
    WaterOptions o;
    o.surface = cells;
    return o;
}

}  // namespace

TEST_CASE("The mean of fine cells is the distance to a plane") {
    Pool pool(16, 16, 16, 40.3, 8, [](int x, int z) { return hills(x, z, 30); });
    const auto plane = [](const Point<3>& p) { return 0.8 * (p[1] - 40.3) + 0.6 * (p[0] - 8); };
    const FineSurface fine(pool.grid, ground(16, pool.terrain), plane);
    Columns<float> phi(pool.grid, 5);
    fine.average(pool.grid, phi);
    int near = 0;
    for (int z = 0; z < 16; ++z)
        for (int x = 0; x < 16; ++x) {
            const int c = pool.grid.column(x, z);
            for (int i = pool.grid.start(c); i <= 16; ++i) {
                const double d = plane({{x + 0.5, pool.grid.top(c) + i + 0.5, z + 0.5}});
                if (std::abs(d) > 1.5) continue;
                ++near;
                CHECK(phi.at(c)[i] == doctest::Approx(d).epsilon(1e-4));
            }
        }
    CHECK(near > 400);
}

TEST_CASE("A lake with islands stays at rest under a fine surface") {
    Water w(
        32, 32, 32, 1.0, ground(32, [](int x, int z) { return hills(x, z, 50); }),
        [](const Point<3>& p) { return p[1] - 40.3; }, with_surface(2));
    check_rest(w, 40.3);
}

TEST_CASE("A small ball of water keeps its volume better on a fine surface") {
    // Radius 4.5 cells, thrown across the room, with nothing that puts volume right.
    double kept[3];
    for (int cells : {1, 2}) {
        WaterOptions o = with_surface(cells);
        o.volume_time = 0;
        o.thickening.on = false;
        Water w(
            32, 32, 32, 0.1, Terrain(32 * 32, 0),
            [](const Point<3>& p) {
                return length(p - Point<3>{{0.8, 2.0, 1.6}}) - 0.45;
            },
            o);
        w.set_velocity([](const Point<3>&) { return Point<3>{{2, 2, 0.3}}; });
        const double before = w.volume();
        for (int s = 0; s < 20; ++s) (void)w.step(1.0 / 40);
        kept[cells] = w.volume() / before;
    }
    CAPTURE(kept[1]);
    CAPTURE(kept[2]);
    CHECK(kept[2] > kept[1] + 0.2);
}

TEST_CASE("What is poured is due, on a fine surface too") {
    Water w(
        32, 32, 32, 0.1, Terrain(32 * 32, 0), [](const Point<3>& p) { return p[1] - 1.0; },
        with_surface(2));
    const double before = w.due_volume();
    w.sources = {{[](const Point<3>& p) {
                      return length(p - Point<3>{{1.6, 2, 1.6}}) - 0.4;
                  },
                  {{0, -1, 0}}}};
    (void)w.step(1.0 / 30);
    CHECK(w.due_volume() - before == doctest::Approx(4.18879 * 0.064).epsilon(0.05));
    w.sources.clear();
    for (int s = 0; s < 90; ++s) (void)w.step(1.0 / 30);
    CHECK(w.volume() == doctest::Approx(w.due_volume()).epsilon(0.01));
}

TEST_CASE("Fine surfaces give the same bytes on one and two threads") {
    std::uint64_t hash[2];
    for (int n : {1, 2}) {
        set_threads(n);
        Water w(
            32, 32, 32, 0.2, ground(32, [](int x, int z) { return hills(x, z, 12); }),
            [](const Point<3>& p) { return std::max(p[0] - 3.0, p[1] - 4.0); }, with_surface(2));
        for (int s = 0; s < 12; ++s) (void)w.step(1.0 / 30);
        hash[n - 1] = w.hash();
    }
    set_threads(0);
    CHECK(hash[0] == hash[1]);
}
