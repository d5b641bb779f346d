#include "slosh/viscosity/system.h"

#include <doctest/doctest.h>

#include "common.h"
#include "flows.h"

namespace slosh {
namespace {

template <int D>
Point<D> rigid(const Point<D>& x) {
    if constexpr (D == 2)
        return {0.3 - 2 * (x[1] - 0.5), 0.1 + 2 * (x[0] - 0.5)};
    else
        return Point<3>{0.3, 0.1, -0.2} + cross(Point<3>{1, 2, -1}, x - Point<3>::filled(0.5));
}

template <int D>
double blob(const Point<D>& x) {
    return std::min(length(x - Point<D>::filled(0.5)) - 0.3,
                    length(x - Point<D>::filled(0.3)) - 0.2);
}

/// Largest difference between the velocity of rows and v.
template <int D>
double off(const test::Flow<D>& flow, const ViscousSystem<D>& system,
           const std::function<Point<D>(const Point<D>&)>& v) {
    double worst = 0;
    for (int b = 0; b < flow.blocks->size(); ++b)
        system.rows.each(b, [&](int, int d, int o) {
            const Point<D> x = flow.grid.face(d, flow.blocks->first_cell(b) + local_cell<D>(o));
            worst = std::max(worst, std::abs(flow.velocity.axis(d).block(b)[o] - v(x)[d]));
        });
    return worst;
}

}  // namespace

TEST_CASE_TEMPLATE("the operator annihilates rigid motion", T, Dim<2>, Dim<3>) {
    constexpr int D = T::value;
    test::Flow<D> flow(24, test::no_solid<D>, blob<D>);
    const double nu = 1e6;
    const ViscousSystem<D> s = flow.assemble(nu);
    std::vector<double> x(s.rows.size()), y;
    for (int b = 0; b < flow.blocks->size(); ++b)
        s.rows.each(b, [&](int row, int d, int o) {
            x[row] = s.open[row] *
                     rigid<D>(flow.grid.face(d, flow.blocks->first_cell(b) + local_cell<D>(o)))[d];
        });
    multiply(s.matrix, x, y);
    double worst = 0;
    for (int i = 0; i < s.rows.size(); ++i)
        worst = std::max(worst, std::abs(y[i] - s.liquid[i] / s.open[i] * x[i]));
    CHECK(s.rows.size() > 300);
    CHECK(worst < 1e-13 * nu);
}

TEST_CASE_TEMPLATE("a spinning blob spins on at any viscosity", T, Dim<2>, Dim<3>) {
    constexpr int D = T::value;
    for (const char* solver : {"auto", "mic"})
        for (const double nu : {1e-2, 1.0, 1e3, 1e6}) {
            CAPTURE(nu);
            test::Flow<D> flow(D == 2 ? 32 : 16, test::no_solid<D>, blob<D>);
            flow.set(flow.velocity, rigid<D>);
            const SolveReport report = flow.step(nu, {.solver = solver});
            CHECK(report.converged);
            CHECK(off<D>(flow, flow.assemble(nu), rigid<D>) < 2e-6);
        }
}

TEST_CASE("liquid between plates takes the profile of Couette and Poiseuille") {
    constexpr int D = 2;
    // Narrow, so that the stress-free ends are far away.
    const auto plates = [](const Point<D>& x) { return std::min(x[1] - 0.4375, 0.5625 - x[1]); };
    const auto worst = [](const test::Flow<D>& flow, const std::function<double(double)>& exact) {
        const int n = flow.grid.cells[1];
        double most = 0;
        for (int j = 7 * n / 16; j < 9 * n / 16; ++j)
            most = std::max(most,
                            std::abs(flow.velocity.axis(0).get({n / 2, j}) - exact((j + 0.5) / n)));
        return most;
    };
    test::Flow<D> couette(128, plates, test::all_liquid<D>);
    couette.set(couette.solid_velocity, [](const Point<D>& x) {
        return Point<D>{x[1] > 0.5 ? 1.0 : 0.0, 0};
    });
    CHECK(couette.step(1e7).converged);
    CHECK(worst(couette, [](double y) { return (y - 0.4375) / 0.125; }) < 1e-4);

    // One long step under a steady push leaves u = G (y - a)(b - y) / 2, with nu taken out of G.
    const auto poiseuille = [&](int n) {
        test::Flow<D> flow(n, plates, test::all_liquid<D>);
        const double nu = 1e7;
        flow.set(flow.velocity, [&](const Point<D>&) { return Point<D>{nu / (n * n), 0}; });
        CHECK(flow.step(nu).converged);
        return worst(flow, [](double y) { return 0.5 * (y - 0.4375) * (0.5625 - y); }) /
               (0.5 * 0.0625 * 0.0625);
    };
    const double coarse = poiseuille(128), fine = poiseuille(256);
    MESSAGE("Poiseuille: " << coarse << " at 16 cells, " << fine << " at 32");
    CHECK(fine < 0.3 * coarse);
    CHECK(fine < 0.01);
}

TEST_CASE("both solvers find the same velocity, also where viscosity jumps") {
    constexpr int D = 3;
    const auto tank = [](const Point<D>& x) { return 0.42 - length(x - Point<D>::filled(0.5)); };
    const auto waves = [](const Point<D>& x) { return x[1] - 0.5 - 0.05 * std::sin(9 * x[0]); };
    test::Flow<D> flow(20, tank, waves);
    flow.set(flow.velocity, [](const Point<D>& x) {
        return Point<D>{std::sin(5 * x[1]), -1, x[0]};
    });
    Field<float, D> nu(flow.blocks);
    test::sample(
        nu, [&](const Index<D>& i) { return flow.grid.centre(i); },
        [](const Point<D>& x) { return x[0] < 0.5 ? 1e-2 : 1e4; });
    flow.moved = FaceField<float, D>(flow.blocks);
    const ViscousSystem<D> s = assemble_viscosity<D>(
        {.open = &flow.open, .liquid = &flow.liquid, .moved = &flow.moved, .local_nu = &nu});
    std::vector<double> rhs, a, m;
    s.load(flow.velocity, rhs, a);
    m = a;
    CHECK(solve_viscosity<D>(s, nullptr, {.tolerance = 1e-10}, rhs, a).converged);
    CHECK(solve_viscosity<D>(s, nullptr, {.solver = "mic", .tolerance = 1e-10}, rhs, m).converged);
    add(-1, m, a);
    CHECK(max_abs(a) < 1e-6);
}

}  // namespace slosh
