// Gas in whole steps.
#include <doctest/doctest.h>

#include <cmath>
#include <numeric>

#include "common.h"
#include "run.h"
#include "slosh/base/error.h"
#include "slosh/base/parallel.h"
#include "slosh/rigid/mass.h"
#include "slosh/shape/csg.h"
#include "slosh/shape/primitives.h"

using namespace slosh;

namespace {

constexpr double kGravity = 9.81;

/// A closed box of gas without sources.
template <int D>
LiquidSetup<D> room(const Index<D>& cells, double dx) {
    LiquidSetup<D> setup;
    setup.grid = {.origin = {}, .dx = dx, .cells = cells};
    setup.gravity[1] = Curve(-kGravity);
    setup.density = 1.2;
    setup.step.separation = Separation::Off;
    setup.step.affine_time = 1e30;
    setup.gas.emplace();
    return setup;
}

template <int D>
GasSource<D> source(ShapePtr<D> shape, double temperature, double end = 1e30) {
    GasSource<D> s;
    s.shape = std::move(shape);
    s.temperature = temperature;
    s.end = end;
    return s;
}

template <int D>
double fastest(const Particles<D>& p) {
    double most = 0;
    for (std::size_t i = 0; i < p.size(); ++i) most = std::max(most, length(p.velocity(i)));
    return most;
}

template <int D>
double smoke_on_particles(const Particles<D>& p) {
    return std::accumulate(p.smoke.begin(), p.smoke.end(), 0.0);
}

/// Over the grid of a frame, in cells.
template <int D>
double smoke_on_grid(const LiquidFrame<D>& frame) {
    double sum = 0;
    for (int b = 0; b < frame.smoke.blocks().size(); ++b)
        for (int o = 0; o < kBlockCells<D>; ++o) sum += frame.smoke.block(b)[o];
    return sum;
}

/// A plume beside the axle of a cross that can only spin about z.
template <int D>
LiquidSetup<D> paddle(double plume_x) {
    Index<D> cells = Index<D>::filled(16);
    cells[0] = cells[1] = 32;
    LiquidSetup<D> setup = room<D>(cells, 1.0 / 32);
    Point<D> fire = setup.grid.upper() * 0.5;
    fire[0] = plume_x;
    fire[1] = 0.12;
    setup.gas->sources.push_back(source<D>(sphere<D>(fire, 0.1), 500));
    const auto bar = [&](double wide, double high) {
        Point<D> lo = setup.grid.upper() * 0.5, hi = lo;
        for (int d = 0; d < D; ++d) {
            const double half = d == 0 ? wide : d == 1 ? high : 0.15;
            lo[d] -= half;
            hi[d] += half;
        }
        return box<D>(lo, hi);
    };
    Body<D> wheel = body_of<D>(unite<D>({bar(0.25, 0.05), bar(0.05, 0.25)}), 4);
    for (int k = 0; k < kFreedoms<D>; ++k) wheel.locked[k] = k != kFreedoms<D> - 1;
    setup.bodies.push_back(wheel);
    return setup;
}

}  // namespace

TEST_CASE_TEMPLATE("Gas of one temperature stays at rest, whatever that is", Dm, Dim<2>, Dim<3>) {
    constexpr int D = Dm::value;
    LiquidSetup<D> setup = room<D>(Index<D>::filled(20), 0.05);
    setup.solids.push_back({"ball", sphere<D>(Point<D>::filled(0.43), 0.2), {}, {}});
    setup.gas->sources.push_back(source<D>(box<D>(Point<D>::filled(-1), Point<D>::filled(2)), 400));
    LiquidSimulation<D> simulation(setup);
    run(simulation, 0.2);
    // The lift of 107 K is 3.6 m/s^2; the solver leaves a millionth of what it has to balance.
    CHECK(fastest(simulation.state().particles) < 1e-5);
    const StepReport report = simulation.step(0.01);
    CHECK(report.volume ==
          doctest::Approx(D == 2 ? 1 - M_PI * 0.04 : 1 - 4 * M_PI / 3 * 0.008).epsilon(0.01));
}

TEST_CASE_TEMPLATE("A body as dense as the gas floats in it; a heavier one falls", Dm, Dim<2>,
                   Dim<3>) {
    constexpr int D = Dm::value;
    for (const double density : {1.2, 12.0}) {
        LiquidSetup<D> setup = room<D>(Index<D>::filled(20), 0.05);
        setup.bodies.push_back(body_of<D>(sphere<D>(Point<D>::filled(0.52), 0.17), density));
        LiquidSimulation<D> simulation(setup);
        run(simulation, 0.05);
        const double v = simulation.state().bodies[0].velocity[1];
        if (density == 1.2) {
            CHECK(std::abs(v) < 1e-6);
        } else {
            // Added mass of a disc is the gas' it displaces, of a ball half of that; walls add
            // some.
            const double added = D == 2 ? 1.2 : 0.6;
            const double free = -kGravity * (density - 1.2) / (density + added) * 0.05;
            CHECK(v == doctest::Approx(free).epsilon(0.05));
        }
    }
}

TEST_CASE_TEMPLATE("Hot and cold columns of a tall room start with half the lift", Dm, Dim<2>,
                   Dim<3>) {
    // Far from the ends flow is along the columns, pressure the same across them, and as much goes
    // up as down: the lift a of the hot half is shared out as a/2 up and a/2 down. The ends are
    // felt by exp(-pi h/w), h being the distance to them and w the width.
    constexpr int D = Dm::value;
    Index<D> cells = Index<D>::filled(8);
    cells[0] = 16, cells[1] = 96;
    LiquidSetup<D> setup = room<D>(cells, 1.0 / 16);
    Point<D> half = setup.grid.upper();
    half[0] = 0.5;
    setup.gas->sources.push_back(source<D>(box<D>(Point<D>::filled(-1), half), 393));
    setup.gas->sources[0].smoke = 0;
    setup.gas->smoke_weight = 0.5;
    LiquidSimulation<D> simulation(setup);
    const double dt = 1e-3;
    REQUIRE(simulation.step(dt).dt == dt);
    const double expected = 0.5 * kGravity * 100 / 293 * dt;
    const Particles<D>& p = simulation.state().particles;
    double worst = 0;
    for (std::size_t i = 0; i < p.size(); ++i) {
        const bool middle = std::abs(p.x[1][i] - 48) < 8;
        if (!middle || std::abs(p.x[0][i] - 8) < 2) continue;  // the edge of the columns is blurred
        const double want = p.x[0][i] < 8 ? expected : -expected;
        worst = std::max(worst, std::abs(p.v[1][i] - want));
    }
    CHECK(worst < 0.03 * expected);  // the blurred edge is not quite symmetric
}

TEST_CASE("Smoke that weighs as much as heat lifts does not move") {
    LiquidSetup<2> setup = room<2>({24, 24}, 1.0 / 24);
    setup.gas->smoke_weight = 100.0 / 293;
    setup.gas->sources.push_back(source<2>(sphere<2>({0.5, 0.4}, 0.2), 393));
    LiquidSimulation<2> simulation(setup);
    run(simulation, 0.1);
    CHECK(fastest(simulation.state().particles) < 1e-5);
    // More smoke, and it sinks.
    setup.gas->sources[0].smoke = 2;
    LiquidSimulation<2> heavy(setup);
    run(heavy, 0.1);
    double momentum = 0;
    const auto& p = heavy.state().particles;
    for (std::size_t i = 0; i < p.size(); ++i) momentum += p.v[1][i] * p.smoke[i];
    CHECK(momentum < 0);
}

TEST_CASE_TEMPLATE("A puff rises, straight, and no smoke is lost", Dm, Dim<2>, Dim<3>) {
    constexpr int D = Dm::value;
    Index<D> cells = Index<D>::filled(D == 2 ? 48 : 24);
    LiquidSetup<D> setup = room<D>(cells, 1.0 / cells[0]);
    Point<D> low = Point<D>::filled(0.5);
    low[1] = 0.3;
    setup.gas->sources.push_back(source<D>(sphere<D>(low, 0.15), 393, 1e-9));
    LiquidSimulation<D> simulation(setup);
    const double before = smoke_on_particles(simulation.state().particles);
    const double shown = smoke_on_grid(simulation.frame());
    run(simulation, 0.6);
    const Particles<D>& p = simulation.state().particles;
    CHECK(smoke_on_particles(p) == doctest::Approx(before).epsilon(1e-12));
    CHECK(smoke_on_grid(simulation.frame()) == doctest::Approx(shown).epsilon(0.05));
    Point<D> centre;
    for (std::size_t i = 0; i < p.size(); ++i)
        centre += setup.grid.to_world(p.position(i)) * (p.smoke[i] / before);
    CHECK(centre[1] > 0.4);
    CHECK(centre[0] == doctest::Approx(0.5).epsilon(0.04));
}

TEST_CASE("A stirred room keeps its particles spread, with and without density correction") {
    for (const bool correct : {true, false}) {
        CAPTURE(correct);
        LiquidSetup<2> setup = room<2>({40, 40}, 1.0 / 40);
        setup.step.position_correction =
            correct ? PositionCorrection::Grid : PositionCorrection::Off;
        setup.gas->sources.push_back(source<2>(sphere<2>({0.4, 0.2}, 0.1), 500));
        LiquidSimulation<2> simulation(setup);
        run(simulation, 6);
        std::vector<int> count(40 * 40);
        const auto& p = simulation.state().particles;
        for (std::size_t i = 0; i < p.size(); ++i) ++count[int(p.x[1][i]) * 40 + int(p.x[0][i])];
        double variance = 0;
        for (int n : count) variance += (n - 4.0) * (n - 4.0) / 1600;
        // Particles thrown at random would have a variance of 4.
        CHECK(variance < (correct ? 3.0 : 6.0));
        CHECK(double(std::count(count.begin(), count.end(), 0)) < (correct ? 32 : 128));
    }
}

TEST_CASE_TEMPLATE("A plume turns the paddle by the side it rises on", Dm, Dim<2>, Dim<3>) {
    constexpr int D = Dm::value;
    double spin[2];
    for (const int right : {0, 1}) {
        LiquidSimulation<D> simulation(paddle<D>(right ? 0.7 : 0.3));
        run(simulation, D == 2 ? 1.0 : 0.8);
        spin[right] = simulation.state().bodies[0].spin[2];
    }
    CHECK(spin[0] < -0.2);  // up on the left: clockwise
    CHECK(spin[1] > 0.2);
}

TEST_CASE_TEMPLATE("Gas gives the same bits on one thread and on two, and after a restart", Dm,
                   Dim<2>, Dim<3>) {
    constexpr int D = Dm::value;
    std::uint64_t hash[2];
    LiquidState<D> middle;
    for (const int n : {1, 2}) {
        set_threads(n);
        LiquidSimulation<D> simulation(paddle<D>(0.3));
        run(simulation, 0.2);
        middle = simulation.state();
        run(simulation, 0.1);
        hash[n - 1] = hash_of(simulation.state());
    }
    set_threads(0);
    CHECK(hash[0] == hash[1]);
    LiquidSimulation<D> resumed(paddle<D>(0.3));
    resumed.restore(middle);
    run(resumed, 0.1);
    CHECK(hash_of(resumed.state()) == hash[0]);
}

TEST_CASE_TEMPLATE("Gas that leaves through an open side is replaced by what comes in", Dm, Dim<2>,
                   Dim<3>) {
    constexpr int D = Dm::value;
    Index<D> cells = Index<D>::filled(16);
    LiquidSetup<D> setup = room<D>(cells, 1.0 / 16);
    setup.open_side[2] = setup.open_side[3] = true;  // floor and ceiling
    setup.gas->sources.push_back(source<D>(sphere<D>(Point<D>::filled(0.5), 0.2), 393));
    LiquidSimulation<D> simulation(setup);
    run(simulation, 1.5);
    const Particles<D>& p = simulation.state().particles;
    CHECK(simulation.state().drained > p.size() / 8);  // it does flow
    std::size_t all = 1;
    for (int d = 0; d < D; ++d) all *= 16;
    std::vector<int> count(all);
    for (std::size_t i = 0; i < p.size(); ++i) {
        std::size_t at = 0;
        for (int d = 0; d < D; ++d) at = at * 16 + std::min(15, int(p.x[d][i]));
        ++count[at];
    }
    CHECK(double(std::count(count.begin(), count.end(), 0)) < 0.01 * double(all));
    double up = 0;
    for (std::size_t i = 0; i < p.size(); ++i) up += p.v[1][i];
    CHECK(up > 0);
}

TEST_CASE("FLIP gas rises as APIC gas does") {
    double height[2];
    for (const int flip : {0, 1}) {
        LiquidSetup<2> setup = room<2>({32, 32}, 1.0 / 32);
        if (flip) setup.step.transfer = Transfer::Flip;
        setup.gas->sources.push_back(source<2>(sphere<2>({0.5, 0.3}, 0.15), 393, 1e-9));
        LiquidSimulation<2> simulation(setup);
        run(simulation, 0.4);
        const auto& p = simulation.state().particles;
        double sum = 0;
        for (std::size_t i = 0; i < p.size(); ++i) sum += p.smoke[i] * p.x[1][i];
        height[flip] = sum / smoke_on_particles(p) / 32;
    }
    CHECK(height[0] > 0.4);
    CHECK(height[1] == doctest::Approx(height[0]).epsilon(0.05));
}

TEST_CASE("What gas cannot do is refused") {
    LiquidSetup<2> setup = room<2>({16, 16}, 1.0 / 16);
    setup.step.separation = Separation::Cell;
    CHECK_THROWS_AS(LiquidSimulation<2>{setup}, InputError);
    setup.step.separation = Separation::Off;
    setup.liquid.push_back({sphere<2>({0.5, 0.5}, 0.2), {}, {}, {}});
    CHECK_THROWS_AS(LiquidSimulation<2>{setup}, InputError);
    setup.liquid.clear();
    setup.solids.push_back({"all", box<2>({-1, -1}, {2, 2}), {}, {}});
    CHECK_THROWS_AS(LiquidSimulation<2>{setup}, InputError);
}
