// Bodies in whole steps.
#include <doctest/doctest.h>

#include <algorithm>

#include "common.h"
#include "run.h"
#include "slosh/lcp/auto.h"
#include "slosh/rigid/mass.h"
#include "slosh/shape/primitives.h"

using namespace slosh;

namespace {

/// A tank of n cells a side, filled to `level`.
template <int D>
LiquidSetup<D> tank(int n, double level) {
    LiquidSetup<D> setup;
    setup.grid = unit_grid<D>(n);
    setup.gravity[1] = Curve(-9.81);
    Point<D> top = Point<D>::filled(2);
    top[1] = level;
    setup.liquid.push_back(
        {.shape = box<D>(Point<D>::filled(-1), top), .velocity = {}, .spin = {}, .centre = {}});
    return setup;
}

template <int D>
Point<D> middle(double height) {
    Point<D> x = Point<D>::filled(0.5);
    x[1] = height;
    return x;
}

}  // namespace

TEST_CASE_TEMPLATE("Light bodies rise, heavy ones sink, and no particle enters them", Dm, Dim<2>,
                   Dim<3>) {
    constexpr int D = Dm::value;
    for (const double density : {10.0, 100.0, 3000.0}) {
        LiquidSetup<D> setup = tank<D>(D == 2 ? 32 : 20, 0.8);
        setup.bodies.push_back(body_of<D>(sphere<D>(middle<D>(0.4), 0.15), density));
        LiquidSimulation<D> simulation(setup);
        run(simulation, 0.1);
        const BodyState<D>& now = simulation.state().bodies[0];
        CHECK((now.velocity[1] > 0) == (density < 1000));
        CHECK(std::abs(now.velocity[0]) < 0.05 * std::abs(now.velocity[1]));
        std::size_t inside = 0;
        const auto& p = simulation.state().particles;
        for (std::size_t i = 0; i < p.size(); ++i)
            inside += length(setup.grid.to_world(p.position(i)) - now.position) <
                      0.15 - 0.5 * setup.grid.dx;
        CHECK(inside == 0);
    }
}

TEST_CASE("A body released in the air falls freely, with and without liquid about") {
    for (const double level : {0.1, 0.3}) {
        LiquidSetup<2> setup = tank<2>(32, level);
        Body<2> body = body_of<2>(box<2>({0.4, 0.7}, {0.6, 0.9}), 300);
        body.start.spin = {0, 0, 1.5};
        setup.bodies.push_back(body);
        LiquidSimulation<2> simulation(setup);
        run(simulation, 0.15);
        const BodyState<2>& now = simulation.state().bodies[0];
        CHECK(now.velocity[1] == doctest::Approx(-9.81 * 0.15).epsilon(1e-9));
        CHECK(now.spin[2] == doctest::Approx(1.5).epsilon(1e-9));
    }
}

TEST_CASE("Locked bodies do not move along what is locked") {
    LiquidSetup<2> setup = tank<2>(32, 0.6);
    Body<2> body = body_of<2>(box<2>({0.25, 0.3}, {0.5, 0.5}), 200);
    body.locked[1] = body.locked[2] = true;
    setup.bodies.push_back(body);
    LiquidSimulation<2> simulation(setup);
    run(simulation, 0.1);
    CHECK(simulation.state().bodies[0].position[1] == body.start.position[1]);
    CHECK(simulation.state().bodies[0].rotation.row[0][0] == 1);
}

TEST_CASE("Steps as long as a frame are stable for densities from 0.01 to 100") {
    for (const double density : {10.0, 1000.0, 100000.0}) {
        LiquidSetup<2> setup = tank<2>(24, 0.6);
        setup.step.cfl = 50;
        setup.bodies.push_back(body_of<2>(box<2>({0.35, 0.5}, {0.65, 0.7}), density));
        LiquidSimulation<2> simulation(setup);
        double energy = 0, start = 0;
        for (int frame = 0; frame < 60; ++frame) {
            double left = 1.0 / 30;
            while (left > 1e-9) {
                const StepReport r = simulation.step(left);
                left -= r.dt;
                energy = r.kinetic_energy + r.potential_energy + r.body_kinetic_energy +
                         r.body_potential_energy;
                if (start == 0) start = energy;
            }
            REQUIRE(length(simulation.state().bodies[0].velocity) < 10);
        }
        CHECK(energy < start * 1.001);
    }
}

TEST_CASE("Bodies give the same bits on any number of threads and after a restart") {
    std::uint64_t hash[3];
    for (int i = 0; i < 3; ++i) {
        set_threads(i == 1 ? 1 : 2);
        LiquidSetup<3> setup = tank<3>(20, 0.5);
        setup.bodies.push_back(body_of<3>(box<3>({0.2, 0.35, 0.3}, {0.45, 0.6, 0.6}), 300));
        setup.bodies.push_back(body_of<3>(sphere<3>({0.6, 0.2, 0.5}, 0.13), 2500));
        setup.bodies.push_back(body_of<3>(sphere<3>({0.3, 0.75, 0.45}, 0.12), 500));
        LiquidSimulation<3> simulation(setup);
        run(simulation, 1.0 / 30);
        if (i == 2) {  // go on in another simulation
            LiquidSimulation<3> other(setup);
            other.restore(simulation.state());
            run(other, 2.0 / 30);
            hash[i] = hash_of(other.state());
        } else {
            run(simulation, 2.0 / 30);
            hash[i] = hash_of(simulation.state());
        }
    }
    set_threads(0);
    CHECK(hash[0] == hash[1]);
    CHECK(hash[0] == hash[2]);
}

TEST_CASE("A plug in a closed tube holds the water above it") {
    LiquidSetup<2> setup = tank<2>(32, 0.36);
    setup.liquid.push_back(
        {.shape = box<2>({0, 0.5}, {1, 0.8}), .velocity = {}, .spin = {}, .centre = {}});
    Body<2> plug = body_of<2>(box<2>({-0.05, 0.36}, {1.05, 0.5}), 2500);
    plug.locked[0] = plug.locked[2] = true;
    plug.friction = 0;
    setup.bodies.push_back(plug);
    LiquidSimulation<2> simulation(setup);
    const auto above = [&] {
        std::vector<std::uint32_t> ids;
        const auto& p = simulation.state().particles;
        const double y = simulation.state().bodies[0].position[1];
        for (std::size_t i = 0; i < p.size(); ++i)
            if (setup.grid.to_world(p.position(i))[1] > y) ids.push_back(p.id[i]);
        std::sort(ids.begin(), ids.end());
        return ids;
    };
    const auto before = above();
    CHECK(before.size() > 1000);
    run(simulation, 0.5);
    CHECK(above() == before);  // not one has passed, either way
    CHECK(simulation.state().bodies[0].position[1] ==
          doctest::Approx(plug.start.position[1]).epsilon(0.03));
}

TEST_CASE("A piston on a box full of liquid is noticed, and the solve goes on") {
    // A scripted wall comes down on liquid that fills the box below it.
    LiquidSetup<2> setup = tank<2>(24, 0.75);
    setup.step.separation = Separation::Off;
    setup.solids.push_back({"piston", box<2>({-0.1, 0}, {1.1, 0.5}),
                            Motion<2>({{0, {0, 0.75}, {}}, {1, {0, 0.65}, {}}}, false)});
    LiquidSimulation<2> simulation(setup);
    const StepReport r = simulation.step(0.01);
    CHECK(r.accepted);
    CHECK(r.pressure.pockets == 1);
    // It sweeps its width times its speed, and all of that is lost.
    CHECK(r.squeezed == doctest::Approx(1 * 0.1).epsilon(0.01));
    CHECK(simulation.step(0.01).max_speed < 1);  // as the first step left it

    // With a body in the place of the wall the liquid carries it, and nothing is lost.
    LiquidSetup<2> free = tank<2>(24, 0.75);
    Body<2> lid = body_of<2>(box<2>({-0.1, 0.75}, {1.1, 0.9}), 3000);
    lid.locked[0] = lid.locked[2] = true;
    free.bodies.push_back(lid);
    LiquidSimulation<2> carried(free);
    CHECK(carried.step(0.01).squeezed == 0);
    CHECK(std::abs(carried.state().bodies[0].velocity[1]) < 1e-5);
}

TEST_CASE("Liquid passes a sinking box through gaps of half a cell, and none is crushed") {
    const double dx = 0.04;
    LiquidSetup<2> setup;
    setup.grid = {.origin = {}, .dx = dx, .cells = {11, 32}};
    setup.gravity[1] = Curve(-9.81);
    setup.liquid.push_back(
        {.shape = box<2>({-1, -1}, {1, 1.1}), .velocity = {}, .spin = {}, .centre = {}});
    setup.bodies.push_back(body_of<2>(box<2>({0.5 * dx, 0.5}, {10.5 * dx, 0.9}), 1800));
    LiquidSimulation<2> simulation(setup);
    double first = 0, last = 0;
    for (int frame = 0; frame < 30; ++frame) {
        const StepReport r = simulation.step(1.0 / 60);
        if (first == 0) first = r.volume;
        last = r.volume;
    }
    CHECK(simulation.state().bodies[0].position[1] < 0.7 - dx);  // it has sunk
    CHECK(last == doctest::Approx(first).epsilon(0.03));
}

TEST_CASE("A body a hundred times lighter than the liquid costs few cycles") {
    LiquidSetup<3> setup = tank<3>(32, 0.9);
    setup.liquid[0].spin = {0.5, 2, 0.3};
    setup.liquid[0].centre = {0.5, 0.4, 0.5};
    setup.bodies.push_back(body_of<3>(sphere<3>({0.45, 0.4, 0.55}, 0.15), 10));
    const BlockLcp<3> lcp = LiquidSimulation<3>(setup).pressure_problem(0.01);
    Field<double, 3> q(lcp.system.blocks);
    Field<std::uint8_t, 3> active(lcp.system.blocks);
    const LcpReport report = solve_auto(lcp, {.tolerance = 1e-6}, q, active);
    CHECK(report.converged);
    CHECK(report.iterations <= 20);
    const std::size_t cells = lcp.system.rhs.cells();
    double largest = 0;
    for (std::size_t i = 0; i < cells; ++i)
        largest = std::max(largest, std::abs(lcp.system.rhs.data()[i]));
    CHECK(natural_residual(lcp, q) <= 1e-6 * largest);
}
