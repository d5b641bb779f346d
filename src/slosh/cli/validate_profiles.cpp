// Validation case 5a: flows whose profile is known. Couette, Poiseuille and the film by one long step of
// the viscous system alone; the vortices of Taylor and Green in whole runs.
#include <fmt/format.h>

#include "slosh/cli/validate_liquid.h"
#include "slosh/cli/validate_rows.h"
#include "slosh/shape/primitives.h"
#include "slosh/viscosity/solve.h"

namespace slosh::cli {

namespace {

// ---- profiles between plates and under a surface --------------------------------------------------

/// Layers of depth 1, and as long as it takes for what the open ends change, free of stress, to die out:
/// in a film, where that is slowest, it falls by exp(-1.11) a depth.
constexpr int kLength = 24;
constexpr double kSteady = 1e8;  // nu of the one long step

constexpr const char* kOrder = "order from 16 to 32 cells";

struct Layer {
    bool lid = false;       ///< A plate on top; else a free surface.
    double lid_speed = 0;
    double push = 0;        ///< Force over viscosity.
    double off = 0;         ///< Cells that the floor lies above a line of the grid.
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

// ---- Taylor-Green between walls along which liquid glides -----------------------------------------

constexpr double kTime = 0.2;  // s

double kinetic_energy(double viscosity, int n) {
    LiquidSetup<2> setup = closed_box<2>({n, n}, 1.0 / n);
    setup.gravity[1] = Curve(0);
    setup.viscosity = viscosity;
    setup.step.slip_length = 1e30;
    setup.step.affine_time = 1e30;
    setup.step.separation = Separation::Off;
    // Time is of first order: with the square of the cell both errors fall alike.
    setup.step.max_dt = 0.01 * std::pow(32.0 / n, 2);
    setup.liquid = {{box<2>({-1, -1}, {2, 2}), {}, {}, {}}};
    LiquidSimulation<2> simulation(setup);
    LiquidState<2> state = simulation.state();
    auto& p = state.particles;
    for (std::size_t i = 0; i < p.size(); ++i) {
        const Point<2> x = setup.grid.to_world(p.position(i)) * M_PI;
        const double s[2] = {std::sin(x[0]), std::sin(x[1])};
        const double c[2] = {std::cos(x[0]), std::cos(x[1])};
        const double k = M_PI / n;  // gradients are per cell
        p.v[0][i] = static_cast<float>(s[0] * c[1]);
        p.v[1][i] = static_cast<float>(-c[0] * s[1]);
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
        {"5a/poiseuille", {.lid = true, .push = 1}, [](double y) { return 0.5 * y * (1 - y); }, 0.125},
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
    // Energy at the end with viscosity over that without: what the transfer takes is in both.
    const double eta = 50, exact = std::exp(-4 * eta / 1000 * M_PI * M_PI * kTime);
    const auto error = [&](int n) {
        return std::abs(kinetic_energy(eta, n) / kinetic_energy(0, n) / exact - 1);
    };
    const Order order{error(16), error(32)};
    add_errors(report, "5a/taylor-green", "error of the energy kept", order);
    report.tell("5a/taylor-green", kOrder, order.order());
}

}  // namespace slosh::cli
