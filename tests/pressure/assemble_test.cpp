#include <doctest/doctest.h>

#include "common.h"
#include "slosh/pressure/density_correction.h"
#include "slosh/pressure/fixed_problem.h"
#include "slosh/shape/csg.h"
#include "slosh/shape/primitives.h"

using namespace slosh;

namespace {
template <int D>
std::vector<Solid<D>> round_tank(double radius) {
    return {{"tank", invert<D>(sphere<D>(Point<D>::filled(0.5), radius)), {}}};
}
}  // namespace

TEST_CASE_TEMPLATE("A round tank at rest stays at rest", Dm, Dim<2>, Dim<3>) {
    constexpr int D = Dm::value;
    for (Fractions kind : {Fractions::Area, Fractions::Volume}) {
        // Closed form: u = 0 and q = g dt (level - y) / dx. Gravity alone would give u = g dt.
        const double level = 0.4371, g_dt = 0.1;
        FixedProblem<D> tank(unit_grid<D>(24), round_tank<D>(0.42), kind,
                             [&](const Point<D>& x) { return x[1] - level; });
        tank.set_velocity([&](const Point<D>&) { return unit<D, double>(1) * -g_dt; });
        Field<double, D> q;
        const SolveReport report = tank.project(1e-11, q);
        CHECK(report.converged);
        CHECK(report.pockets == 0);
        CHECK(tank.max_speed() < 2e-8);  // float rounding of 0.1 m/s
        double worst = 0;
        for (int b = 0; b < tank.blocks->size(); ++b)
            for (int o = 0; o < kBlockCells<D>; ++o)
                if (const double v = q.block(b)[o]; v != 0) {
                    const Point<D> x = tank.grid.centre(tank.blocks->first_cell(b) + local_cell<D>(o));
                    worst = std::max(worst, std::abs(v - g_dt * (level - x[1]) / tank.grid.dx));
                }
        CHECK(worst < 1e-6 * g_dt / tank.grid.dx);
    }
}

TEST_CASE_TEMPLATE("A tank without air is solved up to a constant", Dm, Dim<2>, Dim<3>) {
    constexpr int D = Dm::value;
    FixedProblem<D> tank(unit_grid<D>(24), round_tank<D>(0.42), Fractions::Area,
                         [](const Point<D>&) { return -1.0; });
    tank.set_velocity([&](const Point<D>&) { return unit<D, double>(1) * -0.1; });
    Field<double, D> q;
    const SolveReport report = tank.project(1e-10, q);
    CHECK(report.converged);
    CHECK(report.pockets >= 1);
    CHECK(tank.max_speed() < 2e-8);
}

TEST_CASE("A piston pushes exactly its flux through the open end") {
    // A horizontal channel; its left end moves in at 1 m/s, the right end is a free surface.
    const int n = 32;
    std::vector<Solid<2>> solids = {
        {"floor", half_space<2>({0, 0.25}, {0, 1}), {}},
        {"ceiling", half_space<2>({0, 0.75}, {0, -1}), {}},
        {"piston", half_space<2>({0, 0}, {1, 0}),
         Motion<2>({{0, {0.11, 0}, {}}, {1, {1.11, 0}, {}}})}};
    FixedProblem<2> channel(unit_grid<2>(n), solids, Fractions::Area,
                            [](const Point<2>& x) { return x[0] - 0.8; });
    Field<double, 2> q;
    CHECK(channel.project(1e-11, q).converged);
    // Every cross-section carries the same flux: 1 m/s times the height of the channel.
    for (int i : {6, 12, 20, 24}) {
        double flux = 0;
        for (int j = 0; j < n; ++j)
            flux += channel.solid.open.axis(0).get({i, j}) * channel.velocity.axis(0).get({i, j}) / n;
        CHECK(flux == doctest::Approx(0.5).epsilon(1e-6));
    }
}

TEST_CASE("Evenly spread particles are not displaced, crowded ones are pushed apart") {
    const auto grid = unit_grid<2>(32);
    FixedProblem<2> tank(grid, round_tank<2>(0.42), Fractions::Area,
                         [](const Point<2>& x) { return x[1] - 0.6; });
    BlockSystem<2> system = assemble_matrix(tank.phi, tank.solid);
    // The density that evenly spread liquid would have: the kernel's share of each open cell.
    Field<float, 2> density(tank.blocks);
    for (int b = 0; b < tank.blocks->size(); ++b)
        for (int o = 0; o < kBlockCells<2>; ++o) {
            const Index<2> c = tank.blocks->first_cell(b) + local_cell<2>(o);
            const float w[3] = {0.125f, 0.75f, 0.125f};
            for (int j = -1; j <= 1; ++j)
                for (int i = -1; i <= 1; ++i)
                    density.block(b)[o] += 4 * w[i + 1] * w[j + 1] *
                                           tank.solid.cell_open.get({c[0] + i, c[1] + j});
        }
    const auto largest_rhs = [&] {
        double most = 0;
        for (std::size_t i = 0; i < system.rhs.cells(); ++i)
            most = std::max(most, std::abs(system.rhs.data()[i]));
        return most;
    };
    assemble_density_rhs(density, 4.0, tank.phi, tank.solid, {}, system);
    CHECK(largest_rhs() < 1e-6);

    density.set({16, 8}, 8.0f);
    assemble_density_rhs(density, 4.0, tank.phi, tank.solid, {.strength = 0.25, .ignored = 0}, system);
    CHECK(system.rhs.get({16, 8}) == doctest::Approx(0.25 * 0.5));  // cut off at max_error
    CHECK(largest_rhs() == doctest::Approx(0.125));
}
