#include "slosh/particles/move.h"

#include <doctest/doctest.h>

#include <limits>

#include "particles/cloud.h"
#include "slosh/grid/interpolate.h"

using namespace slosh;

namespace {

/// Rotation about the origin (in the plane of the first two axes) by one radian per second.
template <int D>
Point<D> rotation(const Point<D>& x) {
    Point<D> u;
    u[0] = -x[1];
    u[1] = x[0];
    return u;
}

/// Largest distance from the exact place after one radian in `steps` steps.
template <int D>
double rotation_error(int order, int steps) {
    auto grid = cube_of_blocks<D>(24);
    FaceField<float, D> u(grid);
    fill_faces<D>(u, rotation<D>);
    const auto solid = no_solid<D>(grid);
    auto p = random_cloud<D>(200, 10, false);
    std::vector<Point<D>> start(p.size());
    for (std::size_t i = 0; i < p.size(); ++i) start[p.id[i]] = p.position(i);
    for (int k = 0; k < steps; ++k) {
        const auto pblocks = sort_by_block(p);
        (void)gather_and_move<D>(
            u, nullptr, solid, pblocks,
            {.dt_over_dx = 1.0 / steps, .order = order, .transfer = Transfer::Pic}, p);
    }
    double worst = 0;
    for (std::size_t i = 0; i < p.size(); ++i) {
        Point<D> exact = start[p.id[i]];
        const double x = exact[0], y = exact[1];
        exact[0] = std::cos(1.0) * x - std::sin(1.0) * y;
        exact[1] = std::sin(1.0) * x + std::cos(1.0) * y;
        worst = std::max(worst, length(p.position(i) - exact));
    }
    return worst;
}

/// Some faces' worth of noise.
template <int D>
FaceField<float, D> noise(const BlocksPtr<D>& grid, std::uint64_t seed) {
    FaceField<float, D> u(grid);
    for (int axis = 0; axis < D; ++axis)
        fill_field<D>(u.axis(axis), [&](const Index<D>& c) {
            return 2 * hash_uniform(seed + axis, block_key<D>(c), 0) - 1;
        });
    return u;
}

}  // namespace

TEST_CASE_TEMPLATE("advection has the order it is asked for", T, Dim<2>, Dim<3>) {
    constexpr int D = T::value;
    for (int order : {2, 3}) {
        const double coarse = rotation_error<D>(order, 4), fine = rotation_error<D>(order, 8);
        const double measured = std::log2(coarse / fine);
        CAPTURE(order);
        CAPTURE(coarse);
        CHECK(measured > order - 0.15);
        CHECK(measured < order + 0.3);
    }
}

TEST_CASE_TEMPLATE("PIC and APIC take the interpolated velocity", T, Dim<2>, Dim<3>) {
    constexpr int D = T::value;
    auto p = random_cloud<D>(5003, 12, true);
    const auto pblocks = sort_by_block(p);
    const auto grid = around(pblocks);
    const auto u = noise<D>(grid, 5);
    const auto solid = no_solid<D>(grid);
    VelocitySampler<D> sampler(u);
    for (Transfer transfer : {Transfer::Pic, Transfer::Apic}) {
        auto q = p;
        (void)gather_and_move<D>(u, nullptr, solid, pblocks,
                                 {.dt_over_dx = 0, .transfer = transfer}, q);
        double worst = 0;
        bool still = true;
        for (std::size_t i = 0; i < q.size(); ++i) {
            worst = std::max(worst, length(q.velocity(i) - sampler(p.position(i))));
            still = still && q.position(i) == p.position(i);
        }
        CHECK(worst < 1e-5);
        CHECK(still);  // no time, no way
    }
}

TEST_CASE_TEMPLATE("c keeps the share of the gradient it is told to", T, Dim<2>, Dim<3>) {
    constexpr int D = T::value;
    auto p = random_cloud<D>(1000, 12, true);
    const auto pblocks = sort_by_block(p);
    const auto grid = around(pblocks);
    const Mat<D> a = some_matrix<D>();
    FaceField<float, D> u(grid);
    fill_faces<D>(u, [&](const Point<D>& x) { return a * x; });
    (void)gather_and_move<D>(u, nullptr, no_solid<D>(grid), pblocks,
                             {.dt_over_dx = 0, .affine_keep = 0.25}, p);
    double worst = 0;
    for (std::size_t i = 0; i < p.size(); ++i)
        for (int d = 0; d < D; ++d)
            for (int e = 0; e < D; ++e)
                worst = std::max(worst, std::abs(p.c[d][e][i] - 0.25 * a.row[d][e]));
    CHECK(worst < 1e-5);
}

TEST_CASE_TEMPLATE("FLIP adds the change of the grid velocity", T, Dim<2>, Dim<3>) {
    constexpr int D = T::value;
    auto p = random_cloud<D>(3001, 12, false);
    const auto pblocks = sort_by_block(p);
    const auto grid = around(pblocks);
    const auto u = noise<D>(grid, 5), old = noise<D>(grid, 9);
    const auto solid = no_solid<D>(grid);
    VelocitySampler<D> now(u), before(old);
    const auto moved = [&](const FaceField<float, D>& from, double blend) {
        auto q = p;
        (void)gather_and_move<D>(u, &from, solid, pblocks,
                                 {.dt_over_dx = 0, .transfer = Transfer::Flip, .flip_blend = blend},
                                 q);
        return q;
    };
    const auto same = moved(u, 1), pic = moved(old, 0), mixed = moved(old, 0.95);
    double worst_same = 0, worst_pic = 0, worst_mixed = 0;
    for (std::size_t i = 0; i < p.size(); ++i) {
        const Point<D> x = p.position(i), v = p.velocity(i);
        worst_same = std::max(worst_same, length(same.velocity(i) - v));
        worst_pic = std::max(worst_pic, length(pic.velocity(i) - now(x)));
        const Point<D> expected = (v + now(x) - before(x)) * 0.95 + now(x) * 0.05;
        worst_mixed = std::max(worst_mixed, length(mixed.velocity(i) - expected));
    }
    CHECK(worst_same < 1e-6);  // a grid that did not change leaves the particles alone
    CHECK(worst_pic < 1e-5);   // blend 0 is PIC
    CHECK(worst_mixed < 1e-5);
}

TEST_CASE_TEMPLATE("a uniform wind carries particles exactly, however far", T, Dim<2>, Dim<3>) {
    constexpr int D = T::value;
    const auto grid = cube_of_blocks<D>(64);
    FaceField<float, D> u(grid);
    for (int d = 0; d < D; ++d) u.axis(d).fill(static_cast<float>(d + 1));
    const auto solid = no_solid<D>(grid);
    for (int order : {2, 3})
        for (double dt : {0.1, 1.0, 6.0}) {
            auto p = random_cloud<D>(2003, 12, false);
            const auto pblocks = sort_by_block(p);
            const auto q = p;
            const auto report = gather_and_move<D>(
                u, nullptr, solid, pblocks,
                {.dt_over_dx = dt, .order = order, .transfer = Transfer::Pic}, p);
            double worst = 0;
            for (std::size_t i = 0; i < p.size(); ++i)
                for (int d = 0; d < D; ++d)
                    worst = std::max(worst, std::abs(p.x[d][i] - q.x[d][i] - dt * (d + 1)));
            CHECK(worst < 1e-5);
            CHECK(report.max_displacement ==
                  doctest::Approx(dt * (D == 2 ? std::sqrt(5.0) : std::sqrt(14.0))));
            CHECK(report.pushed_out == 0);
        }
}

TEST_CASE_TEMPLATE("moving gives the same bytes on any number of threads", T, Dim<2>, Dim<3>) {
    constexpr int D = T::value;
    auto start = random_cloud<D>(50000, 20, true);
    const auto pblocks = sort_by_block(start);
    const auto grid = around(pblocks);
    const auto u = noise<D>(grid, 3);
    Field<float, D> solid(grid, 1e3f);
    fill_field<D>(solid, [](const Index<D>& i) { return i[0] + 4.3; });
    const auto moved = [&](int threads) {
        set_threads(threads);
        auto p = start;
        (void)gather_and_move<D>(u, nullptr, solid, pblocks, {.dt_over_dx = 4, .order = 3}, p);
        return p;
    };
    const auto one = moved(1);
    CHECK(same_bytes(one, moved(2)));
    CHECK(same_bytes(one, moved(3)));
    set_threads(0);
}

TEST_CASE_TEMPLATE("velocities that are not numbers are reported, nobody is lost", T, Dim<2>,
                   Dim<3>) {
    constexpr int D = T::value;
    auto p = random_cloud<D>(1000, 5, true);
    const auto pblocks = sort_by_block(p);
    const auto grid = around(pblocks);
    FaceField<float, D> u(grid);
    u.axis(0).fill(std::numeric_limits<float>::quiet_NaN());
    const auto before = p;
    const auto report =
        gather_and_move<D>(u, nullptr, no_solid<D>(grid), pblocks, {.dt_over_dx = 1}, p);
    REQUIRE(p.size() == before.size());
    CHECK(report.not_finite == p.size());
    for (int d = 0; d < D; ++d) CHECK(same_bytes(p.x[d], before.x[d]));
}

TEST_CASE_TEMPLATE("displacing moves positions and nothing else", T, Dim<2>, Dim<3>) {
    constexpr int D = T::value;
    auto p = random_cloud<D>(3000, 12, true);
    const auto pblocks = sort_by_block(p);
    const auto grid = around(pblocks);
    const auto way = noise<D>(grid, 5);
    const auto before = p;
    const auto report = displace(p, pblocks, way, no_solid<D>(grid));
    VelocitySampler<D> sampler(way);
    double worst = 0;
    for (std::size_t i = 0; i < p.size(); ++i)
        worst = std::max(worst,
                         length(p.position(i) - before.position(i) - sampler(before.position(i))));
    CHECK(worst < 1e-5);
    CHECK(report.max_displacement > 0.5);
    for (int d = 0; d < D; ++d) {
        CHECK(same_bytes(p.v[d], before.v[d]));
        CHECK(same_bytes(p.c[d][0], before.c[d][0]));
    }
}
