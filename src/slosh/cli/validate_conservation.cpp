// Validation case 10: momentum, angular momentum, volume and energy.
#include "slosh/base/hash.h"
#include "slosh/cli/validate_liquid.h"
#include "slosh/cli/validate_rows.h"
#include "slosh/liquid/topology.h"
#include "slosh/particles/move.h"
#include "slosh/particles/transfer.h"
#include "slosh/shape/primitives.h"

namespace slosh::cli {

namespace {

template <int D>
Point<D> momentum(const Particles<D>& p) {
    Point<D> sum;
    for (std::size_t i = 0; i < p.size(); ++i) sum += p.velocity(i);
    return sum;
}

/// Angular momentum about the origin (z component), in grid units, of particles with their affine
/// parts: x cross v + the part of c, weighed with the kernel's inertia of each component.
double angular_momentum(const Particles<2>& p) {
    double sum = 0;
    for (std::size_t i = 0; i < p.size(); ++i) {
        const Point<2> x = p.position(i), v = p.velocity(i);
        sum += x[0] * v[1] - x[1] * v[0];
        // Multilinear kernel: inertia along axis e of component d is t(1-t), with t the particle's
        // offset from the lower sample of that component.
        const auto inertia = [&](int component, int axis) {
            const double s = x[axis] - (component == axis ? 0.0 : 0.5);
            const double t = s - std::floor(s);
            return t * (1 - t);
        };
        sum += p.c[1][0][i] * inertia(1, 0) - p.c[0][1][i] * inertia(0, 1);
    }
    return sum;
}

/// A blob that crosses the box without gravity keeps its momentum.
void translating_blob(ValidateReport& report) {
    LiquidSetup<2> setup = closed_box<2>({64, 64}, 1.0 / 64);
    setup.gravity[1] = Curve(0);
    setup.liquid.push_back({sphere<2>({0.25, 0.4}, 0.15), {1.0, 0.3}, {}, {}});
    LiquidSimulation<2> simulation(setup);
    const Point<2> before = momentum(simulation.state().particles);
    run_to<2>(simulation, 0.5, [](const StepReport&) {});
    const Point<2> after = momentum(simulation.state().particles);
    add_small(report, "10/translation", "|change of momentum| / momentum, one crossing",
              length(after - before) / length(before), 1e-3);
}

/// Particles to grid and back, nothing in between: both momenta survive.
void transfer_round_trip(ValidateReport& report) {
    Particles<2> p;
    const std::size_t n = 2000;
    p.resize(n, true);
    for (std::size_t i = 0; i < n; ++i) {
        for (int d = 0; d < 2; ++d) {
            p.x[d][i] = static_cast<float>(4 + 20 * hash_uniform(3, i, d));
            p.v[d][i] = static_cast<float>(hash_uniform(4, i, d) - 0.3);
            for (int e = 0; e < 2; ++e)
                p.c[d][e][i] = static_cast<float>(hash_uniform(5, i, 2 * d + e) - 0.5);
        }
        p.id[i] = static_cast<std::uint32_t>(i);
    }
    const ParticleBlocks<2> occupied = sort_by_block(p);
    const BlocksPtr<2> blocks = step_topology(*occupied.blocks);
    FaceField<float, 2> velocity(blocks), weight(blocks);
    const Point<2> before = momentum(p);
    const double spin = angular_momentum(p);
    particles_to_grid(p, occupied, velocity, weight);
    const Field<float, 2> no_solid(blocks, 5.0f);
    (void)gather_and_move<2>(
        velocity, nullptr, no_solid, occupied,
        {.dt_over_dx = 0, .order = 2, .transfer = Transfer::Apic, .flip_blend = 0}, p);
    add_small(report, "10/transfer", "|change of momentum| / momentum, one round trip",
              length(momentum(p) - before) / length(before), 1e-5);
    add_small(report, "10/transfer", "|change of angular momentum| / itself, one round trip",
              std::abs(angular_momentum(p) - spin) / std::abs(spin), 1e-5);
}

/// Sloshing in a tank for a minute: volume is kept, and the waves get no energy from nowhere. Their
/// energy is read off the kinetic energy, which peaks twice a period; the potential energy would
/// mix in how particles are spread below the surface, so the centre of mass is reported by itself.
void long_sloshing(ValidateReport& report) {
    const int n = 48;
    LiquidSetup<2> setup = closed_box<2>({n, n}, 1.0 / n);
    setup.liquid.push_back({formula_shape<2>([](const Point<2>& x) {
                                return x[1] - 0.5 - 0.1 * std::cos(3.14159265358979 * x[0]);
                            }),
                            {},
                            {},
                            {}});
    LiquidSimulation<2> simulation(setup);
    const double start = centre_of_mass(simulation)[1];
    double first_volume = 0, worst = 0, early = 0, late = 0;
    run_to<2>(simulation, 60, [&](const StepReport& s) {
        if (first_volume == 0) first_volume = s.volume;
        worst = std::max(worst, std::abs(s.volume / first_volume - 1));
        double& peak = s.time < 10 ? early : late;
        peak = std::max(peak, s.kinetic_energy);
    });
    add_small(report, "10/volume", "largest relative change of volume in 60 s", worst, 0.01);
    add_small(report, "10/energy", "growth of peak kinetic energy after 10 s over before",
              std::max(late / early - 1, 0.0), 0.05);
    report.tell("10/energy", "rise of the centre of mass in 60 s, cells",
                (centre_of_mass(simulation)[1] - start) * n);
}

}  // namespace

void validate_conservation(ValidateReport& report) {
    transfer_round_trip(report);
    translating_blob(report);
    long_sloshing(report);
}

}  // namespace slosh::cli
