// Validation case 4c and 11b: bodies in the pressure solve alone, at the instant of their release.
#include <fmt/format.h>

#include "slosh/cli/validate_liquid.h"
#include "slosh/cli/validate_rows.h"
#include "slosh/liquid/step_bodies.h"
#include "slosh/pressure/fixed_problem.h"
#include "slosh/rigid/mass.h"
#include "slosh/shape/csg.h"
#include "slosh/shape/primitives.h"

namespace slosh::cli {

namespace {

constexpr double kGravity = 9.81, kRho = 1000, kDt = 0.01;

/// One body, released from its start in liquid at rest that fills what `solids` leave open.
template <int D>
struct Release {
    LiquidSetup<D> setup;
    StepBodies<D> bodies;
    FixedProblem<D> problem;
    bool converged = false;

    Release(const GridGeometry<D>& grid, const std::vector<Solid<D>>& solids, const Body<D>& body,
            double g)
        : setup(make_setup(grid, body)),
          bodies(setup, {body.start}, down(g), 0, kDt),
          problem(
              grid, solids, Fractions::Area, [](const Point<D>&) { return -1.0; },
              bodies.placed()) {
        problem.set_velocity([&](const Point<D>&) { return down(g) * kDt; });
        BlockSystem<D> system = assemble_matrix(problem.phi, problem.solid);
        assemble_rhs(problem.velocity, problem.solid, system);
        bodies.couple(problem.solid.body_faces, system);
        make_consistent(system);
        Field<double, D> q(problem.blocks);
        converged = solve_multigrid(system, {.tolerance = 1e-9}, q).converged;
        bodies.finish(q);
        subtract_gradient(system, problem.phi, problem.solid, q, problem.velocity, problem.known);
    }
    static Point<D> down(double g) {
        Point<D> v;
        v[1] = -g;
        return v;
    }
    static LiquidSetup<D> make_setup(const GridGeometry<D>& grid, const Body<D>& body) {
        LiquidSetup<D> s;
        s.grid = grid;
        s.density = kRho;
        s.bodies = {body};
        return s;
    }
};

/// Lamb: added mass of a cylinder or sphere of radius 1 centred in a shell of radius b, in units of
/// the displaced liquid's.
template <int D>
double added_mass(double b) {
    const double n = std::pow(b, D);
    return D == 2 ? (n + 1) / (n - 1) : 0.5 * (n + 2) / (n - 1);
}

template <int D>
void release_in_shell(ValidateReport& report, double b) {
    const double radius = 0.1, dx = 2 * radius / 16;
    const int cells = static_cast<int>(std::ceil(2 * b * radius / dx)) + 4;
    const GridGeometry<D> grid{.origin = {}, .dx = dx, .cells = Index<D>::filled(cells)};
    Point<D> middle;  // off the grid lines by other shares along each axis
    for (int d = 0; d < D; ++d) middle[d] = (0.5 * cells + 0.13 + 0.21 * d) * dx;
    const std::vector<Solid<D>> shell = {{"shell", invert<D>(sphere<D>(middle, b * radius)), {}}};
    for (const double s : {0.1, 0.5, 1.0, 3.0}) {
        const Release<D> r(grid, shell, body_of<D>(sphere<D>(middle, radius), s * kRho), kGravity);
        const double a = r.bodies.states()[0].velocity[1] / kDt;
        const std::string name =
            fmt::format("4c/density={:g}/{}/b={:g}", s, D == 2 ? "cylinder" : "sphere", b);
        const double exact = kGravity * (1 - s) / (s + added_mass<D>(b));
        if (s == 1)
            add_small(report, name, "|acceleration| / g", std::abs(a) / kGravity,
                      r.converged ? 1e-6 : 0);
        else
            report.compare(name, "acceleration, m/s^2", a, exact, r.converged ? 0.03 : 0);
    }
}

}  // namespace

void validate_release(ValidateReport& report) {
    for (const double b : {2.0, 3.0, 4.0}) release_in_shell<2>(report, b);
    for (const double b : {2.0, 3.0}) release_in_shell<3>(report, b);
}

// ---- 11b: a box that sinks in a tube with gaps of half a cell -----------------------------------

void validate_gaps(ValidateReport& report) {
    // The tube is 11 cells wide and the box 10, off the grid lines by half a cell.
    const double dx = 0.02, width = 10 * dx;
    const GridGeometry<2> grid{.origin = {}, .dx = dx, .cells = {11, 48}};
    const Body<2> box_body = [&] {
        Body<2> b = body_of<2>(box<2>({0.5 * dx, 20.3 * dx}, {10.5 * dx, 29.8 * dx}), 2500);
        b.start.velocity = {0, -0.4};
        return b;
    }();
    const Release<2> r(grid, {}, box_body, kGravity);
    const double speed = -r.bodies.states()[0].velocity[1];
    double flux = 0, open = 0;
    for (int i = 0; i < 11; ++i) {
        const double w = r.problem.solid.open.axis(1).get({i, 25});
        flux += w * r.problem.velocity.axis(1).get({i, 25});
        open += w;
    }
    report.compare("11b", "mean gap speed, m/s", open > 0 ? flux / open : 0, speed * width / dx,
                   r.converged ? 0.02 : 0);
    report.compare("11b", "open width, cells", open, 1, 0.02);
    report.tell("11b", "speed of the box, m/s", speed);
}

}  // namespace slosh::cli
