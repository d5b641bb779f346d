// Whole steps of tall-cell water against what must be true of them.
#include "slosh/tall/water.h"

#include <doctest/doctest.h>

#include <cmath>
#include <numbers>

#include "slosh/base/error.h"
#include "slosh/base/parallel.h"
#include "tall/pools.h"
#include "tall/waters.h"

using namespace slosh;
using namespace slosh::tall;

namespace {

Terrain ground(int nx, int nz, const std::function<int(int, int)>& height) {
    Terrain t;
    for (int z = 0; z < nz; ++z)
        for (int x = 0; x < nx; ++x) t.push_back(height(x, z));
    return t;
}

}  // namespace

TEST_CASE("A lake with islands stays at rest") {
    Water w(32, 32, 32, 1.0, ground(32, 32, [](int x, int z) { return hills(x, z, 50); }),
            [](const Point<3>& p) { return p[1] - 40.3; });
    check_rest(w, 40.3);
    CHECK(w.surface_height(16, 16) == doctest::Approx(40.3).epsilon(1e-5));
}

TEST_CASE("Water whose velocity is not finite ends the run with a line") {
    Water w(16, 16, 16, 0.2, Terrain(16 * 16, 0), [](const Point<3>& p) { return p[1] - 1.5; });
    (void)w.step(1.0 / 30);
    w.set_velocity([](const Point<3>& p) {
        return Point<3>{{p[0] > 1 && p[0] < 2 ? std::nan("") : 0.0, 0, 0}};
    });
    CHECK_THROWS_AS((void)w.step(1.0 / 30), SolveError);
}

TEST_CASE("A ball of water falls freely") {
    // Closed form: v = -g t everywhere in it, and the pressure is zero.
    const double dt = 1.0 / 60;
    WaterOptions options;
    options.volume_time = 0;  // it would make the ball swell
    Water w(
        32, 64, 32, 0.1, Terrain(32 * 32, 0),
        [](const Point<3>& p) {
            return length(p - Point<3>{{1.6, 4.0, 1.6}}) - 0.8;
        },
        options);
    for (int s = 1; s <= 20; ++s) {
        (void)w.step(dt);
        CHECK(w.max_speed() == doctest::Approx(9.81 * dt * s).epsilon(1e-4));
    }
    // Steps add up to g dt^2 (0 + 1 + ... + 19): the surface moves with the last velocity.
    CHECK(w.surface_height(16, 16) ==
          doctest::Approx(4.8 - 9.81 * dt * dt * 190).epsilon(0.05 / 4.8));
}

TEST_CASE("A dam break has the symmetry of its tank, and keeps its volume") {
    Water w(32, 32, 16, 0.2, Terrain(32 * 16, 0),
            [](const Point<3>& p) { return std::max(p[0] - 2.0, p[1] - 3.0); });
    const double volume = w.volume();
    for (int s = 0; s < 45; ++s) (void)w.step(1.0 / 30);
    for (int x = 0; x < 32; ++x)
        for (int z = 0; z < 8; ++z)  // colours swap when mirrored: equal as far as solves converge
            CHECK(w.surface_height(x, z) ==
                  doctest::Approx(w.surface_height(x, 15 - z)).epsilon(0.03));
    CHECK(std::abs(w.volume() / volume - 1) < 0.1);
}

TEST_CASE("Volume that the level set loses comes back") {
    // The same dam break over shallow water, left alone and put right.
    double worst[2] = {}, last[2] = {};
    for (int k : {0, 1}) {
        WaterOptions options;
        options.volume_time = k == 0 ? 0 : 0.1;
        Water w(
            32, 32, 16, 0.2, Terrain(32 * 16, 0),
            [](const Point<3>& p) {
                return std::min(p[1] - 0.55, std::max(p[0] - 2.2, p[1] - 3.2));
            },
            options);
        const double volume = w.volume();
        for (int s = 0; s < 45; ++s) {
            (void)w.step(1.0 / 30);
            last[k] = std::abs(w.volume() / volume - 1);
            worst[k] = std::max(worst[k], last[k]);
        }
        CHECK(w.due_volume() == doctest::Approx(volume));
    }
    CAPTURE(worst[0]);
    CAPTURE(last[0]);
    CHECK(worst[1] < 0.03);
    CHECK(last[1] < 0.5 * last[0]);  // or there was nothing to put right
}

TEST_CASE("A tank that is shaken at its own period keeps its volume") {
    // The waves go higher than 32 rows of cells reach, and gain volume where tall cells stand side
    // by side with regular ones; unchecked they had 17 times their water after these 15 s.
    Water w(32, 32, 16, 0.1, Terrain(32 * 16, 0), [](const Point<3>& p) { return p[1] - 2.0; });
    const double k = std::numbers::pi / 3.2, omega = std::sqrt(9.81 * k * std::tanh(k * 2.0));
    double most = 0, fastest = 0;
    for (int s = 0; s < 450; ++s) {
        w.set_gravity({{w.time() < 8 ? 3 * std::sin(omega * w.time()) : 0, -9.81, 0}});
        fastest = std::max(fastest, w.step(1.0 / 30).max_speed);
        most = std::max(most, w.volume() / w.due_volume());
    }
    CHECK(most < 1.25);
    CHECK(w.volume() == doctest::Approx(w.due_volume()).epsilon(0.02));
    CHECK(fastest > 5);   // or it was not shaken
    CHECK(fastest < 20);  // free fall through thrice the depth is 11 m/s
}

TEST_CASE("A film that runs down a slope is not lost to the lake below") {
    // A metre falls over twelve; the lake begins after 24 m. What is poured at the top is there,
    // since it cannot have come down yet: the lake stands as it stood.
    constexpr int kWide = 16, kLong = 128, kShore = 96;
    Terrain slope;
    for (int z = 0; z < kLong; ++z)
        for (int x = 0; x < kWide; ++x) slope.push_back(z < kShore ? 20 - z / 12 : 0);
    Water w(kWide, 32, kLong, 0.25, slope,
            [](const Point<3>& p) { return std::max(p[1] - 2.6, 24 - p[2]); });
    w.sources = {
        {[](const Point<3>& p) { return std::max(p[2] - 1, std::abs(p[1] - 5.25) - 0.25); },
         {{0, 0, 2}}}};
    const double start = w.volume();
    const auto level = [&] {
        double sum = 0;
        for (int z = kShore + 4; z < kLong; ++z)
            for (int x = 0; x < kWide; ++x) sum += w.surface_height(x, z);
        return sum / ((kLong - kShore - 4) * kWide);
    };
    const double before = level();
    for (int s = 0; s < 60; ++s) (void)w.step(1.0 / 30);
    const double poured = w.due_volume() - start, lake = 8.0 * 4;
    CAPTURE(poured);
    CHECK(poured > 5);
    CHECK(std::abs(w.volume() - w.due_volume()) < 0.03 * poured);
    CHECK(std::abs(level() - before) * lake < 0.05 * poured);
}

TEST_CASE("What walls push in and sources pour is due") {
    // Closed form: a piston at 0.4 m/s on 2 m x 3.2 m of water gives 2.56 m^3/s.
    Water w(32, 32, 16, 0.2, Terrain(32 * 16, 0), [](const Point<3>& p) { return p[1] - 2.0; });
    const double volume = w.volume(), dt = 1.0 / 30;
    CHECK(volume == doctest::Approx(6.4 * 2 * 3.2));
    w.solids.wall[0] = 0.4f;
    (void)w.step(dt);
    CHECK(w.due_volume() - volume == doctest::Approx(2.56 * dt).epsilon(1e-3));
    w.solids.wall[0] = 0;
    w.solids.wall[3] = -0.2f;  // the far wall, towards the water: 0.2 * 6.4 * 2
    (void)w.step(dt);
    CHECK(w.due_volume() - volume == doctest::Approx((2.56 + 2.56) * dt).epsilon(0.05));
    w.solids.wall[3] = 0;
    const double before = w.due_volume();
    w.sources = {{[](const Point<3>& p) {
                      return length(p - Point<3>{{3.2, 4, 1.6}}) - 0.6;
                  },
                  {{0, 0, 0}}}};
    (void)w.step(dt);
    // A ball of 0.9 m^3, as well as cells of 0.2 m measure it.
    CHECK(w.due_volume() - before == doctest::Approx(4.18879 * 0.216).epsilon(0.1));
}

TEST_CASE("A fit to a tall cell keeps what is linear, and what velocity it has everywhere") {
    const Pool a(16, 16, 16, 60, 8, [](int x, int z) { return hills(x, z, 30); });
    const Pool b(16, 16, 16, 66, 8, [](int x, int z) { return hills(x, z, 30); });
    const auto f = [](int y) { return static_cast<float>(3 - 0.25 * y); };
    Columns<float> from(a.grid);
    for (int z = 0; z < 16; ++z)
        for (int x = 0; x < 16; ++x) {
            const int c = a.grid.column(x, z);
            from.bottom(c) = f(a.grid.bottom(c));
            for (int i = 0; i <= 16; ++i) from.at(c)[i] = f(a.grid.top(c) + i);
            from.refresh(a.grid, c, Under::Bottom);
        }
    for (const Grid* grid : {&b.grid, &a.grid}) {  // up, and down again
        transfer(grid == &a.grid ? b.grid : a.grid, *grid, Under::Bottom, from);
        for (int z = 0; z < 16; ++z)
            for (int x = 0; x < 16; ++x) {
                const int c = grid->column(x, z);
                CHECK(from.bottom(c) == doctest::Approx(f(grid->bottom(c))).epsilon(1e-4));
                for (int i = 0; i < 8; ++i)
                    CHECK(from.at(c)[i] == doctest::Approx(f(grid->top(c) + i)).epsilon(1e-4));
            }
    }
}

TEST_CASE("A uniform velocity is extrapolated to every cell") {
    const Pool pool(32, 32, 32, 40.3, 12, [](int x, int z) { return hills(x, z, 50); });
    Hierarchy h;
    h.reset(pool.grid);
    pool.fill(h.finest());
    h.build();
    Velocity u = pool.falling(2);  // and garbage in the air
    for (int z = 0; z < 32; ++z)
        for (int x = 0; x < 32; ++x) {
            const int c = pool.grid.column(x, z);
            for (int i = 0; i <= 32; ++i)
                if (h.finest().phi.at(c)[i] >= 0) u.at(c)[i] = Float4{99, 99, 99, 99};
        }
    ExtrapolationRoom room;
    extrapolate(h.levels(), room, u);
    double worst = 0;
    for (int z = 0; z < 32; ++z)
        for (int x = 0; x < 32; ++x)
            for (int i = pool.grid.start(pool.grid.column(x, z)); i <= 32; ++i) {
                const Float4 v = u.at(pool.grid.column(x, z))[i];
                worst = std::max<double>({worst, std::abs(v[0]), std::abs(v[1] + 2)});
            }
    CHECK(worst < 1e-5);
}

TEST_CASE("Steps give the same bytes on one and two threads") {
    std::uint64_t hash[2];
    for (int n : {1, 2}) {
        set_threads(n);
        Water w(32, 32, 32, 0.2, ground(32, 32, [](int x, int z) { return hills(x, z, 12); }),
                [](const Point<3>& p) { return std::max(p[0] - 3.0, p[1] - 4.0); });
        for (int s = 0; s < 12; ++s) (void)w.step(1.0 / 30);
        hash[n - 1] = w.hash();
    }
    set_threads(0);
    CHECK(hash[0] == hash[1]);
}
