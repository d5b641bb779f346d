#include "slosh/viscosity/solve.h"

#include <doctest/doctest.h>

#include "common.h"
#include "flows.h"
#include "slosh/base/hash.h"
#include "slosh/shape/primitives.h"
#include "slosh/viscosity/thin_parts.h"

namespace slosh {
namespace {

Point<3> swirl(const Point<3>& x) {
    return {std::sin(5 * x[1]), -1 - x[0], std::cos(4 * x[0] + x[2])};
}

double tank(const Point<3>& x) {
    return 0.45 - length(x - Point<3>::filled(0.5));
}

double pool(const Point<3>& x) {
    return x[1] - 0.5 - 0.03 * std::sin(9 * x[0]) * std::cos(7 * x[2]);
}

/// Droplets of one to three cells that touch each other here and there, over a pool.
double spray(const Point<3>& x, int n) {
    double least = x[1] - 0.3;
    for (std::uint64_t i = 0; i < 60; ++i) {
        Point<3> centre;
        for (int d = 0; d < 3; ++d)
            centre[d] = 0.25 + 0.5 * hash_uniform(3, i, static_cast<std::uint64_t>(d));
        least = std::min(least, length(x - centre) - (1 + 2 * hash_uniform(3, i, 3)) / n);
    }
    return least;
}

/// A free ball of three times the liquid's density in the middle of a flow.
struct FreeBall {
    static constexpr double kRadius = 0.12;
    ShapePtr<3> shape = sphere<3>(Point<3>::filled(0.5), kRadius);
    std::vector<ViscousBody<3>> list;
    std::vector<BodyFace> faces;
    test::Flow<3> flow;

    FreeBall(int n, const test::Function<3>& surface)
        : flow(
              n, [&](const Point<3>& x) { return std::min(tank(x), shape->distance(x)); },
              surface) {
        ViscousBody<3> body;
        body.placed = {.shape = shape.get(),
                       .at = {},
                       .centre = Point<3>::filled(0.5),
                       .velocity = {},
                       .spin = {}};
        const double mass = 3 * 4.18879 * std::pow(kRadius * n, 3);
        for (int k = 0; k < 6; ++k) {
            body.mass.row[k][k] = k < 3 ? mass : 0.4 * mass * kRadius * kRadius;
            body.basis.row[k][k] = 1;
        }
        list = {body};
        faces = body_volumes(flow.grid, list, flow.open, VolumeKind::Consistent);
    }
    /// Solves with the body; x gets the rows, then the twist.
    SolveReport solve(double nu, const ViscousOptions& options, std::vector<double>& x) {
        flow.moved = solid_motion<3>(flow.grid, flow.open, flow.solid_velocity, list, faces, true,
                                     [](const Point<3>&) { return Point<3>{}; });
        const ViscousSystem<3> s = assemble_viscosity<3>(
            {.open = &flow.open, .liquid = &flow.liquid, .moved = &flow.moved, .nu = nu});
        const BodyColumns<3> columns = couple_bodies(flow.grid, s, flow.moved, list, faces);
        std::vector<double> rhs;
        s.load(flow.velocity, rhs, x);
        rhs.insert(rhs.end(), columns.rhs.begin(), columns.rhs.end());
        x.resize(rhs.size());
        columns.guess(list, &x[static_cast<std::size_t>(s.rows.size())]);
        return solve_viscosity<3>(s, &columns, options, rhs, x);
    }
};

}  // namespace

TEST_CASE("iterations depend little on viscosity and grid") {
    int count[2][3];
    for (int grid = 0; grid < 2; ++grid)
        for (int k = 0; k < 3; ++k) {
            test::Flow<3> flow(20 << grid, tank, pool);
            flow.set(flow.velocity, swirl);
            const SolveReport report = flow.step(std::pow(10, 2 + 2 * k));
            CHECK(report.converged);
            CHECK(report.iterations <= 18);
            count[grid][k] = report.iterations;
            CAPTURE(grid);
            CAPTURE(k);
            if (k > 0) CHECK(report.iterations <= 1.3 * count[grid][0]);
            if (grid > 0) CHECK(report.iterations <= 1.3 * count[0][k]);
        }
}

TEST_CASE("spray takes no more iterations than a pool") {
    const int n = 40;
    test::Flow<3> flow(n, tank, [&](const Point<3>& x) { return spray(x, n); });
    flow.set(flow.velocity, swirl);
    const ViscousSystem<3> s = flow.assemble(1e4);
    CHECK(ThinParts<3>(s).size() > s.rows.size() / 10);
    const SolveReport report = flow.step(1e4);
    MESSAGE(report.iterations << " iterations");
    CHECK(report.converged);
    CHECK(report.iterations <= 25);  // 471 without the thin parts
}

TEST_CASE("bulk liquid with a smooth surface has few thin parts") {
    test::Flow<3> flow(40, tank, pool);
    const ViscousSystem<3> s = flow.assemble(1);
    CHECK(ThinParts<3>(s).size() < s.rows.size() / 20);
}

TEST_CASE("both solvers find the same motion of a body") {
    FreeBall ball(20, pool);
    ball.flow.set(ball.flow.velocity, swirl);
    std::vector<double> a, m;
    for (const double nu : {1.0, 1e3}) {
        CHECK(ball.solve(nu, {.tolerance = 1e-10}, a).converged);
        CHECK(ball.solve(nu, {.solver = "mic", .tolerance = 1e-10}, m).converged);
        add(-1, m, a);
        CHECK(max_abs(a) < 1e-6);
    }
}

TEST_CASE("a body in a drop of its own falls on with it") {
    const Point<3> velocity{0.3, -1, 0.2}, spin{1, 2, -1};
    FreeBall ball(24, [](const Point<3>& x) { return length(x - Point<3>::filled(0.5)) - 0.3; });
    ball.flow.set(ball.flow.velocity, [&](const Point<3>& x) {
        return velocity + cross(spin, x - Point<3>::filled(0.5));
    });
    ball.list[0].placed.velocity = velocity;
    ball.list[0].placed.spin = spin;
    for (const double nu : {10.0, 1e4, 1e7}) {
        std::vector<double> x;
        const SolveReport report = ball.solve(nu, {}, x);
        CAPTURE(nu);
        CHECK(report.converged);
        CHECK(report.iterations <= 12);
        for (int k = 0; k < 6; ++k)
            CHECK(x[x.size() - 6 + static_cast<std::size_t>(k)] ==
                  doctest::Approx(k < 3 ? velocity[k] : spin[k - 3]).epsilon(1e-5));
    }
}

TEST_CASE("a body costs few iterations") {
    FreeBall ball(32, pool);
    ball.flow.set(ball.flow.velocity, swirl);
    for (const double nu : {1e2, 1e6}) {
        std::vector<double> x;
        const int iterations = ball.solve(nu, {}, x).iterations;
        MESSAGE(iterations << " iterations");
        CHECK(iterations <= 22);
    }
}

TEST_CASE("a solve with spray and a body gives the same bits on any number of threads") {
    std::vector<double> first;
    for (const int count : {1, 2, 3}) {
        set_threads(count);
        FreeBall ball(24, [](const Point<3>& x) { return spray(x, 24); });
        ball.flow.set(ball.flow.velocity, swirl);
        std::vector<double> x;
        CHECK(ball.solve(1e4, {}, x).converged);
        if (first.empty()) first = x;
        CHECK(x == first);
    }
    set_threads(0);
}

}  // namespace slosh
