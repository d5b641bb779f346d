// Bodies in the multigrid cycle: a term F F^T that the cycle must know.
#include "slosh/linear/cycle_bodies.h"

#include <doctest/doctest.h>

#include <utility>

#include "common.h"
#include "linear/problems.h"
#include "linear/split_vectors.h"
#include "slosh/base/parallel.h"
#include "slosh/linear/light_bodies.h"
#include "slosh/linear/multigrid.h"

using namespace slosh;

namespace {

/// Balls in the liquid: F of a ball of `lightness` times the liquid's mass it displaces. Faces that
/// a ball cuts are left open in A, which makes no difference to what is tested.
template <int D>
LowRank<D> balls(const BlockSystem<D>& s, double dx, double radius, double lightness,
                 const std::vector<Point<D>>& centres) {
    LowRank<D> F;
    F.lightness = lightness;
    const double volume = D == 3 ? 4.19 * radius * radius * radius : 3.14 * radius * radius;
    // dt/rho of the system, from the coefficient of an open face: dt/(rho dx^2) in units of volume
    float open = 0;
    for (int b = 0; b < s.blocks->size(); ++b)
        for (int o = 0; o < kBlockCells<D>; ++o)
            open = std::max(open, s.coefficient.axis(0).block(b)[o]);
    // A face of area dx^(D-1) in direction n: p n dx^(D-1) is a force; per mass, and back as a
    // flux.
    const double scale = std::sqrt(open * lightness * std::pow(dx, D) / volume);
    for (const Point<D>& centre : centres) {
        for (int b = 0; b < s.blocks->size(); ++b)
            for (int o = 0; o < kBlockCells<D>; ++o) {
                if (!s.unknown.block(b)[o]) continue;
                const Index<D> c = local_cell<D>(o), at = s.blocks->coord(b);
                Point<D> p;
                double r2 = 0;
                for (int d = 0; d < D; ++d) {
                    p[d] = (kSide * at[d] + c[d] + 0.5) * dx - centre[d];
                    r2 += p[d] * p[d];
                }
                if (std::abs(std::sqrt(r2) - radius) > 0.5 * dx) continue;
                typename LowRank<D>::Entry e{b, o, {}};
                for (int d = 0; d < D; ++d) e.f[d] = scale * p[d] / std::sqrt(r2);
                F.entries.push_back(e);
            }
        F.first.push_back(F.entries.size());
    }
    return F;
}

template <int D>
std::vector<Point<D>> some_places() {
    std::vector<Point<D>> list;
    for (int i = 0; i < 4; ++i) {
        Point<D> c = Point<D>::filled(0.42);
        c[0] += 0.16 * (i % 2);
        c[D - 1] -= 0.16 * (i / 2);
        list.push_back(c);
    }
    return list;
}

}  // namespace

TEST_CASE_TEMPLATE("A cycle that knows bodies is symmetric and positive, and leaves b alone", Dm,
                   Dim<2>, Dim<3>) {
    constexpr int D = Dm::value;
    const int n = D == 2 ? 96 : 40;
    const auto s = test::sphere_system<D>(n);
    for (const double lightness : {0.1, 1.0, 10.0, 100.0}) {
        Multigrid<D> mg(s);
        const LowRank<D> F = balls<D>(s, 1.0 / n, 0.07, lightness, some_places<D>());
        REQUIRE(F.entries.size() > 20);
        mg.set_bodies(F);
        auto f = test::random_vector(s, 1), g = test::random_vector(s, 2);
        const auto before = test::random_vector(s, 1);
        SplitField<D> Mf(s.blocks->size()), Mg(s.blocks->size());
        const double ff = mg.cycle(f, Mf), gg = mg.cycle(g, Mg);
        CHECK(ff > 0);
        CHECK(gg > 0);
        CHECK(ff == doctest::Approx(test::dot(s, f, Mf)).epsilon(1e-5));
        CHECK(std::abs(test::dot(s, f, Mg) - test::dot(s, g, Mf)) < 4e-6 * std::sqrt(ff * gg));
        bool same = true;
        for (int b = 0; b < s.blocks->size(); ++b)
            for (int o = 0; o < kBlockCells<D>; ++o)
                same &= split_place<D>(b, o).in(f) == split_place<D>(b, o).in(before);
        CHECK(same);
    }
}

TEST_CASE_TEMPLATE("Light bodies around a cycle leave it symmetric and positive, and r alone", Dm,
                   Dim<2>, Dim<3>) {
    constexpr int D = Dm::value;
    const int n = D == 2 ? 96 : 40;
    const auto s = test::sphere_system<D>(n);
    Multigrid<D> mg(s);
    // Two of the balls share cells.
    auto places = some_places<D>();
    places[1] = places[0];
    places[1][0] += 1.5 / n;
    const LowRank<D> F = balls<D>(s, 1.0 / n, 0.07, 100, places);
    mg.set_bodies(F);
    LightBodies<D> light(mg.bodies()->finest(), mg.finest());
    Field<std::uint8_t, D> active(s.blocks);
    for (std::size_t i = 0; i < F.entries.size(); i += 7)
        active.block(F.entries[i].block)[F.entries[i].offset] = 1;
    for (const auto* at_bound :
         {static_cast<const Field<std::uint8_t, D>*>(nullptr), &std::as_const(active)}) {
        light.build(at_bound);
        auto f = test::random_vector(s, 1), g = test::random_vector(s, 2);
        const auto before = test::random_vector(s, 1);
        SplitField<D> Mf(s.blocks->size()), Mg(s.blocks->size());
        const auto apply = [&](SplitField<D>& r, SplitField<D>& z) {
            light.begin(r);
            const double rz = mg.cycle(r, z);
            return rz + light.end(r, z);
        };
        const double ff = apply(f, Mf), gg = apply(g, Mg);
        CHECK(ff > 0);
        CHECK(ff == doctest::Approx(test::dot(s, f, Mf)).epsilon(1e-4));
        CHECK(std::abs(test::dot(s, f, Mg) - test::dot(s, g, Mf)) < 1e-4 * std::sqrt(ff * gg));
        bool same = true;
        for (int b = 0; b < s.blocks->size(); ++b)
            for (int o = 0; o < kBlockCells<D>; ++o)
                same &= split_place<D>(b, o).in(f) == split_place<D>(b, o).in(before);
        CHECK(same);
    }
}

TEST_CASE_TEMPLATE("Bodies cost conjugate gradients hardly an iteration", Dm, Dim<2>, Dim<3>) {
    constexpr int D = Dm::value;
    const int n = D == 2 ? 96 : 40;
    auto s = test::sphere_system<D>(n);
    Field<double, D> x(s.blocks);
    const SolveReport without = solve_multigrid<D>(s, {.tolerance = 1e-8}, x);
    REQUIRE(without.converged);
    const double most[] = {1.15, 1.15, 1.5, 2};
    int i = 0;
    for (const double lightness : {0.1, 1.0, 10.0, 100.0}) {
        CAPTURE(lightness);
        s.bodies =
            std::make_shared<LowRank<D>>(balls<D>(s, 1.0 / n, 0.07, lightness, some_places<D>()));
        Field<double, D> y(s.blocks);
        const SolveReport with = solve_multigrid<D>(s, {.tolerance = 1e-8}, y);
        CHECK(with.converged);
        CHECK(with.iterations <= most[i++] * without.iterations);
    }
}

TEST_CASE("A light body that touches no liquid changes nothing") {
    auto s = test::sphere_system<2>(64);
    Field<double, 2> alone(s.blocks), x(s.blocks);
    const SolveReport without = solve_multigrid<2>(s, {.tolerance = 1e-8}, alone);
    LowRank<2> F;
    F.lightness = 100;
    F.first.push_back(0);
    s.bodies = std::make_shared<LowRank<2>>(F);
    const SolveReport with = solve_multigrid<2>(s, {.tolerance = 1e-8}, x);
    CHECK(with.converged);
    CHECK(with.iterations == without.iterations);
}

TEST_CASE("Both solvers give the same pressure with many bodies, on any number of threads") {
    const int n = 40;
    auto s = test::sphere_system<3>(n);
    std::vector<Point<3>> centres;
    for (int i = 0; i < 12; ++i)
        centres.push_back({0.34 + 0.16 * (i % 3), 0.3 + 0.16 * (i / 6), 0.42 + 0.16 * (i / 3 % 2)});
    s.bodies = std::make_shared<LowRank<3>>(balls<3>(s, 1.0 / n, 0.07, 10, centres));
    Field<double, 3> p[2][2] = {{Field<double, 3>(s.blocks), Field<double, 3>(s.blocks)},
                                {Field<double, 3>(s.blocks), Field<double, 3>(s.blocks)}};
    for (int t : {0, 1}) {
        set_threads(t + 1);
        CHECK(solve_mic<3>(s, {.tolerance = 1e-9, .max_iterations = 1000}, p[t][0]).converged);
        CHECK(solve_multigrid<3>(s, {.tolerance = 1e-9}, p[t][1]).converged);
    }
    set_threads(0);
    double largest = 0, apart = 0;
    std::size_t changed = 0;
    for (std::size_t i = 0; i < p[0][0].cells(); ++i) {
        largest = std::max(largest, std::abs(p[0][0].data()[i]));
        apart = std::max(apart, std::abs(p[0][0].data()[i] - p[0][1].data()[i]));
        for (int k : {0, 1}) changed += p[0][k].data()[i] != p[1][k].data()[i];
    }
    CHECK(apart < 1e-6 * largest);
    CHECK(changed == 0);
}
