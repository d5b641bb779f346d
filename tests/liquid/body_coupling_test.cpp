// Bodies in the pressure solve, against the small dense system written out, and against liquid at
// rest.
#include <doctest/doctest.h>

#include "common.h"
#include "linear/dense.h"
#include "slosh/lcp/auto.h"
#include "slosh/lcp/solve.h"
#include "slosh/pressure/fixed_problem.h"
#include "slosh/pressure/separation.h"
#include "slosh/rigid/coupling.h"
#include "slosh/rigid/mass.h"
#include "slosh/shape/csg.h"
#include "slosh/shape/primitives.h"

using namespace slosh;

namespace {

constexpr double kRho = 1000, kDt = 0.01;

/// A body of a shape around the origin, put at `at`, turned.
template <int D>
Body<D> body_of(ShapePtr<D> shape, double density, const Point<D>& at) {
    Body<D> body;
    body.shape = std::move(shape);
    body.mass = mass_properties(*body.shape, density);
    body.start.rotation = rotation_matrix<D>({10, 15, 35});
    body.start.position = at + body.start.rotation * body.mass.centre;
    return body;
}

/// Bodies in a tank of 24 cells that is filled to `level`, with gravity already in all velocities.
template <int D>
struct Tank {
    Point<D> gravity = unit<D, double>(1) * -9.81;
    std::vector<Body<D>> bodies;
    std::vector<BodyState<D>> states;
    FixedProblem<D> problem;
    LowRank<D> fluxes;
    BlockLcp<D> lcp;

    Tank(std::vector<Body<D>> list, double level, int n = 24, double floor = -1)
        : bodies(std::move(list)),
          states(predicted()),
          problem(
              unit_grid<D>(n), solids(floor), Fractions::Area,
              [&](const Point<D>& x) { return x[1] - level; }, placed()),
          lcp(assemble()) {}

    std::vector<BodyState<D>> predicted() {
        std::vector<BodyState<D>> all;
        for (const Body<D>& b : bodies) {
            all.push_back(b.start);
            apply_impulse(b, outer_impulse(b, gravity, 0, kDt), all.back());
        }
        return all;
    }
    static std::vector<Solid<D>> solids(double floor) {
        if (floor < 0) return {};
        Point<D> at, up;
        at[1] = floor;
        up[1] = 1;
        up[0] = 0.2;
        return {{"floor", half_space<D>(at, up), {}}};
    }
    std::vector<PlacedBody<D>> placed() const {
        std::vector<PlacedBody<D>> all;
        for (std::size_t n = 0; n < bodies.size(); ++n)
            all.push_back(placed_body(bodies[n], states[n]));
        return all;
    }
    BlockLcp<D> assemble() {
        problem.set_velocity([&](const Point<D>&) { return gravity * kDt; });
        BlockLcp<D> out(assemble_matrix(problem.phi, problem.solid));
        assemble_rhs(problem.velocity, problem.solid, out.system);
        fluxes = body_fluxes(problem.grid, problem.solid.body_faces, out.system.unknown, states);
        const auto error = hydrostatic_error(fluxes, problem.grid, *problem.blocks, kRho, bodies,
                                             states, gravity, kDt);
        std::vector<double> change;
        for (std::size_t n = 0; n < bodies.size(); ++n) {
            const Twist<D> before = twist(states[n]);
            apply_impulse(bodies[n], error[n] * -1.0, states[n]);
            for (int k = 0; k < kFreedoms<D>; ++k)
                change.push_back(twist(states[n])[k] - before[k]);
        }
        fluxes.each(change, [&](int b, int o, double s) { out.system.rhs.block(b)[o] -= s; });
        out.system.bodies =
            std::make_shared<LowRank<D>>(body_term(fluxes, problem.grid, kRho, bodies, states));
        return out;
    }
    void take(const Field<double, D>& q) {
        const auto impulses = pressure_impulses(fluxes, problem.grid, kRho, q);
        for (std::size_t n = 0; n < bodies.size(); ++n)
            apply_impulse(bodies[n], impulses[n], states[n]);
        subtract_gradient(lcp.system, problem.phi, problem.solid, q, problem.velocity,
                          problem.known);
    }
};

template <int D>
Point<D> middle() {
    Point<D> x = Point<D>::filled(0.51);
    x[1] = 0.37;
    return x;
}

template <int D>
ShapePtr<D> brick() {
    Point<D> half;
    for (int d = 0; d < D; ++d) half[d] = 0.11 + 0.03 * d;
    return box<D>(half * -1.0, half);
}

}  // namespace

TEST_CASE_TEMPLATE("Coupled solves equal elimination on the matrix written out", Dm, Dim<2>,
                   Dim<3>) {
    constexpr int D = Dm::value;
    // Two bodies near each other and the sloping floor: faces that several share.
    std::vector<Body<D>> list = {body_of<D>(brick<D>(), 300, middle<D>())};
    Point<D> near = middle<D>();
    near[0] += 0.27;
    list.push_back(body_of<D>(sphere<D>({}, 0.14), 40, near));
    Tank<D> tank(list, 0.63, D == 2 ? 24 : 12, 0.22);
    const BlockSystem<D>& system = tank.lcp.system;
    test::Dense<D> dense(system);

    // A' = A + sum_f over all pairs, from the list of faces, cell by cell through lookups.
    const std::size_t n = dense.cell.size();
    std::vector<std::vector<double>> K(n, std::vector<double>(2 * kFreedoms<D>, 0.0));
    for (const BodyFace& f : tank.problem.solid.body_faces) {
        const Index<D> up = system.blocks->first_cell(f.block) + local_cell<D>(f.offset);
        const Point<D> r = tank.problem.grid.face(f.axis, up) - tank.states[f.body].position;
        for (std::size_t i = 0; i < n; ++i) {
            const double sign = dense.cell[i] == up                     ? -1
                                : dense.cell[i] == up - unit<D>(f.axis) ? 1
                                                                        : 0;
            for (int k = 0; sign != 0 && k < kFreedoms<D>; ++k) {
                BodyState<D> moving;  // one degree of freedom at unit speed
                Twist<D> t;
                t[k] = 1;
                set_twist(t, moving);
                const PlacedBody<D> b{nullptr, {}, {}, moving.velocity, moving.spin};
                K[i][f.body * kFreedoms<D> + k] += sign * f.share * b.velocity_at(r)[f.axis];
            }
        }
    }
    const double size = kRho * std::pow(tank.problem.grid.dx, D);
    for (int body = 0; body < 2; ++body) {
        const auto C = inverse_mass(tank.bodies[body], tank.states[body]);
        for (std::size_t i = 0; i < n; ++i) {
            Twist<D> row;
            for (int k = 0; k < kFreedoms<D>; ++k) row[k] = K[i][body * kFreedoms<D> + k];
            const Twist<D> CK = C * row;
            for (std::size_t j = 0; j < n; ++j)
                for (int k = 0; k < kFreedoms<D>; ++k)
                    dense.A[j][i] += size * K[j][body * kFreedoms<D> + k] * CK[k];
        }
    }
    for (std::size_t i = 0; i < n; ++i)
        for (std::size_t j = 0; j < i; ++j)
            REQUIRE(dense.A[i][j] == doctest::Approx(dense.A[j][i]).epsilon(1e-9));
    const std::vector<double> exact = dense.solve();  // its pivots fail if A' is not definite
    double scale = 0;
    for (double v : exact) scale = std::max(scale, std::abs(v));

    Field<double, D> by_multigrid(system.blocks), by_mic(system.blocks), by_auto(system.blocks);
    Field<std::uint8_t, D> active(system.blocks);
    const auto a = solve_multigrid(system, {.tolerance = 1e-10}, by_multigrid);
    const auto b = solve_mic(system, {.tolerance = 1e-10, .max_iterations = 1000}, by_mic);
    const auto c = solve_auto(tank.lcp, {.tolerance = 1e-10}, by_auto, active);
    CHECK(a.converged);
    CHECK(b.converged);
    CHECK(c.converged);
    for (std::size_t i = 0; i < n; ++i)
        for (const auto* q : {&by_multigrid, &by_mic, &by_auto})
            REQUIRE(std::abs(q->get(dense.cell[i]) - exact[i]) < 1e-6 * scale);
    Field<double, D> r(system.blocks);
    CHECK(residual(system, by_multigrid, r) == doctest::Approx(a.residual).epsilon(1e-6));
}

TEST_CASE_TEMPLATE("A body as heavy as the liquid stays at rest, and so does the liquid", Dm,
                   Dim<2>, Dim<3>) {
    constexpr int D = Dm::value;
    Tank<D> tank({body_of<D>(brick<D>(), kRho, middle<D>())}, 0.83, 24);
    Field<double, D> q(tank.problem.blocks);
    CHECK(solve_multigrid(tank.lcp.system, {.tolerance = 1e-9}, q).converged);
    tank.take(q);
    CHECK(length(tank.states[0].velocity) < 1e-6 * 9.81 * kDt);
    CHECK(length(tank.states[0].spin) * 0.2 < 1e-6 * 9.81 * kDt);
    CHECK(tank.problem.max_speed() < 1e-5 * 9.81 * kDt);  // velocities are floats
}

TEST_CASE_TEMPLATE("After the solve liquid and bodies move together", Dm, Dim<2>, Dim<3>) {
    constexpr int D = Dm::value;
    for (double density : {1.0, 100.0, 3000.0}) {
        Tank<D> tank({body_of<D>(brick<D>(), density, middle<D>())}, 0.83);
        Field<double, D> q(tank.problem.blocks);
        CHECK(solve_multigrid(tank.lcp.system, {.tolerance = 1e-9}, q).converged);
        tank.take(q);
        CHECK((tank.states[0].velocity[1] > 0) == (density < kRho));
        CHECK(tank.states[0].velocity[1] > -9.81 * kDt);  // slower than in free fall
        // The net outflow of every cell, with the body where it is at its new speed, is zero.
        FixedProblem<D> after(
            tank.problem.grid, {}, Fractions::Area, [&](const Point<D>& x) { return x[1] - 0.83; },
            tank.placed());
        BlockSystem<D> check = assemble_matrix(after.phi, after.solid);
        assemble_rhs(tank.problem.velocity, after.solid, check);
        double worst = 0;
        for (std::size_t i = 0; i < check.rhs.cells(); ++i)
            worst = std::max(worst, std::abs(check.rhs.data()[i]));
        CHECK(worst < 1e-5 * 9.81 * kDt);
    }
}

TEST_CASE_TEMPLATE("With separating walls the coupled complementarity problem is solved", Dm,
                   Dim<2>, Dim<3>) {
    constexpr int D = Dm::value;
    // A body that is pulled up out of the liquid with some speed: liquid lets go under it.
    Body<D> body = body_of<D>(brick<D>(), 2000, middle<D>());
    body.start.velocity[1] = 3;
    Tank<D> tank({body}, 0.83);
    mark_constrained(tank.lcp.system, tank.problem.solid, Separation::Cell, tank.lcp.constrained);
    Field<double, D> q(tank.problem.blocks);
    Field<std::uint8_t, D> active(tank.problem.blocks);
    const auto report = solve_auto(tank.lcp, {.tolerance = 1e-8}, q, active);
    CHECK(report.converged);
    CHECK(report.active > 0);
    CHECK(natural_residual(tank.lcp, q) == doctest::Approx(report.residual));

    // The energy x.A'x/2 - b.x is least there: no feasible neighbour is lower.
    const auto energy = [&](const Field<double, D>& x) {
        Field<double, D> r(tank.problem.blocks);
        (void)residual(tank.lcp.system, x, r);
        double e = 0;
        for (std::size_t i = 0; i < x.cells(); ++i)
            e -= 0.5 * x.data()[i] * (r.data()[i] + tank.lcp.system.rhs.data()[i]);
        return e;
    };
    const double least = energy(q);
    for (int trial = 0; trial < 20; ++trial) {
        Field<double, D> x = q;
        for (std::size_t i = 0; i < x.cells(); ++i) {
            if (!tank.lcp.system.unknown.data()[i]) continue;
            x.data()[i] += 0.02 * (hash_uniform(trial, i, 0) - 0.5);
            if (tank.lcp.constrained.data()[i]) x.data()[i] = std::max(0.0, x.data()[i]);
        }
        CHECK(energy(x) > least);
    }
}

TEST_CASE_TEMPLATE("All solvers that know bodies agree", Dm, Dim<2>, Dim<3>) {
    constexpr int D = Dm::value;
    for (const double density : {200.0, 2000.0}) {
        Body<D> body = body_of<D>(brick<D>(), density, middle<D>());
        body.start.velocity[1] = 3;
        Tank<D> tank({body}, 0.83);
        mark_constrained(tank.lcp.system, tank.problem.solid, Separation::Cell,
                         tank.lcp.constrained);
        Field<double, D> q(tank.problem.blocks);
        Field<std::uint8_t, D> active(tank.problem.blocks);
        REQUIRE(solve_auto(tank.lcp, {.tolerance = 1e-9}, q, active).converged);
        const double largest =
            std::abs(*std::max_element(q.data(), q.data() + q.cells(), [](double a, double b) {
                return std::abs(a) < std::abs(b);
            }));
        const SparseLcp rows = to_sparse(tank.lcp);
        REQUIRE(rows.A.low_rank.size() == kColumns<D>);
        for (const char* word : {"policy-pcg", "penalty-pcg", "newton", "mprgp"}) {
            CAPTURE(word);
            std::vector<double> p;
            const LcpReport report =
                solve_lcp(word, rows, {.tolerance = 1e-9, .max_iterations = 20000}, p);
            CHECK(report.converged);
            Field<double, D> x(tank.problem.blocks);
            from_rows(tank.lcp, p, x);
            CHECK(natural_residual(tank.lcp, x) == doctest::Approx(report.residual).epsilon(1e-3));
            double worst = 0;
            for (std::size_t i = 0; i < x.cells(); ++i)
                worst = std::max(worst, std::abs(x.data()[i] - q.data()[i]));
            CHECK(worst < 1e-5 * largest);
        }
    }
}
