#include "slosh/liquid/touch.h"

#include <doctest/doctest.h>

#include "slosh/liquid/simulation.h"
#include "slosh/rigid/dynamics.h"
#include "slosh/rigid/mass.h"
#include "slosh/shape/primitives.h"

using namespace slosh;

namespace {

template <int D>
Body<D> ball(double density) {
    Body<D> body;
    body.shape = sphere<D>({}, 0.1);
    body.mass = mass_properties(*body.shape, density);
    return body;
}

/// Follows the spring through air for two seconds; the largest distance from the target after one.
template <int D>
double worst_after_a_second(const Body<D>& body, const Point<D>& grab, double dt) {
    BodyState<D> state;
    Point<D> target;
    target[0] = 1;
    double worst = 0;
    for (double t = 0; t < 2; t += dt) {
        const BodyForce<D> f = spring_force(body, state, grab, target, 0, dt);
        Twist<D> impulse;
        for (int d = 0; d < D; ++d) impulse[d] = f.force[d] * dt;
        for (int k = 0; k < kSpin<D>; ++k) impulse[D + k] = f.torque[3 - kSpin<D> + k] * dt;
        apply_impulse(body, impulse, state);
        move_body(body, dt, state);
        if (t > 1) worst = std::max(worst, length(placement(body, state).apply(grab) - target));
    }
    return worst;
}

/// A box half full of water.
LiquidSetup<2> tank() {
    LiquidSetup<2> setup;
    setup.grid = {.origin = {}, .dx = 1.0 / 32, .cells = {32, 32}};
    setup.liquid.push_back(
        {.shape = box<2>({0, 0}, {1, 0.5}), .velocity = {}, .spin = {}, .centre = {}});
    setup.gravity[1] = Curve(-9.81);
    return setup;
}

}  // namespace

TEST_CASE_TEMPLATE_DEFINE("a spring brings a body to the hand, with steps up to a frame", Dim,
                          spring) {
    constexpr int D = Dim::value;
    for (const double density : {100.0, 3000.0})
        for (const double dt : {1e-3, 1.0 / 60, 1.0 / 30}) {
            CAPTURE(density);
            CAPTURE(dt);
            CHECK(worst_after_a_second(ball<D>(density), Point<D>{}, dt) < 0.03);
            Point<D> rim;
            rim[1] = 0.1;
            CHECK(worst_after_a_second(ball<D>(density), rim, dt) < 0.1);
        }
}
TEST_CASE_TEMPLATE_INVOKE(spring, std::integral_constant<int, 2>, std::integral_constant<int, 3>);

TEST_CASE("a hand pushes the water it is in, and no other") {
    LiquidSimulation<2> simulation(tank());
    simulation.touch([](LiquidSetup<2>& setup, LiquidState<2>& state) {
        push_particles(setup.grid, {0.5, 0.4}, {2, 0}, 0.1, state.particles);
    });
    const Particles<2>& p = simulation.state().particles;
    std::size_t pushed = 0;
    for (std::size_t i = 0; i < p.size(); ++i) {
        const double r =
            length(simulation.setup().grid.to_world(p.position(i)) - Point<2>{0.5, 0.4});
        CHECK((p.v[0][i] > 0) == (r < 0.1 - 1e-6));
        CHECK(p.v[0][i] <= 2);
        pushed += p.v[0][i] > 0;
    }
    CHECK(pushed > 20);
    const StepReport report = simulation.step(0.01);
    CHECK(report.accepted);
    CHECK(report.kinetic_energy > 0);
}

TEST_CASE("pouring adds water while it lasts") {
    LiquidSimulation<2> simulation(tank());
    const std::size_t before = simulation.state().particles.size();
    simulation.touch([](LiquidSetup<2>& setup, LiquidState<2>&) {
        setup.inflows.push_back(pouring<2>({0.5, 0.8}, {0, -1}, 0.06));
    });
    std::size_t emitted = 0;
    for (int i = 0; i < 8; ++i) emitted += simulation.step(0.01).emitted;
    CHECK(emitted > 40);
    simulation.touch([](LiquidSetup<2>& setup, LiquidState<2>&) { setup.inflows.clear(); });
    CHECK(simulation.step(0.01).emitted == 0);
    CHECK(simulation.state().particles.size() == before + emitted);
}

TEST_CASE("walls change between two steps") {
    LiquidSetup<2> setup = tank();
    setup.step.history = true;
    LiquidSimulation<2> simulation(setup);
    const StepReport separating = simulation.step(0.01);
    CHECK(separating.solver == "auto");
    simulation.touch(
        [](LiquidSetup<2>& s, LiquidState<2>&) { s.step.separation = Separation::Off; });
    const StepReport sticky = simulation.step(0.01);
    CHECK(sticky.solver == "linear");
    // The residual by iteration, of either kind of solver.
    for (const StepReport* r : {&separating, &sticky}) {
        REQUIRE(r->pressure.history.size() >= 2);
        CHECK(r->pressure.history.back() < 1e-4 * r->pressure.history.front());
    }
}
