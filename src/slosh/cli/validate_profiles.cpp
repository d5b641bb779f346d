// Validation case 5a: flows whose profile is known. Couette, Poiseuille and the film by one long
// step of the viscous system alone; the vortices of Taylor and Green by many short ones, and in
// whole runs.
#include <fmt/format.h>

#include "slosh/cli/validate_liquid.h"
#include "slosh/cli/validate_rows.h"
#include "slosh/shape/primitives.h"
#include "slosh/viscosity/solve.h"

namespace slosh::cli {

namespace {

// ---- profiles between plates and under a surface
// --------------------------------------------------

/// Layers of depth 1, and as long as it takes for what the open ends change, free of stress, to die
/// out: in a film, where that is slowest, it falls by exp(-1.11) a depth.
constexpr int kLength = 24;
constexpr double kSteady = 1e8;  // nu of the one long step

constexpr const char* kOrder = "order from 16 to 32 cells";

struct Layer {
    bool lid = false;  ///< A plate on top; else a free surface.
    double lid_speed = 0;
    double push = 0;  ///< Force over viscosity.
    double off = 0;   ///< Cells that the floor lies above a line of the grid.
};

/// Largest error over the depth at half the length, over `scale`; n cells are one depth.
double profile_error(const Layer& layer, int n, const std::function<double(double)>& exact,
                     double scale) {
    const GridGeometry<2> grid{.origin = {}, .dx = 1.0 / n, .cells = {kLength * n, 2 * n}};
    std::vector<Index<2>> coords;
    for (int y = -1; y * kSide < grid.cells[1]; ++y)
        for (int x = 0; x * kSide < grid.cells[0]; ++x) coords.push_back({x, y});
    const auto blocks = std::make_shared<const Blocks<2>>(std::move(coords));
    const auto sampled = [&](const auto& where, const auto& value) {
        Field<float, 2> f(blocks);
        for (int b = 0; b < blocks->size(); ++b)
            for (int o = 0; o < kBlockCells<2>; ++o)
                f.block(b)[o] =
                    static_cast<float>(value(where(blocks->first_cell(b) + local_cell<2>(o))));
        return f;
    };
    const double floor = (2 + layer.off) / n, top = floor + 1;
    const auto cells = [&](double d) { return std::clamp(d * n, -5.0, 5.0); };
    const SampleVolumes<2> open = open_volumes(
        sampled([&](const Index<2>& i) { return grid.node(i); },
                [&](const Point<2>& x) {
                    return cells(layer.lid ? std::min(x[1] - floor, top - x[1]) : x[1] - floor);
                }),
        VolumeKind::Consistent);
    const SampleVolumes<2> liquid = liquid_volumes(
        sampled([&](const Index<2>& i) { return grid.centre(i); },
                [&](const Point<2>& x) { return cells(layer.lid ? -1 : x[1] - top); }),
        VolumeKind::Consistent);
    FaceField<float, 2> velocity(blocks), solid(blocks);
    const auto face = [&](const Index<2>& i) { return grid.face(0, i); };
    velocity.axis(0) =
        sampled(face, [&](const Point<2>&) { return layer.push * kSteady / (double(n) * n); });
    solid.axis(0) =
        sampled(face, [&](const Point<2>& x) { return x[1] > floor + 0.5 ? layer.lid_speed : 0; });
    const FaceField<float, 2> moved = solid_motion<2>(grid, open, solid, {}, {}, true, nullptr);
    const ViscousSystem<2> system =
        assemble_viscosity<2>({.open = &open, .liquid = &liquid, .moved = &moved, .nu = kSteady});
    std::vector<double> rhs, x;
    system.load(velocity, rhs, x);
    const SolveReport solve = solve_viscosity<2>(system, nullptr, {.tolerance = 1e-10}, rhs, x);
    if (!solve.converged) return NAN;
    system.store(x, velocity);

    double worst = 0;
    for (int j = 0; j < grid.cells[1]; ++j) {
        const double y = (j + 0.5) / n - floor;
        if (system.rows.number.axis(0).get({kLength * n / 2, j}) < 0 || y < 0 || y > 1) continue;
        worst = std::max(worst, std::abs(velocity.axis(0).get({kLength * n / 2, j}) - exact(y)));
    }
    return worst / scale;
}

/// Errors at 16 and 32 cells, and the order between them where it is not rounding.
struct Order {
    double coarse, fine;
    bool exact() const { return coarse < 1e-5; }
    double order() const { return std::log2(coarse / fine); }
};

void add_errors(ValidateReport& report, const std::string& name, const std::string& what,
                const Order& error) {
    report.tell(name, what + ", 16 cells", error.coarse);
    add_small(report, name, what + ", 32 cells", error.fine, 0.01);
}

// ---- Taylor-Green between walls along which liquid glides
// -----------------------------------------

constexpr double kTime = 0.2;  // s
constexpr double kEta = 50;    // kg/(m s)
constexpr double kRho = 1000;  // kg/m^3

/// Time is of first order: with the square of the cell both errors fall alike.
double step_of(int n) {
    return 0.01 * std::pow(32.0 / n, 2);
}

double vortex(int axis, const Point<2>& x) {
    const double a = M_PI * x[axis], b = M_PI * x[1 - axis];
    return (axis == 0 ? 1 : -1) * std::sin(a) * std::cos(b);
}

/// Share of the energy that steps of the viscous system alone leave of the vortex on the grid. It
/// has no divergence, so pressure would have nothing to do.
double energy_left_on_grid(int n) {
    const GridGeometry<2> grid{.origin = {}, .dx = 1.0 / n, .cells = {n, n}};
    std::vector<Index<2>> coords;
    for (int y = -1; y * kSide <= n; ++y)
        for (int x = -1; x * kSide <= n; ++x) coords.push_back({x, y});
    const auto blocks = std::make_shared<const Blocks<2>>(std::move(coords));
    Field<float, 2> nodal(blocks);
    const Field<float, 2> phi(blocks, -5.0f);
    FaceField<float, 2> u(blocks);
    for (int b = 0; b < blocks->size(); ++b)
        for (int o = 0; o < kBlockCells<2>; ++o) {
            const Index<2> i = blocks->first_cell(b) + local_cell<2>(o);
            const int wall = std::min({i[0], i[1], n - i[0], n - i[1]});
            nodal.block(b)[o] = static_cast<float>(std::max(wall, -5));
            if (i[0] < 0 || i[1] < 0 || i[0] >= n || i[1] >= n) continue;
            for (int d = 0; d < 2; ++d)
                u.axis(d).block(b)[o] = static_cast<float>(vortex(d, grid.face(d, i)));
        }
    const auto energy = [&] {
        double sum = 0;
        for (int d = 0; d < 2; ++d)
            for (std::size_t k = 0; k < u.axis(d).cells(); ++k)
                sum += std::pow(u.axis(d).data()[k], 2);
        return sum;
    };
    const double start = energy();
    const SampleVolumes<2> open = open_volumes(nodal, VolumeKind::Consistent);
    const SampleVolumes<2> liquid = liquid_volumes(phi, VolumeKind::Consistent);
    const std::array<Field<float, 2>, 1> glide = {Field<float, 2>(blocks, 1e6f)};
    const ViscousSystem<2> system = assemble_viscosity<2>(
        {.open = &open, .liquid = &liquid, .nu = step_of(n) * kEta / kRho * n * n, .slip = &glide});
    for (int left = static_cast<int>(std::lround(kTime / step_of(n))); left > 0; --left) {
        std::vector<double> rhs, x;
        system.load(u, rhs, x);
        if (!solve_viscosity<2>(system, nullptr, {.tolerance = 1e-10}, rhs, x).converged)
            return NAN;
        system.store(x, u);
    }
    return energy() / start;
}

/// In a whole run, from the vortex on particles.
double kinetic_energy(double viscosity, int n) {
    LiquidSetup<2> setup = closed_box<2>({n, n}, 1.0 / n);
    setup.gravity[1] = Curve(0);
    setup.viscosity = viscosity;
    setup.step.slip_length = 1e30;
    setup.step.affine_time = 1e30;
    setup.step.separation = Separation::Off;
    setup.step.max_dt = step_of(n);
    setup.liquid = {{box<2>({-1, -1}, {2, 2}), {}, {}, {}}};
    LiquidSimulation<2> simulation(setup);
    LiquidState<2> state = simulation.state();
    auto& p = state.particles;
    for (std::size_t i = 0; i < p.size(); ++i) {
        const Point<2> x = setup.grid.to_world(p.position(i)) * M_PI;
        const double s[2] = {std::sin(x[0]), std::sin(x[1])};
        const double c[2] = {std::cos(x[0]), std::cos(x[1])};
        const double k = M_PI / n;  // gradients are per cell
        for (int d = 0; d < 2; ++d) p.v[d][i] = static_cast<float>(vortex(d, x / M_PI));
        p.c[0][0][i] = static_cast<float>(k * c[0] * c[1]);
        p.c[0][1][i] = static_cast<float>(-k * s[0] * s[1]);
        p.c[1][0][i] = static_cast<float>(k * s[0] * s[1]);
        p.c[1][1][i] = static_cast<float>(-k * c[0] * c[1]);
    }
    simulation.restore(std::move(state));
    double kinetic = 0;
    run_to<2>(simulation, kTime, [&](const StepReport& r) { kinetic = r.kinetic_energy; });
    return kinetic;
}

}  // namespace

void validate_profiles(ValidateReport& report) {
    struct Flow {
        const char* name;
        Layer layer;
        double (*exact)(double y);
        double most;
    };
    const Flow flows[] = {
        {"5a/couette", {.lid = true, .lid_speed = 1}, [](double y) { return y; }, 1},
        {"5a/poiseuille",
         {.lid = true, .push = 1},
         [](double y) { return 0.5 * y * (1 - y); },
         0.125},
        {"5a/film", {.push = 1}, [](double y) { return y - 0.5 * y * y; }, 0.5},
    };
    for (const Flow& flow : flows) {
        const auto error = [&](int n, double off) {
            Layer layer = flow.layer;
            layer.off = off;
            return profile_error(layer, n, flow.exact, flow.most);
        };
        const Order order{error(16, 0), error(32, 0)};
        add_errors(report, flow.name, "error of u over its largest", order);
        if (!order.exact()) add_at_least(report, flow.name, kOrder, order.order(), 1.8);
        double worst = 0;
        for (const double off : {0.2, 0.4, 0.6, 0.8}) worst = std::max(worst, error(32, off));
        report.tell(flow.name, "the same off the grid's lines, 32 cells", worst);
    }
    const double exact = std::exp(-4 * kEta / kRho * M_PI * M_PI * kTime);
    const auto on_grid = [&](int n) { return std::abs(energy_left_on_grid(n) / exact - 1); };
    const Order grid{on_grid(16), on_grid(32)};
    add_errors(report, "5a/taylor-green", "error of the energy left on the grid", grid);
    add_at_least(report, "5a/taylor-green", kOrder, grid.order(), 1.8);
    // Energy at the end with viscosity over that without: what the transfer takes is in both.
    const auto in_run = [&](int n) {
        return std::abs(kinetic_energy(kEta, n) / kinetic_energy(0, n) / exact - 1);
    };
    const Order run{in_run(16), in_run(32)};
    add_errors(report, "5a/taylor-green/run", "error of the energy left", run);
    report.tell("5a/taylor-green/run", kOrder, run.order());
}

}  // namespace slosh::cli
