#include "slosh/lcp/auto.h"

#include <doctest/doctest.h>

#include <cmath>
#include <limits>

#include "common.h"
#include "linear/dense.h"
#include "linear/problems.h"
#include "linear/split_vectors.h"
#include "slosh/base/pages.h"
#include "slosh/base/parallel.h"
#include "slosh/lcp/solve.h"

using namespace slosh;

namespace {

/// Unknowns with a closed or narrowed face towards something that is not air.
template <int D>
void constrain_walls(BlockLcp<D>& lcp) {
    const SparseLcp rows = to_sparse(lcp);
    std::vector<double> marks(rows.b.size());
    for (int i = 0; i < rows.A.rows(); ++i) {
        double links = 0, diagonal = 0;
        for (std::int64_t k = rows.A.start[i]; k < rows.A.start[i + 1]; ++k)
            (rows.A.column[k] == i ? diagonal : links) += rows.A.value[k];
        const bool air = diagonal + links > 1e-6;
        marks[i] = !air && -links < 2 * D - 1e-6;
    }
    Field<double, D> field(lcp.system.blocks);
    from_rows(lcp, marks, field);
    for (int b = 0; b < lcp.system.blocks->size(); ++b)
        for (int o = 0; o < kBlockCells<D>; ++o)
            lcp.constrained.block(b)[o] = field.block(b)[o] > 0;
}

/// Every third unknown or so.
template <int D>
void constrain_at_random(BlockLcp<D>& lcp, std::uint32_t seed) {
    std::uint32_t state = seed * 2654435761u + 1;
    for (int b = 0; b < lcp.system.blocks->size(); ++b)
        for (int o = 0; o < kBlockCells<D>; ++o) {
            state = state * 1664525u + 1013904223u;
            lcp.constrained.block(b)[o] = lcp.system.unknown.block(b)[o] && (state >> 30) == 0;
        }
}

template <int D>
double largest_difference(const BlockLcp<D>& lcp, const std::vector<double>& a,
                          const Field<double, D>& p) {
    const std::vector<double> b = to_rows(lcp, p);
    double most = 0, scale = 0;
    for (std::size_t i = 0; i < b.size(); ++i) {
        most = std::max(most, std::abs(a[i] - b[i]));
        scale = std::max(scale, std::abs(a[i]));
    }
    return scale > 0 ? most / scale : most;
}

/// Leaves memory that holds `value` in the pool, for arrays of all sizes that a small solve takes.
void fill_pooled_pages(float value) {
    release_pooled_pages();
    std::vector<PageArray<float>> arrays;
    for (double n = 1024; n < 1e6; n *= 1.2)
        for (int k = 0; k < 4; ++k) {
            PageArray<float>& a = arrays.emplace_back(static_cast<std::size_t>(n));
            for (std::size_t i = 0; i < a.size(); ++i) a[i] = value;
        }
}

}  // namespace

TEST_CASE_TEMPLATE("auto finds the pressure of a tight reference", Dm, Dim<2>, Dim<3>) {
    constexpr int D = Dm::value;
    BlockLcp<D> lcp(test::sphere_system<D>(D == 2 ? 48 : 24));
    constrain_walls(lcp);
    make_consistent(lcp);
    Field<double, D> p(lcp.system.blocks);
    Field<std::uint8_t, D> active(lcp.system.blocks);
    const LcpReport report = solve_auto(lcp, {.tolerance = 1e-9}, p, active);
    CHECK(report.converged);
    CHECK(report.active > 0);
    CHECK(report.active < report.constrained);
    CHECK(report.iterations <= 14);

    std::vector<double> reference;
    const LcpReport exact = solve_lcp("policy-pcg", to_sparse(lcp),
                                      {.tolerance = 1e-11, .max_iterations = 20000}, reference);
    REQUIRE(exact.converged);
    CHECK(largest_difference(lcp, reference, p) < 1e-6);
    CHECK(report.active == exact.active);
}

TEST_CASE_TEMPLATE("auto solves random systems with random constraints", Dm, Dim<2>, Dim<3>) {
    constexpr int D = Dm::value;
    for (int seed = 0; seed < 60; ++seed) {
        CAPTURE(seed);
        BlockLcp<D> lcp(test::random_system<D>(seed, D == 2 ? 0.75 : 0.6, 0.02, 0.1, 0.05));
        constrain_at_random(lcp, seed);
        make_consistent(lcp);
        Field<double, D> p(lcp.system.blocks);
        Field<std::uint8_t, D> active(lcp.system.blocks);
        const LcpReport report =
            solve_auto(lcp, {.tolerance = 1e-7, .max_iterations = 300}, p, active);
        CHECK(report.converged);
        CHECK(natural_residual(to_sparse(lcp), to_rows(lcp, p)) <=
              doctest::Approx(report.residual));
    }
}

TEST_CASE_TEMPLATE("auto never says that what is not a number is solved", Dm, Dim<2>, Dim<3>) {
    constexpr int D = Dm::value;
    BlockLcp<D> lcp(test::sphere_system<D>(24));
    constrain_walls(lcp);
    for (const bool in_s : {false, true}) {
        BlockLcp<D> broken = lcp;
        bool found = false;
        for (int b = 0; b < lcp.system.blocks->size() && !found; ++b)
            for (int o = 0; o < kBlockCells<D> && !found; ++o)
                if (lcp.system.unknown.block(b)[o] && (lcp.constrained.block(b)[o] != 0) == in_s) {
                    broken.system.rhs.block(b)[o] = std::numeric_limits<double>::quiet_NaN();
                    found = true;
                }
        REQUIRE(found);
        Field<double, D> p(lcp.system.blocks);
        Field<std::uint8_t, D> active(lcp.system.blocks);
        CHECK_FALSE(solve_auto(broken, {.max_iterations = 20}, p, active).converged);
        CHECK(natural_residual(broken, p) == HUGE_VAL);
    }
}

TEST_CASE_TEMPLATE("A warm start from the answer is done at once", Dm, Dim<2>, Dim<3>) {
    constexpr int D = Dm::value;
    BlockLcp<D> lcp(test::sphere_system<D>(32));
    constrain_walls(lcp);
    make_consistent(lcp);
    Field<double, D> p(lcp.system.blocks);
    Field<std::uint8_t, D> active(lcp.system.blocks);
    REQUIRE(solve_auto(lcp, {.tolerance = 1e-8}, p, active).converged);
    CHECK(solve_auto(lcp, {.tolerance = 1e-6}, p, active).iterations == 0);
}

TEST_CASE_TEMPLATE("The hierarchy that auto leaves is that of its active set", Dm, Dim<2>, Dim<3>) {
    constexpr int D = Dm::value;
    BlockLcp<D> lcp(test::sphere_system<D>(D == 2 ? 96 : 40));
    constrain_walls(lcp);
    make_consistent(lcp);
    Multigrid<D> left(lcp.system, {}, lcp.constrained), anew(lcp.system, {}, lcp.constrained);
    Field<double, D> p(lcp.system.blocks);
    Field<std::uint8_t, D> active(lcp.system.blocks);
    REQUIRE(solve_auto(lcp, left, {.tolerance = 1e-8}, p, active).active > 0);
    anew.set_active(lcp.system, active, {});
    auto f = test::random_vector(lcp.system, 1);
    SplitField<D> x(lcp.system.blocks->size()), y(lcp.system.blocks->size());
    CHECK(left.cycle(f, x) == anew.cycle(f, y));
}

TEST_CASE_TEMPLATE("A guess far from all bounds does not hide who lets go", Dm, Dim<2>, Dim<3>) {
    constexpr int D = Dm::value;
    BlockLcp<D> lcp(test::sphere_system<D>(D == 2 ? 96 : 48));
    constrain_walls(lcp);
    Field<double, D> cold(lcp.system.blocks), far(lcp.system.blocks);
    Field<std::uint8_t, D> active(lcp.system.blocks), active_far(lcp.system.blocks);
    REQUIRE(solve_auto(lcp, {.tolerance = 1e-8}, cold, active).converged);
    double largest = 0;
    for (std::size_t i = 0; i < cold.cells(); ++i)
        largest = std::max(largest, std::abs(cold.data()[i]));
    // From pressure that is high everywhere, walls look far from letting go at first.
    for (std::size_t i = 0; i < far.cells(); ++i)
        far.data()[i] = lcp.system.unknown.data()[i] ? 100 * largest : 0;
    const LcpReport report = solve_auto(lcp, {.tolerance = 1e-8}, far, active_far);
    CHECK(report.converged);
    CHECK(report.active > 0);
    for (std::size_t i = 0; i < cold.cells(); ++i) {
        CHECK(active.data()[i] == active_far.data()[i]);
        CHECK(std::abs(cold.data()[i] - far.data()[i]) < 1e-5 * largest);
    }
}

TEST_CASE("A cold start from which much lets go begins on larger cells") {
    // A wall that is pushed sideways, hard: it presses on one side and draws off on the other.
    // Sweeps from p = 0 put half of S at its bound, most of it wrongly.
    BlockLcp<3> lcp(test::sphere_system<3>(64));
    constrain_walls(lcp);
    for (int b = 0; b < lcp.system.blocks->size(); ++b)
        for (int o = 0; o < kBlockCells<3>; ++o) {
            const Index<3> cell = lcp.system.blocks->coord(b) * kSide + local_cell<3>(o);
            if (lcp.constrained.block(b)[o]) lcp.system.rhs.block(b)[o] = cell[0] < 32 ? 1 : -1;
        }
    make_consistent(lcp);
    Field<double, 3> p(lcp.system.blocks);
    Field<std::uint8_t, 3> active(lcp.system.blocks);
    const LcpReport report = solve_auto(lcp, {.tolerance = 1e-6}, p, active);
    CHECK(report.unknowns > 50000);
    CHECK(report.converged);
    CHECK(report.active > 1000);
    CHECK(report.iterations <= 6);  // 7 from zero
}

TEST_CASE("auto gives the same bits on any number of threads") {
    BlockLcp<3> lcp(test::sphere_system<3>(32));
    constrain_walls(lcp);
    make_consistent(lcp);
    std::vector<double> first;
    for (int threads : {1, 2, 3}) {
        set_threads(threads);
        Field<double, 3> p(lcp.system.blocks);
        Field<std::uint8_t, 3> active(lcp.system.blocks);
        CHECK(solve_auto(lcp, {}, p, active).converged);
        if (threads == 1) first = to_rows(lcp, p);
        CHECK(to_rows(lcp, p) == first);
    }
    set_threads(0);
}

TEST_CASE("auto does not depend on what its memory held before") {
    BlockLcp<3> lcp(test::sphere_system<3>(32));
    constrain_walls(lcp);
    make_consistent(lcp);
    Field<double, 3> guess(lcp.system.blocks);
    Field<std::uint8_t, 3> guess_active(lcp.system.blocks);
    REQUIRE(solve_auto(lcp, {.tolerance = 0.1}, guess, guess_active).converged);
    std::vector<double> first, history;
    for (float before : {0.0f, std::numeric_limits<float>::quiet_NaN(), 1e30f,
                         -std::numeric_limits<float>::infinity()}) {
        fill_pooled_pages(before);
        Field<double, 3> p = guess;
        Field<std::uint8_t, 3> active = guess_active;
        const LcpReport report = solve_auto(lcp, {.history = true}, p, active);
        CHECK(report.converged);
        if (first.empty()) {
            first = to_rows(lcp, p);
            history = report.history;
        }
        CHECK(to_rows(lcp, p) == first);
        CHECK(report.history == history);
    }
}

TEST_CASE_TEMPLATE("Pockets without air", Dm, Dim<2>, Dim<3>) {
    // A sphere full of liquid. Whether its wall may let go depends on the sum of b alone.
    constexpr int D = Dm::value;
    for (double expansion : {-1.0, 0.0, 1.0}) {
        CAPTURE(expansion);
        BlockLcp<D> lcp(test::pressure_system<D>(24, test::sphere_solid<D>,
                                                 [](const Point<D>&) { return -1.0; }));
        constrain_walls(lcp);
        make_consistent(lcp.system);
        for (int b = 0; b < lcp.system.blocks->size(); ++b)
            for (int o = 0; o < kBlockCells<D>; ++o)
                if (lcp.system.unknown.block(b)[o]) lcp.system.rhs.block(b)[o] -= 0.01 * expansion;
        CHECK(make_consistent(lcp) >= 1);
        Field<double, D> p(lcp.system.blocks);
        Field<std::uint8_t, D> active(lcp.system.blocks);
        const LcpReport report = solve_auto(lcp, {.tolerance = 1e-7}, p, active);
        CHECK(report.converged);
        CHECK((report.active > 0) == (expansion > 0));
    }
}

TEST_CASE_TEMPLATE("All active, none active, nothing at all", Dm, Dim<2>, Dim<3>) {
    constexpr int D = Dm::value;
    const auto sphere = test::sphere_system<D>(16);
    for (double b : {1.0, -1.0, 0.0}) {
        CAPTURE(b);
        BlockLcp<D> lcp(sphere);
        for (int k = 0; k < lcp.system.blocks->size(); ++k)
            for (int o = 0; o < kBlockCells<D>; ++o) {
                const bool unknown = lcp.system.unknown.block(k)[o];
                lcp.constrained.block(k)[o] = unknown;
                lcp.system.rhs.block(k)[o] = unknown ? -b : 0;
            }
        make_consistent(lcp);
        Field<double, D> p(lcp.system.blocks);
        Field<std::uint8_t, D> active(lcp.system.blocks);
        const LcpReport report = solve_auto(lcp, {}, p, active);
        CHECK(report.converged);
        if (b > 0) CHECK(report.active == report.constrained);
        if (b < 0) CHECK(report.active == 0);
        if (b == 0) CHECK(report.iterations == 0);
    }
    BlockLcp<D> empty{BlockSystem<D>(std::make_shared<const Blocks<D>>())};
    Field<double, D> p(empty.system.blocks);
    Field<std::uint8_t, D> active(empty.system.blocks);
    CHECK(solve_auto(empty, {}, p, active).converged);
}

TEST_CASE("Walls thinner than a cell") {
    const int n = 48;
    const double h = 1.0 / n;
    const auto solid = [=](const Point<3>& x) {
        return std::min(test::sphere_solid<3>(x), std::abs(x[0] - 0.4) - 0.4 * h);
    };
    BlockLcp<3> lcp(test::pressure_system<3>(n, solid, test::wavy_liquid<3>));
    constrain_walls(lcp);
    make_consistent(lcp);
    Field<double, 3> p(lcp.system.blocks);
    Field<std::uint8_t, 3> active(lcp.system.blocks);
    const LcpReport report = solve_auto(lcp, {}, p, active);
    CHECK(report.converged);
    CHECK(report.iterations <= 15);
}

TEST_CASE("Water at rest costs hardly more cycles than sticky water") {
    // From a cold start the first sweeps find walls let go that press in the end: what they leave
    // behind in the search direction must not slow down the rest.
    const auto tank = [](const Point<3>& x) {
        return std::min({x[0] - 0.05, 0.95 - x[0], x[1] - 0.05, x[2] - 0.05, 0.95 - x[2]});
    };
    const auto level = [](const Point<3>& x) { return x[1] - 0.8; };
    BlockLcp<3> lcp(test::pressure_system<3>(64, tank, level));
    constrain_walls(lcp);
    for (int b = 0; b < lcp.system.blocks->size(); ++b)
        for (int o = 0; o < kBlockCells<3>; ++o) {
            const Index<3> cell = kSide * lcp.system.blocks->coord(b) + local_cell<3>(o);
            const bool floor = lcp.system.unknown.block(b)[o] && cell[1] == 3;
            lcp.system.rhs.block(b)[o] = floor ? 1 : 0;
        }
    Field<double, 3> p(lcp.system.blocks), x(lcp.system.blocks);
    Field<std::uint8_t, 3> active(lcp.system.blocks);
    const LcpReport report = solve_auto(lcp, {.tolerance = 1e-8}, p, active);
    const SolveReport linear = solve_multigrid(lcp.system, {.tolerance = 1e-8}, x);
    REQUIRE(report.converged);
    REQUIRE(linear.converged);
    CHECK(report.active == 0);
    CHECK(report.iterations <= linear.iterations + 3);
}
