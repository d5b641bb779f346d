// Viscous liquid in whole steps.
#include <doctest/doctest.h>

#include "common.h"
#include "run.h"
#include "slosh/base/parallel.h"
#include "slosh/rigid/mass.h"
#include "slosh/shape/primitives.h"

using namespace slosh;

namespace {

template <int D>
InitialLiquid<D> liquid_in(ShapePtr<D> shape, double viscosity = kSceneViscosity) {
    InitialLiquid<D> liquid;
    liquid.shape = std::move(shape);
    liquid.viscosity = viscosity;
    return liquid;
}

LiquidSetup<2> pool(int n, double viscosity) {
    LiquidSetup<2> setup;
    setup.grid = unit_grid<2>(n);
    setup.gravity[1] = Curve(-9.81);
    setup.viscosity = viscosity;
    return setup;
}

/// Furthest particle along x. m
double front(const LiquidSimulation<2>& simulation) {
    float most = 0;
    for (const float x : simulation.state().particles.x[0]) most = std::max(most, x);
    return most * simulation.setup().grid.dx;
}

}  // namespace

TEST_CASE("A column slumps the slower the more viscous it is") {
    double last = 1e30;
    for (const double viscosity : {0.0, 10.0, 100.0, 1e4, 1e8}) {
        LiquidSetup<2> setup = pool(32, viscosity);
        setup.liquid = {liquid_in<2>(box<2>({-1, -1}, {0.3, 0.5}))};
        LiquidSimulation<2> simulation(setup);
        run(simulation, 0.3);
        CHECK(front(simulation) < last);
        last = front(simulation);
    }
    CHECK(last < 0.3 + 1.5 / 32);  // 1e8 creeps by a cell (docs/viscosity.md)
}

TEST_CASE("Liquid glides along walls of large slip length and sticks to others") {
    const auto fallen = [](double slip) {
        LiquidSetup<2> setup = pool(32, 1e4);
        setup.step.slip_length = slip;
        setup.liquid = {liquid_in<2>(box<2>({-1, 0.5}, {2, 0.8}))};  // a plug between the sides
        LiquidSimulation<2> simulation(setup);
        run(simulation, 0.1);
        double sum = 0;
        const auto& p = simulation.state().particles;
        for (const float v : p.v[1]) sum += v;
        return -sum / static_cast<double>(p.size());
    };
    CHECK(fallen(1e30) == doctest::Approx(0.981).epsilon(0.02));
    CHECK(fallen(0) < 0.5 * fallen(1e30));
    CHECK(fallen(0) < fallen(0.1));
    CHECK(fallen(0.1) < fallen(1e30));
}

TEST_CASE("Liquids of several viscosities run the same on any number of threads and after a cut") {
    LiquidSetup<2> setup = pool(32, 1);
    setup.liquid = {liquid_in<2>(box<2>({-1, -1}, {0.5, 0.4}), 1e-1),
                    liquid_in<2>(box<2>({0.5, -1}, {2, 0.4}), 1e4)};
    Inflow<2> inflow;
    inflow.shape = box<2>({0.4, 0.8}, {0.6, 0.9});
    inflow.velocity[1] = Curve(-1);
    inflow.viscosity = 10;
    setup.inflows = {inflow};
    setup.bodies = {body_of<2>(sphere<2>({0.3, 0.55}, 0.1), 800)};
    const auto result = [&](int threads, bool cut) {
        set_threads(threads);
        LiquidSimulation<2> simulation(setup);
        run(simulation, 0.05);
        if (cut) {
            LiquidSimulation<2> other(setup);
            other.restore(simulation.state());
            run(other, 0.05);
            return hash_of(other.state());
        }
        run(simulation, 0.05);
        return hash_of(simulation.state());
    };
    const std::uint64_t one = result(1, false);
    CHECK(one == result(2, false));
    CHECK(one == result(2, true));
    set_threads(0);
}

TEST_CASE("Viscous stress between a free blob and the body in it keeps momentum") {
    LiquidSetup<2> setup = pool(40, 1000);
    setup.gravity[1] = Curve(0);
    setup.liquid = {liquid_in<2>(sphere<2>({0.5, 0.5}, 0.3))};
    Body<2> ball = body_of<2>(sphere<2>({0.45, 0.5}, 0.1), 4000);
    ball.start.velocity = {1, 0.5};
    ball.start.spin = {0, 0, 3};
    setup.bodies = {ball};
    LiquidSimulation<2> simulation(setup);
    const auto momentum = [&] {
        const auto& p = simulation.state().particles;
        const double mass = setup.density * setup.grid.dx * setup.grid.dx / 4;
        Point<2> sum = simulation.state().bodies[0].velocity * ball.mass.mass;
        for (std::size_t i = 0; i < p.size(); ++i) sum += p.velocity(i) * mass;
        return sum;
    };
    const Point<2> before = momentum();
    run(simulation, 0.1);
    const Point<2> after = momentum();
    CHECK(length(after - before) < 1e-3 * length(before));
    // Thick liquid takes the body's motion at once: they go on as one.
    const auto& p = simulation.state().particles;
    Point<2> mean;
    for (std::size_t i = 0; i < p.size(); ++i) mean += p.velocity(i) / double(p.size());
    CHECK(length(simulation.state().bodies[0].velocity - mean) < 0.3 * length(mean));
}

TEST_CASE("A hinged body turns and does nothing else; a locked one stays") {
    LiquidSetup<2> setup = pool(32, 100);
    setup.liquid = {liquid_in<2>(box<2>({-1, -1}, {0.5, 0.7}))};
    Body<2> paddle = body_of<2>(box<2>({0.45, 0.2}, {0.5, 0.45}), 1000);
    paddle.joint.kind = JointKind::Hinge;
    paddle.joint.at = {0.475, 0.2};
    Body<2> fixed = body_of<2>(sphere<2>({0.2, 0.3}, 0.08), 1000);
    for (bool& lock : fixed.locked) lock = true;
    setup.bodies = {paddle, fixed};
    LiquidSimulation<2> simulation(setup);
    run(simulation, 0.1);
    const auto& bodies = simulation.state().bodies;
    CHECK(bodies[0].spin[2] < -0.01);  // the column pushes it over
    CHECK(length(bodies[0].position - Point<2>{0.475, 0.2}) ==
          doctest::Approx(0.125).epsilon(1e-3));
    CHECK(length(bodies[1].velocity) == 0);
    CHECK(bodies[1].spin[2] == 0);
}
