// Whole runs of particles: liquid at rest stays at rest, nothing leaks, nothing creeps.
#include <doctest/doctest.h>

#include "common.h"
#include "slosh/liquid/simulation.h"
#include "slosh/shape/csg.h"
#include "slosh/shape/primitives.h"

using namespace slosh;

namespace {

template <int D>
LiquidSetup<D> tank(int n, ShapePtr<D> inside) {
    LiquidSetup<D> setup;
    setup.grid = unit_grid<D>(n);
    setup.gravity[1] = Curve(-9.81);
    setup.solids.push_back({"tank", invert<D>(inside), {}});
    Point<D> point, up = unit<D, double>(1);
    point[1] = 0.5037;
    setup.liquid.push_back({half_space<D>(point, up), {}, {}, {}});
    setup.step.max_dt = 1.0 / 30;
    return setup;
}

template <int D>
double rms_speed(const LiquidState<D>& state) {
    double sum = 0;
    for (std::size_t i = 0; i < state.particles.size(); ++i) {
        const Point<D> v = state.particles.velocity(i);
        sum += dot(v, v);
    }
    return std::sqrt(sum / static_cast<double>(state.particles.size()));
}

/// Runs to `end` seconds and checks all that "at rest" means. h is the depth of the liquid.
template <int D>
void check_rest(const LiquidSetup<D>& setup, double end, double h) {
    LiquidSimulation<D> simulation(setup);
    const std::size_t particles = simulation.state().particles.size();
    const auto centre = [&] {
        Point<D> sum;
        for (std::size_t i = 0; i < particles; ++i) sum += simulation.state().particles.position(i);
        return sum / static_cast<double>(particles);
    };
    const Point<D> before = centre();
    double volume = 0, early = 0, late = 0;
    int early_steps = 0, late_steps = 0;
    while (simulation.state().time < end - 1e-9) {
        const StepReport report = simulation.step(end - simulation.state().time);
        if (volume == 0) volume = report.volume;
        CHECK(report.volume == doctest::Approx(volume).epsilon(0.02));
        const double speed2 = std::pow(rms_speed(simulation.state()), 2);
        if (report.time < end / 2) {
            early += speed2;
            ++early_steps;
        } else {
            late += speed2;
            ++late_steps;
        }
    }
    const double scale = std::sqrt(9.81 * h);
    early = std::sqrt(early / early_steps) / scale;
    late = std::sqrt(late / late_steps) / scale;
    CHECK(early < 0.01);
    CHECK(late < 0.01);
    CHECK(late < 1.5 * early);  // does not grow; the halves differ by chance only

    // Nothing leaks: every particle is still there, outside of the solid.
    REQUIRE(simulation.state().particles.size() == particles);
    int inside = 0;
    for (std::size_t i = 0; i < particles; ++i) {
        const Point<D> x = setup.grid.to_world(simulation.state().particles.position(i));
        inside += setup.solids[0].shape->distance(x) < 0;
    }
    CHECK(inside == 0);
    // Nothing creeps: the centre of mass is where it was, within a quarter of a cell sideways.
    CHECK(std::abs(centre()[0] - before[0]) < 0.25);
}

}  // namespace

TEST_CASE("Water in a tilted box stays at rest for ten seconds") {
    const double a = 30 * 3.14159265358979 / 180;
    Transform<2> at;
    at.rotation.row[0] = {std::cos(a), -std::sin(a)};
    at.rotation.row[1] = {std::sin(a), std::cos(a)};
    at.translation = {0.5, 0.5};
    check_rest<2>(tank<2>(64, placed<2>(box<2>({-0.35, -0.3}, {0.35, 0.3}), at)), 10, 0.4);
}

TEST_CASE("Water in a half-full circle stays at rest for ten seconds") {
    check_rest<2>(tank<2>(64, sphere<2>({0.5, 0.5}, 0.45)), 10, 0.45);
}

TEST_CASE("Water in a half-full sphere stays at rest for ten seconds") {
    check_rest<3>(tank<3>(24, sphere<3>({0.5, 0.5, 0.5}, 0.45)), 10, 0.45);
}
