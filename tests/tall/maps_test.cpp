// Ripples, foam and wetness as maps.
#include <doctest/doctest.h>

#include <cmath>

#include "slosh/tall/simulation.h"

using namespace slosh;
using namespace slosh::tall;

namespace {

Setup pond() {
    Setup s;
    s.nx = s.nz = 32;
    s.rows = 16;
    s.dx = 0.5;
    s.gravity = [](double) { return 9.81; };
    s.water = [](const Point<3>& p) { return p[1] - 2.0; };
    return s;
}

}  // namespace

TEST_CASE("Ripples have the slope of the wind, and swing") {
    // Closed form: a mean square slope of (0.003 + 0.00512 U) / 4.
    const WaveTexture ripples({.wind = 5});
    const int n = 64;
    double slope = 0, change = 0;
    std::vector<float> last;
    for (double time : {0.0, 1.0, 2.0, 3.0, 4.0}) {
        const std::vector<float> h = ripples.tile(time, 0.5);
        REQUIRE(h.size() == n * n);
        for (int z = 0; z < n; ++z)
            for (int x = 0; x < n; ++x) {
                const auto at = [&](int i, int k) {
                    return h[((z + k + n) % n) * n + (x + i + n) % n];
                };
                const double sx = (at(1, 0) - at(-1, 0)) / 0.25, sz = (at(0, 1) - at(0, -1)) / 0.25;
                slope += (sx * sx + sz * sz) / (5.0 * n * n);
                if (!last.empty()) change += std::abs(h[z * n + x] - last[z * n + x]);
            }
        last = h;
    }
    // Differences over two texels see a little less than the slope of the shortest waves.
    CHECK(slope == doctest::Approx((0.003 + 0.00512 * 5) / 4).epsilon(0.35));
    CHECK(change > 0);
}

TEST_CASE("Ripples move with the water") {
    // Closed form: in a uniform flow the texture has moved by u t.
    Setup s = pond();
    Water w(32, 16, 32, 0.5, Terrain(32 * 32, 0), s.water);
    w.set_velocity([](const Point<3>&) { return Point<3>{{1, 0, -0.5}}; });
    WaveTexture ripples({.wind = 5});
    for (int k = 0; k < 4; ++k) ripples.advance(w, 0.25);  // a metre: eight texels along x
    const std::vector<float> moved = ripples.heights(w), tile = ripples.tile(w.time(), 0.5);
    double error = 0, size = 0, still = 0;
    // Copies of age 1 s and 3 s of 4 s: both weigh 1/2, so that heights are sqrt(2) times the tile.
    for (int z = 40; z < 90; ++z)
        for (int x = 40; x < 90; ++x) {
            const float here = moved[z * 128 + x] / std::sqrt(2.0f);
            error += std::abs(here - tile[(z + 4) % 64 * 64 + (x - 8 + 64) % 64]);
            still += std::abs(here - tile[z % 64 * 64 + x % 64]);
            size += std::abs(here);
        }
    CHECK(error < 0.02 * size);
    CHECK(still > 0.3 * size);
}

TEST_CASE("Maps cover the domain, and tell wet ground from dry") {
    Setup s = pond();
    GroundLayer slope;
    slope.position = {{8, 2.5, 0}};
    slope.slope_x = 0.4;
    s.ground = {slope};
    s.ripples.wind = 4;
    Simulation sim(s);
    for (int k = 0; k < 3; ++k) (void)sim.step(1.0 / 30);
    const SurfaceMaps maps = sim.maps();
    CHECK(maps.nx == 128);
    CHECK(maps.texel == doctest::Approx(0.125));
    CHECK(maps.wet[64 * 128 + 4] > 0.99f);    // under water
    CHECK(maps.wet[64 * 128 + 120] < 0.01f);  // up the beach
    CHECK(*std::max_element(maps.ripple.begin(), maps.ripple.end()) > 0);
}
