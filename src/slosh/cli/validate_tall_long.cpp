// Validation of tall-cell water over minutes: volume after a flood, and rough hands.
#include <cmath>
#include <string>

#include "slosh/base/hash.h"
#include "slosh/cli/validate_rows.h"
#include "slosh/rigid/mass.h"
#include "slosh/scene/load.h"
#include "slosh/scene/tall.h"
#include "slosh/shape/primitives.h"
#include "slosh/tall/simulation.h"

namespace slosh::cli {

namespace {

constexpr double kStep = 1.0 / 30;

/// Relative change of volume in the minute after the inflow of `flood` has stopped.
double flood_drift(int max_step, double volume_time, int rows, int under) {
    tall::Setup setup = make_tall_setup(load_scene("flood"));
    setup.rows = rows;
    setup.options.remesh.under = under;
    setup.options.remesh.max_step = max_step;
    setup.options.volume_time = volume_time;
    setup.spray.on = false;
    tall::Simulation flood(std::move(setup));
    while (flood.water().time() < 30.1) (void)flood.step(kStep);
    const double before = flood.water().volume();
    while (flood.water().time() < 90.1) (void)flood.step(kStep);
    return flood.water().volume() / before - 1;
}

}  // namespace

void validate_tall_volume(ValidateReport& report) {
    add_small(report, "9e", "volume change in the minute after a flood", flood_drift(4, 0.1, 32, 8),
              0.02);
    // What the account of volume has to put right, with D and without: shown, so any change passes.
    // Its water is so shallow that 32 rows hold all of it, and D has nothing to do; with 16 there
    // are tall cells.
    add_small(report, "9e/left alone", "the same without the account", flood_drift(4, 0, 32, 8), 1);
    add_small(report, "9e/16 rows", "with tall cells", flood_drift(4, 0, 16, 4), 1);
    add_small(report, "9e/16 rows, no D", "and any step between them", flood_drift(0, 0, 16, 4), 1);
}

namespace {

/// Fastest water and fastest body in ten minutes of rough hands, whose whims `seed` chooses. m/s
struct Fastest {
    double water = 0, body = 0;
};

Fastest rough_hands(std::uint64_t seed) {
    tall::Setup setup;
    setup.nx = setup.nz = 32;
    setup.rows = 32;
    setup.dx = 0.1;
    setup.gravity = [](double) { return 9.81; };
    setup.water = [](const Point<3>& p) { return p[1] - 1.2; };
    for (int k = 0; k < 3; ++k) {
        const Point<3> middle = {{0.8 + 0.8 * k, 1.6, 1.6}}, half = {{0.2, 0.15, 0.25}};
        setup.bodies.push_back(body_of<3>(box<3>(middle - half, middle + half), 200 + 400 * k));
    }
    tall::Simulation pool(std::move(setup));
    Fastest fastest;
    const int steps = 10 * 60 * 30;
    for (int s = 0; s < steps; ++s) {
        // A new whim every half second.
        const auto draw = [&](int k) {
            return hash_uniform(seed, static_cast<std::uint64_t>(s / 15),
                                static_cast<std::uint64_t>(k));
        };
        const Point<3> at = {{0.3 + 2.6 * draw(0), 0.4 + 2.2 * draw(1), 0.3 + 2.6 * draw(2)}};
        const Point<3> way = {{8 * draw(3) - 4, 8 * draw(4) - 4, 8 * draw(5) - 4}};
        const int body = static_cast<int>(3 * draw(6));
        const double what = draw(7);
        if (what < 0.1 && pool.water().volume() < 25)
            pool.pour({at, way, 0.15});
        else if (what < 0.4)
            pool.push({at, way, 0.5});
        else if (what < 0.8)
            pool.drag({body, pool.bodies().bodies()[body].mass.centre, at});
        else if (s % 15 == 0)
            pool.hurl({body, way, way * 2.0});
        (void)pool.step(kStep);
        const double speed = pool.water().max_speed();
        if (!std::isfinite(speed)) {
            fastest.water = 1e30;
            break;
        }
        fastest.water = std::max(fastest.water, speed);
        for (const BodyState<3>& b : pool.bodies().states())
            fastest.body = std::max(fastest.body, length(b.velocity));
    }
    return fastest;
}

}  // namespace

void validate_tall_hands(ValidateReport& report) {
    // Free fall through the whole room, and a push on top, give about 15 m/s. The second is one
    // in which slits between bodies once made jets of 56 m/s.
    for (std::uint64_t seed : {9u, 2u}) {
        const Fastest f = rough_hands(seed);
        const std::string name = "9f/seed=" + std::to_string(seed);
        add_small(report, name, "fastest water in ten minutes of rough hands, m/s", f.water, 40);
        add_small(report, name, "fastest body, m/s", f.body, 40);
    }
}

}  // namespace slosh::cli
