#include "slosh/liquid/viscous_step.h"

#include "slosh/liquid/local_viscosity.h"
#include "slosh/rigid/dynamics.h"
#include "slosh/surface/extend.h"
#include "slosh/viscosity/dense.h"

namespace slosh {

template <int D>
bool is_viscous(const LiquidSetup<D>& setup) {
    const auto own = [](const auto& source) { return source.viscosity > 0; };
    return !setup.gas &&
           (setup.viscosity > 0 || std::any_of(setup.liquid.begin(), setup.liquid.end(), own) ||
            std::any_of(setup.inflows.begin(), setup.inflows.end(), own));
}

namespace {

/// nu = dt eta / (rho dx^2) per unit of eta.
template <int D>
double nu_per_viscosity(const LiquidSetup<D>& setup, double dt) {
    return dt / (setup.density * setup.grid.dx * setup.grid.dx);
}

template <int D>
ViscousBody<D> viscous_body(const LiquidSetup<D>& setup, const Body<D>& body,
                            const BodyState<D>& state) {
    ViscousBody<D> v;
    v.placed = placed_body(body, state);
    v.mass = mass_matrix(body, state);
    const double unit_mass = setup.density * std::pow(setup.grid.dx, D);
    for (auto& row : v.mass.row) row = row / unit_mass;
    if (body.joint) {
        const Twist<D> way = body.joint.motion(state.position);
        for (int k = 0; k < kFreedoms<D>; ++k) v.basis.row[k][0] = way[k];
    } else {
        for (int k = 0; k < kFreedoms<D>; ++k) v.basis.row[k][k] = body.locked[k] ? 0 : 1;
    }
    return v;
}

constexpr int kSkin = 2;  // layers of faces

/// Faces of a sliver of liquid are no rows, but pressure moves them, and the skin of the thickest
/// liquid would run off. Each is taken along by the `solved` ones beside it as its own row would
/// have it: by its mass, its velocity `before`, and the stress in the liquid between. So a droplet
/// that next to nothing ties to the rest falls as it does. Writes u and marks it as solved.
template <int D>
void carry_skin(const ViscousInput<D>& input, const FaceField<float, D>& before,
                FaceField<float, D>& u, FaceField<std::uint8_t, D>& solved) {
    using T = Tile<float, D, 1>;
    for (int layer = 0; layer < kSkin; ++layer) {
        const FaceField<float, D> inner = u;
        const FaceField<std::uint8_t, D> marked = solved;
        parallel_for(u.blocks().size(), 4, [&](std::size_t i) {
            const int b = static_cast<int>(i);
            T cell, edge[kPairs<D>], nu, v;
            cell.load(input.liquid->cell, b);
            if (std::all_of(std::begin(cell.v), std::end(cell.v), [](float w) { return w == 0; }))
                return;
            for (int p = 0; p < kPairs<D>; ++p) edge[p].load(input.liquid->edge[p], b);
            if (input.local_nu)
                nu.load(*input.local_nu, b);
            else
                std::fill(std::begin(nu.v), std::end(nu.v), static_cast<float>(input.nu));
            Tile<std::uint8_t, D, 1> is_solved;
            for (int d = 0; d < D; ++d) {
                v.load(inner.axis(d), b);
                is_solved.load(marked.axis(d), b);
                const float* mass = input.liquid->face.axis(d).block(b);
                for_each_cell<D, 1>([&](const Index<D>&, int o, int t) {
                    if (is_solved.v[t]) return;
                    float tied = 0, sum = 0;
                    const auto tie = [&](int other, float stress) {
                        if (!is_solved.v[other]) return;
                        tied += stress;
                        sum += stress * v.v[other];
                    };
                    const float own = std::max(nu.v[t], nu.v[t - T::step(d)]);
                    for (int e = 0; e < D; ++e) {
                        const int s = T::step(e);
                        const T& w = e == d ? cell : edge[pair_of(std::min(d, e), std::max(d, e))];
                        tie(t - s, (e == d ? 2 : 1) * own * w.v[e == d ? t - s : t]);
                        tie(t + s, (e == d ? 2 : 1) * own * w.v[e == d ? t : t + s]);
                    }
                    if (tied == 0) return;
                    u.axis(d).block(b)[o] =
                        (mass[o] * before.axis(d).block(b)[o] + sum) / (mass[o] + tied);
                    solved.axis(d).block(b)[o] = 1;
                });
            }
        });
    }
}

}  // namespace

template <int D>
ViscousChange<D> viscous_change(const LiquidSetup<D>& setup, const Particles<D>& particles,
                                const ParticleBlocks<D>& occupied, const SolidGrid<D>& solids,
                                const std::vector<BodyState<D>>& states, double time, double dt,
                                bool patient, StepGrid<D>& grid) {
    extend_velocity(grid.velocity, grid.known, 2);
    const VolumeKind kind = setup.step.volumes;
    const SampleVolumes<D> open = open_volumes(grid.solid.nodal, kind);
    const SampleVolumes<D> liquid = liquid_volumes(grid.phi, kind);

    const bool strong = setup.step.coupling == Coupling::Strong;
    std::vector<ViscousBody<D>> bodies;
    for (std::size_t n = 0; n < states.size(); ++n)
        bodies.push_back(viscous_body(setup, setup.bodies[n], states[n]));
    const std::vector<BodyFace> faces = body_volumes(setup.grid, bodies, open, kind);
    const ContactScene<D> others = contact_scene(setup, solids, time, dt);
    const auto moved = [&](bool unknown) {
        return solid_motion<D>(setup.grid, open, grid.solid.velocity, bodies, faces, unknown,
                               others.velocity);
    };
    const FaceField<float, D> known = moved(strong);

    ViscousInput<D> input{.open = &open, .liquid = &liquid, .moved = &known};
    input.plain = kind != VolumeKind::Consistent;
    const double per_viscosity = nu_per_viscosity(setup, dt);
    if (particles.viscous()) {
        grid.local_nu = cell_viscosity(particles, occupied, per_viscosity, grid.blocks);
        input.local_nu = &grid.local_nu;
    } else {
        input.nu = per_viscosity * setup.viscosity;
    }
    std::array<Field<float, D>, kPairs<D>> slip;
    if (has_slip(setup)) {
        slip = edge_slip(setup, solids, bodies, time + dt, open);
        input.slip = &slip;
    }
    const ViscousSystem<D> system = assemble_viscosity(input);
    grid.nu = system.stiffest;

    ViscousChange<D> out;
    out.velocity = FaceField<float, D>(grid.blocks);
    out.bodies.resize(states.size());
    std::vector<double> rhs, x;
    system.load(grid.velocity, rhs, x);
    const ViscousOptions options{.solver = setup.step.viscosity_solver,
                                 .tolerance = setup.step.viscosity_tolerance,
                                 .max_iterations = patient ? 20000 : 2000};
    const bool coupled = !bodies.empty() && setup.step.coupling != Coupling::OneWay;
    BodyColumns<D> columns;
    if (coupled)
        columns = couple_bodies(setup.grid, system, strong ? known : moved(true), bodies, faces);
    const std::size_t rows = rhs.size();
    if (strong && coupled) {
        rhs.insert(rhs.end(), columns.rhs.begin(), columns.rhs.end());
        x.resize(rhs.size());
        columns.guess(bodies, x.data() + rows);
    }
    out.report =
        solve_viscosity<D>(system, strong && coupled ? &columns : nullptr, options, rhs, x);
    if (coupled) {
        if (!strong) {
            // S a = f - B^T x: the bodies alone, in liquid that moves as it does.
            std::vector<double> none(x), product(rows + columns.size());
            none.resize(product.size());
            columns.multiply(static_cast<int>(rows), none, product);
            std::vector<double> a = columns.rhs;
            for (int k = 0; k < columns.size(); ++k) a[k] -= product[rows + k];
            DenseCholesky(columns.stiffness, columns.size(), 1e-14).solve(a.data());
            x.insert(x.end(), a.begin(), a.end());
        }
        for (std::size_t n = 0; n < states.size(); ++n)
            out.bodies[n] = columns.twist(x.data() + rows, static_cast<int>(n)) - twist(states[n]);
    }
    system.store(x, out.velocity);
    // Of the plain system the solve is the velocity, as in [Batty and Bridson 2008]: a face of the
    // air, with neither volume nor stress, comes out of it at rest.
    FaceField<std::uint8_t, D> solved(grid.blocks);
    parallel_for(grid.blocks->size(), 8, [&](std::size_t i) {
        const int b = static_cast<int>(i);
        for (int d = 0; d < D; ++d) {
            const int* number = system.rows.number.axis(d).block(b);
            for (int o = 0; o < kBlockCells<D>; ++o)
                solved.axis(d).block(b)[o] =
                    number[o] >= 0 || (input.plain && number[o] == kAirFace);
        }
    });
    if (!input.plain) carry_skin(input, grid.velocity, out.velocity, solved);
    parallel_for(grid.blocks->size(), 8, [&](std::size_t i) {
        const int b = static_cast<int>(i);
        for (int d = 0; d < D; ++d) {
            float* change = out.velocity.axis(d).block(b);
            const float* before = grid.velocity.axis(d).block(b);
            const std::uint8_t* has_value = solved.axis(d).block(b);
            for (int o = 0; o < kBlockCells<D>; ++o)
                change[o] = has_value[o] ? change[o] - before[o] : 0.0f;
        }
    });
    return out;
}

template <int D>
void stick_to_solids(const LiquidSetup<D>& setup, StepGrid<D>& grid) {
    // As strongly as one step of viscosity ties a face to the wall half a cell away.
    const double tied = 2 * grid.nu / (1 + 2 * setup.step.slip_length / setup.grid.dx);
    const float share = static_cast<float>(tied / (1 + tied));
    parallel_for(grid.blocks->size(), 16, [&](std::size_t i) {
        const int b = static_cast<int>(i);
        if (grid.solid.block_kind[b] == kBlockOpen) return;
        for (int d = 0; d < D; ++d) {
            const float *open = grid.solid.open.axis(d).block(b),
                        *solid = grid.solid.velocity.axis(d).block(b);
            float* u = grid.velocity.axis(d).block(b);
            for (int o = 0; o < kBlockCells<D>; ++o)
                if (open[o] == 0) u[o] += share * (solid[o] - u[o]);
        }
    });
}

template <int D>
void add_velocity(const FaceField<float, D>& change, FaceField<float, D>& u) {
    parallel_for(u.blocks().size(), 16, [&](std::size_t i) {
        const int b = static_cast<int>(i);
        for (int d = 0; d < D; ++d)
            for (int o = 0; o < kBlockCells<D>; ++o)
                u.axis(d).block(b)[o] += change.axis(d).block(b)[o];
    });
}

#define SLOSH_INSTANTIATE(D)                                                                       \
    template bool is_viscous<D>(const LiquidSetup<D>&);                                            \
    template ViscousChange<D> viscous_change<D>(                                                   \
        const LiquidSetup<D>&, const Particles<D>&, const ParticleBlocks<D>&, const SolidGrid<D>&, \
        const std::vector<BodyState<D>>&, double, double, bool, StepGrid<D>&);                     \
    template void stick_to_solids<D>(const LiquidSetup<D>&, StepGrid<D>&);                         \
    template void add_velocity<D>(const FaceField<float, D>&, FaceField<float, D>&);
SLOSH_INSTANTIATE(2)
SLOSH_INSTANTIATE(3)
#undef SLOSH_INSTANTIATE

}  // namespace slosh
