#include <doctest/doctest.h>

#include <cstring>

#include "common.h"
#include "slosh/base/hash.h"
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
                    const Point<D> x =
                        tank.grid.centre(tank.blocks->first_cell(b) + local_cell<D>(o));
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
    std::vector<Solid<2>> solids = {{"floor", half_space<2>({0, 0.25}, {0, 1}), {}},
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
            flux +=
                channel.solid.open.axis(0).get({i, j}) * channel.velocity.axis(0).get({i, j}) / n;
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
                    density.block(b)[o] +=
                        4 * w[i + 1] * w[j + 1] * tank.solid.cell_open.get({c[0] + i, c[1] + j});
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
    assemble_density_rhs(density, 4.0, tank.phi, tank.solid, {.strength = 0.25, .ignored = 0},
                         system);
    CHECK(system.rhs.get({16, 8}) == doctest::Approx(0.25 * 0.5));  // cut off at max_error
    CHECK(largest_rhs() == doctest::Approx(0.125));
}

TEST_CASE_TEMPLATE("Minus a gradient is what subtracting it leaves of zero", Dm, Dim<2>, Dim<3>) {
    constexpr int D = Dm::value;
    FixedProblem<D> tank(unit_grid<D>(40), round_tank<D>(0.45), Fractions::Area,
                         [](const Point<D>& x) { return x[1] - 0.7; });
    const BlockSystem<D> system = assemble_matrix(tank.phi, tank.solid);
    Field<double, D> q(tank.blocks);
    tank.for_each(
        [&](int b, int o, const Index<D>&) { q.block(b)[o] = hash_uniform(1, b, o) - 0.5; });
    subtract_gradient(system, tank.phi, tank.solid, q, tank.velocity, tank.known);
    // Leftovers must not matter.
    FaceField<float, D> u(tank.blocks, 7);
    FaceField<std::uint8_t, D> known(tank.blocks, 1);
    minus_gradient(system, tank.phi, tank.solid, q, u, known);
    for (int d = 0; d < D; ++d) {
        CHECK(std::memcmp(u.axis(d).data(), tank.velocity.axis(d).data(),
                          u.axis(d).cells() * sizeof(float)) == 0);
        CHECK(std::memcmp(known.axis(d).data(), tank.known.axis(d).data(), known.axis(d).cells()) ==
              0);
    }
}

TEST_CASE_TEMPLATE("The density error of deep liquid is that of its cells, but for gaps", Dm,
                   Dim<2>, Dim<3>) {
    constexpr int D = Dm::value;
    // Liquid deep down everywhere; blocks 1 to 4 of 6 are far from the sides.
    FixedProblem<D> tank(unit_grid<D>(48), {}, Fractions::Area,
                         [](const Point<D>&) { return -1.0; });
    BlockSystem<D> system = assemble_matrix(tank.phi, tank.solid);
    const double rest = 1 << D;
    const DensityOptions options{.strength = 0.5, .ignored = 0.1, .max_error = 0.4};
    Field<float, D> density(tank.blocks);
    tank.for_each([&](int b, int o, const Index<D>&) {
        density.block(b)[o] = static_cast<float>(2 * rest * hash_uniform(2, b, o));
    });
    // A gap at the upper end of block 1 reaches one cell into block 2.
    const Index<D> gap = Index<D>::filled(20) - unit<D>(0) * 5;
    Field<std::uint8_t, D> released(tank.blocks);
    released.set(gap, 1);
    assemble_density_rhs(density, rest, tank.phi, tank.solid, options, system, &released);
    double worst = 0;
    int drawn = 0, pushed = 0;
    for (int b = 0; b < tank.blocks->size(); ++b)
        for (int o = 0; o < kBlockCells<D>; ++o) {
            const Index<D> cell = tank.blocks->first_cell(b) + local_cell<D>(o);
            bool inside = true;
            int steps = 0;
            for (int d = 0; d < D; ++d) {
                inside &= cell[d] >= 8 && cell[d] < 40;
                steps += std::abs(cell[d] - gap[d]);
            }
            if (!inside) continue;
            double e = density.block(b)[o] / rest - 1;
            if (e < 0 && steps <= 1) e = 0;
            e = std::clamp(e, -0.4, 0.4);
            e = e > 0.1 ? e - 0.1 : e < -0.1 ? e + 0.1 : 0;
            drawn += e < 0;
            pushed += e > 0;
            worst = std::max(worst, std::abs(system.rhs.block(b)[o] - 0.5 * e));
        }
    CHECK(worst < 1e-15);
    CHECK(drawn > 100);
    CHECK(pushed > 100);
}

TEST_CASE("Displacements are cut to their limit and others left alone") {
    FixedProblem<2> tank(unit_grid<2>(16), {}, Fractions::Area,
                         [](const Point<2>&) { return -1.0; });
    FaceField<float, 2> u(tank.blocks, 0.2f);
    u.axis(0).set({3, 4}, 0.7f);
    u.axis(1).set({12, 5}, -0.3f);
    limit_displacement(0.25, u);
    CHECK(u.axis(0).get({3, 4}) == 0.25f);
    CHECK(u.axis(1).get({12, 5}) == -0.25f);
    CHECK(u.axis(0).get({12, 5}) == 0.2f);
}
