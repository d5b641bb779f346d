#include "slosh/particles/obstacle.h"

#include <doctest/doctest.h>

#include "particles/cloud.h"
#include "slosh/grid/interpolate.h"
#include "slosh/particles/move.h"

using namespace slosh;

namespace {

/// Faces of random velocity that know nothing of walls: up to `speed` cells per step.
template <int D>
FaceField<float, D> storm(const BlocksPtr<D>& grid, double speed, std::uint64_t seed) {
    FaceField<float, D> u(grid);
    for (int axis = 0; axis < D; ++axis)
        fill_field<D>(u.axis(axis), [&](const Index<D>& c) {
            return speed * (2 * hash_uniform(seed * 3 + axis, block_key<D>(c), 0) - 1);
        });
    return u;
}

/// Interpolated solid distance of every particle; the smallest.
template <int D>
double lowest_distance(const Particles<D>& p, const Field<float, D>& solid) {
    Accessor<float, D> phi(solid);
    double lowest = 1e30;
    for (std::size_t i = 0; i < p.size(); ++i)
        lowest = std::min(lowest, interpolate<D>(phi, p.position(i), Point<D>{}));
    return lowest;
}

/// Drops the particles of a cloud that start inside the solid or within half a cell of it.
template <int D, class Distance>
void keep_outside(Particles<D>& p, const Distance& distance) {
    std::vector<std::uint8_t> mark(p.size());
    for (std::size_t i = 0; i < p.size(); ++i) mark[i] = distance(p.position(i)) < 0.5;
    remove_marked(p, mark);
}

/// Blows the particles about for some steps; after each, none may be inside. Returns how often
/// a particle met the solid.
template <int D, class Distance>
std::size_t blow(Particles<D>& p, const Distance& distance, double speed, int steps) {
    std::size_t met = 0;
    for (int k = 0; k < steps; ++k) {
        const auto pblocks = sort_by_block(p);
        const auto grid = around(pblocks);
        Field<float, D> solid(grid, 1e3f);
        fill_field<D>(solid, [&](const Index<D>& i) { return distance(i.template as<double>()); });
        const auto u = storm<D>(grid, speed, static_cast<std::uint64_t>(k));
        const auto report = gather_and_move<D>(u, nullptr, solid, pblocks,
                                               {.dt_over_dx = 1, .transfer = Transfer::Pic}, p);
        met += report.pushed_out;
        CHECK(report.left_inside == 0);
        CHECK(lowest_distance(p, solid) > 0);
    }
    return met;
}

}  // namespace

TEST_CASE_TEMPLATE("nobody leaves a ball, whatever the velocity", T, Dim<2>, Dim<3>) {
    constexpr int D = T::value;
    const auto ball = [](const Point<D>& x) { return 10.3 - length(x); };
    for (double speed : {0.5, 2.0, 5.0}) {
        auto p = random_cloud<D>(4000, 10, false);
        keep_outside(p, ball);
        const std::size_t n = p.size();
        CHECK(blow(p, ball, speed, 8) > 0);
        CHECK(p.size() == n);
        for (std::size_t i = 0; i < n; ++i) REQUIRE(length(p.position(i)) < 10.4);
    }
}

TEST_CASE_TEMPLATE("nobody enters a box, edges and corners included", T, Dim<2>, Dim<3>) {
    constexpr int D = T::value;
    const auto box = [](const Point<D>& x) {
        Point<D> out;
        double in = -1e30;
        for (int d = 0; d < D; ++d) {
            const double q = std::abs(x[d]) - 4.2;
            out[d] = std::max(q, 0.0);
            in = std::max(in, q);
        }
        return length(out) + std::min(in, 0.0);
    };
    auto p = random_cloud<D>(4000, 8, false);
    keep_outside(p, box);
    CHECK(blow(p, box, 3, 8) > 0);
}

TEST_CASE_TEMPLATE("nobody crosses a wall one cell thick at five cells a step", T, Dim<2>, Dim<3>) {
    constexpr int D = T::value;
    // Anywhere between the nodes, upright and tilted.
    for (double at : {0.0, 0.1, 0.3, 0.5, 0.8})
        for (double tilt : {0.0, 0.4, 0.785398}) {
            Point<D> normal;
            normal[0] = std::cos(tilt);
            normal[1] = std::sin(tilt);
            const auto side = [&](const Point<D>& x) { return dot(x, normal) - at; };
            const auto wall = [&](const Point<D>& x) { return std::abs(side(x)) - 0.5; };
            auto p = random_cloud<D>(2000, 5, false);
            keep_outside(p, wall);
            std::vector<std::uint8_t> left(2000);
            for (std::size_t i = 0; i < p.size(); ++i) left[p.id[i]] = side(p.position(i)) < 0;
            CHECK(blow(p, wall, 5, 6) > 0);
            int crossed = 0;
            for (std::size_t i = 0; i < p.size(); ++i)
                crossed += left[p.id[i]] != (side(p.position(i)) < 0);
            CAPTURE(at);
            CAPTURE(tilt);
            CHECK(crossed == 0);
        }
}

TEST_CASE_TEMPLATE("a particle blown against a wall slides along it", T, Dim<2>, Dim<3>) {
    constexpr int D = T::value;
    auto p = random_cloud<D>(1000, 5, false);
    for (auto& x : p.x[0]) x = std::abs(x) * 0.1f + 1.1f;
    const auto pblocks = sort_by_block(p);
    const auto grid = around(pblocks);
    Field<float, D> solid(grid, 1e3f);
    fill_field<D>(solid, [](const Index<D>& i) { return i[0] - 1.0; });
    FaceField<float, D> u(grid);
    u.axis(0).fill(-1);
    u.axis(1).fill(1);
    const auto before = p;
    const auto report = gather_and_move<D>(u, nullptr, solid, pblocks,
                                           {.dt_over_dx = 2, .transfer = Transfer::Pic}, p);
    CHECK(report.pushed_out == p.size());
    for (std::size_t i = 0; i < p.size(); ++i) {
        REQUIRE(p.x[0][i] == doctest::Approx(1.05).epsilon(0.02));
        REQUIRE(p.x[1][i] == doctest::Approx(before.x[1][i] + 2));
        REQUIRE(p.v[0][i] == -1);  // the velocity is the grid's business
    }
}

TEST_CASE_TEMPLATE("a solid that moved over particles pushes them out", T, Dim<2>, Dim<3>) {
    constexpr int D = T::value;
    auto p = random_cloud<D>(1000, 5, false);
    const auto pblocks = sort_by_block(p);
    const auto grid = around(pblocks);
    Field<float, D> solid(grid, 1e3f);
    fill_field<D>(solid, [](const Index<D>& i) { return i[0] + 0.7; });
    FaceField<float, D> u(grid);
    const auto report = gather_and_move<D>(u, nullptr, solid, pblocks,
                                           {.dt_over_dx = 1, .transfer = Transfer::Pic}, p);
    CHECK(report.pushed_out > 0);
    CHECK(report.left_inside == 0);
    CHECK(lowest_distance(p, solid) > 0.04);
}

TEST_CASE_TEMPLATE("displacing respects solids", T, Dim<2>, Dim<3>) {
    constexpr int D = T::value;
    const auto wall = [](const Point<D>& x) { return x[1] + 2.4; };
    auto p = random_cloud<D>(3000, 5, false);
    keep_outside(p, wall);
    const auto pblocks = sort_by_block(p);
    const auto grid = around(pblocks);
    Field<float, D> solid(grid, 1e3f);
    fill_field<D>(solid, [&](const Index<D>& i) { return wall(i.template as<double>()); });
    const auto report = displace(p, pblocks, storm<D>(grid, 2, 1), solid);
    CHECK(report.pushed_out > 0);
    CHECK(lowest_distance(p, solid) > 0);
}
