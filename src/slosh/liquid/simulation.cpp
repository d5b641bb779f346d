// The liquid time step. It only sequences: each stage is a function of a lower folder, and what it
// reads and writes is in its arguments. docs/step.md draws the same list.
#include "slosh/liquid/simulation.h"

#include <fmt/format.h>

#include <optional>

#include "slosh/base/error.h"
#include "slosh/base/memory.h"
#include "slosh/gas/domain.h"
#include "slosh/gas/smoke.h"
#include "slosh/lcp/auto.h"
#include "slosh/liquid/contact.h"
#include "slosh/liquid/forces.h"
#include "slosh/liquid/gas_step.h"
#include "slosh/liquid/momentum.h"
#include "slosh/liquid/projection.h"
#include "slosh/liquid/sources.h"
#include "slosh/liquid/spread.h"
#include "slosh/liquid/step_bodies.h"
#include "slosh/liquid/step_grid.h"
#include "slosh/liquid/step_length.h"
#include "slosh/liquid/topology.h"
#include "slosh/liquid/viscous_step.h"
#include "slosh/particles/move.h"
#include "slosh/particles/transfer.h"
#include "slosh/surface/extend.h"
#include "slosh/surface/level_set.h"
#include "slosh/surface/measure.h"
#include "slosh/surface/mesher.h"
#include "slosh/surface/show.h"

namespace slosh {

namespace {
/// Layers of velocity that the transfer leaves open next to walls and surface, filled before the
/// projection so that every face of a liquid cell has a velocity.
constexpr int kFillLayers = 2;
/// Cells of velocity past the surface beyond what a particle can cross: one for the interpolation,
/// one for the particle's own distance from the surface.
constexpr int kBandSlack = 2;
/// Of a gas, which has no surface to be carried past: a face that a particle reads is at most a
/// step along each axis and one more from an open one.
constexpr int kGasBand = 4;
}  // namespace

template <int D>
struct LiquidSimulation<D>::Impl {
    LiquidSetup<D> setup;
    LiquidState<D> state;
    ParticleBlocks<D> occupied;  // of state.particles, which are always sorted by block
    mutable SolidGrid<D> solids;
    // Lives from one substep to the next, but not over the end of a frame: there a run may be cut
    // and go on from its particles alone, with the same bits.
    WarmStart<D> warm;

    Contact<D> contact;

    explicit Impl(LiquidSetup<D> s)
        : setup(std::move(s)),
          solids(setup.grid, setup.solids, setup.open_side),
          contact(setup.bodies) {}

    SolidDistance<D> solid_distance(double time) const {
        return [this, time](const Point<D>& x) {
            return std::min(solids.distance(x, time), body_distance(setup, state.bodies, x));
        };
    }
    Point<D> gravity(double time) const {
        Point<D> g;
        for (int d = 0; d < D; ++d) g[d] = setup.gravity[d].at(time);
        return g;
    }
    StepBodies<D> predict_bodies(double dt) const {
        return {setup,
                state.bodies,
                gravity(state.time + 0.5 * dt),
                state.time,
                dt,
                &contact,
                contact_scene(setup, solids, state.time, dt)};
    }
    LevelSetOptions level_set_options() const {
        // Chosen by the speed that water at rest is left with: with four particles a cell (2D) a
        // narrower kernel is calmer, with eight (3D) a wider one.
        LevelSetOptions options{.tap = D == 2 ? 0.35f : 0.5f};
        options.particles_per_cell =
            static_cast<int>(std::lround(std::pow(setup.step.particles_per_axis, D)));
        return options;
    }
    int band() const {
        return setup.gas ? kGasBand : static_cast<int>(std::ceil(setup.step.cfl)) + kBandSlack;
    }

    BlocksPtr<D> topology() const {
        return setup.gas ? gas_topology(setup.grid, *occupied.blocks)
                         : step_topology(*occupied.blocks);
    }
    void make_level_set(StepGrid<D>& grid) const {
        if (setup.gas) return fill_with_gas(setup.grid, setup.open_side, grid.phi);
        level_set_from_particles(state.particles, occupied, level_set_options(), &grid.solid.centre,
                                 grid.phi);
        extend_into_solids(grid.phi, grid.solid.centre);
    }

    double choose_dt(double remaining, double max_speed) const {
        return step_length(setup, state, length(gravity(state.time)), remaining, max_speed);
    }
    StepGrid<D> build_grid(double dt, const StepBodies<D>& bodies, StepReport& report) const;
    void read_probes(const Field<double, D>& q, double dt, StepReport& report) const;
    bool solve(StepGrid<D>& grid, StepBodies<D>& bodies, double dt, bool fallback,
               StepReport& report, FaceField<float, D>& displacement);
    Point<D> expected_momentum(const StepBodies<D>& bodies, double dt) const;
    void move_bodies(StepBodies<D>& bodies, double dt, StepGrid<D>& grid, StepReport& report);
    bool attempt(double dt, bool ends_frame, bool fallback, StepReport& report);
    void note(const MoveReport& moved, StepReport& report) const;
    void finish(double dt, StepReport& report);
    Separation separation() const { return separation_of(setup); }
};

template <int D>
LiquidSimulation<D>::LiquidSimulation(LiquidSetup<D> setup)
    : impl_(std::make_unique<Impl>(std::move(setup))) {
    Impl& m = *impl_;
    for (const Body<D>& body : m.setup.bodies) m.state.bodies.push_back(body.start);
    if (m.setup.gas) {
        check_gas(m.setup);
        seed_gas(m.setup, m.solid_distance(0), m.state);
    } else {
        seed_initial_liquid(m.setup, m.solid_distance(0), m.state);
        run_inflows(m.setup, m.solid_distance(0), m.state);
    }
    if (m.state.particles.size() == 0 && m.setup.inflows.empty())
        throw InputError(
            "the scene holds no liquid: no initial shape lies inside the domain and "
            "outside of solids, and there is no inflow");
    m.occupied = sort_by_block(m.state.particles);
}

template <int D>
LiquidSimulation<D>::~LiquidSimulation() = default;

template <int D>
const LiquidSetup<D>& LiquidSimulation<D>::setup() const {
    return impl_->setup;
}

template <int D>
const LiquidState<D>& LiquidSimulation<D>::state() const {
    return impl_->state;
}

template <int D>
void LiquidSimulation<D>::restore(LiquidState<D> state) {
    impl_->state = std::move(state);
    impl_->warm.clear();
    impl_->occupied = sort_by_block(impl_->state.particles);
}

template <int D>
double LiquidSimulation<D>::next_dt(double remaining) const {
    return impl_->choose_dt(remaining, fastest(impl_->setup, impl_->state));
}

template <int D>
void LiquidSimulation<D>::touch(const Touch& change) {
    change(impl_->setup, impl_->state);
}

template <int D>
StepReport LiquidSimulation<D>::step(double remaining) {
    SLOSH_EXPECT(remaining > 0);
    Impl& m = *impl_;
    StepReport report;
    report.max_speed = fastest(m.setup, m.state);
    if (!std::isfinite(report.max_speed))
        throw SolveError(fmt::format(
            "the velocity of a particle or body is not finite at t = {:.6g} s; lower cfl "
            "or max_dt, and please report the scene",
            m.state.time));

    // Until the pressure solve has succeeded the particles are untouched, so a rejected attempt
    // costs only its time: first the other solver is tried, then half the step.
    double dt = m.choose_dt(remaining, report.max_speed);
    while (!m.attempt(dt, dt >= remaining, false, report) &&
           !m.attempt(dt, dt >= remaining, true, report)) {
        dt *= 0.5;
        const bool by_viscosity = report.pressure.converged;
        const SolveReport& failed = by_viscosity ? report.viscosity : report.pressure;
        if (dt < m.setup.step.min_dt)
            throw SolveError(fmt::format(
                "the {} solve did not converge at t = {:.6g} s (residual {:.3g} of {:.3g} "
                "asked after {} iterations, dt down to {:.3g} s); raise {}",
                by_viscosity ? "viscous" : "pressure", m.state.time, failed.relative_residual,
                by_viscosity ? m.setup.step.viscosity_tolerance : m.setup.step.tolerance,
                failed.iterations, dt,
                by_viscosity ? "viscosity_tolerance" : "max_iterations or tolerance"));
    }
    m.finish(dt, report);
    if (dt >= remaining) m.warm.clear();
    return report;
}

/// The grid of a step of `dt` from the present state, up to the predicted velocity u*.
template <int D>
StepGrid<D> LiquidSimulation<D>::Impl::build_grid(double dt, const StepBodies<D>& bodies,
                                                  StepReport& report) const {
    StageTimes& times = report.times;
    StepGrid<D> grid = [&] {
        StageTimer timer(times, "topology");
        return StepGrid<D>(topology());
    }();
    {
        StageTimer timer(times, "solids");
        const std::vector<PlacedBody<D>> placed = bodies.placed();
        solids.update(state.time, dt, grid.blocks, setup.step.fractions, grid.solid, placed);
        grid.sticky = mark_sticky_solids(setup, solids, state.time + dt, placed, grid.solid);
    }
    // Particles carry mass and momentum; the grid is rebuilt from them every step.
    {
        StageTimer timer(times, "level set");
        make_level_set(grid);
        report.volume = liquid_volume(grid.phi, &grid.solid.cell_open) * std::pow(setup.grid.dx, D);
    }
    {
        StageTimer timer(times, "particles to grid");
        const bool flip = setup.step.transfer == Transfer::Flip;
        if (setup.gas) {
            if (flip) grid.transferred = FaceField<float, D>(grid.blocks);
            gas_to_grid(setup, state, occupied, gravity(state.time + 0.5 * dt), dt, grid.velocity,
                        grid.weight, flip ? &grid.transferred : nullptr);
            if (flip) {
                mark_positive(grid.weight, grid.known);
                extend_velocity(grid.transferred, grid.known, kFillLayers);
            }
        } else {
            particles_to_grid(state.particles, occupied, grid.velocity, grid.weight);
        }
        mark_positive(grid.weight, grid.known);
        extend_velocity(grid.velocity, grid.known, kFillLayers);
        if (flip && !setup.gas) grid.transferred = grid.velocity;
    }
    if (!setup.gas) {
        StageTimer timer(times, "forces");
        add_body_force(gravity(state.time + 0.5 * dt) * dt, grid.known, grid.velocity);
    }
    report.blocks = grid.blocks->size();
    return grid;
}

/// Without a finite velocity of every particle nothing that follows would mean anything.
template <int D>
void LiquidSimulation<D>::Impl::note(const MoveReport& moved, StepReport& report) const {
    if (moved.not_finite > 0)
        throw SolveError(
            fmt::format("{} of {} particles have no finite velocity at t = {:.6g} s; lower "
                        "cfl or max_dt, and please report the scene",
                        moved.not_finite, state.particles.size(), state.time));
    report.left_inside = moved.left_inside;
}

/// Everything on the grid, then the move. Returns false, with the state untouched, if the pressure
/// solve failed.
template <int D>
bool LiquidSimulation<D>::Impl::attempt(double dt, bool ends_frame, bool fallback,
                                        StepReport& report) {
    report.dt = dt;
    StageTimes& times = report.times;
    StepBodies<D> bodies = predict_bodies(dt);
    if (state.particles.size() == 0) {
        bodies.move();
        state.bodies = bodies.states();
        return report.accepted = true;
    }
    StepGrid<D> grid = build_grid(dt, bodies, report);
    FaceField<float, D> displacement;
    if (!solve(grid, bodies, dt, fallback, report, displacement)) return report.accepted = false;
    if (!bodies.empty()) {
        limit_slits(grid.solid.open, grid.known, grid.velocity);
        move_bodies(bodies, dt, grid, report);
    }

    // The projected field ends at the surface, but particles sample past it.
    {
        StageTimer timer(times, "extrapolation");
        extend_velocity(grid.velocity, grid.known, band(), &grid.solid.nodal);
        const bool moving = solids.moving() || !bodies.empty();
        constrain_velocity(grid.velocity, grid.solid.nodal, grid.solid.open,
                           moving ? &grid.solid.velocity : nullptr, separation() != Separation::Off,
                           grid.sticky.blocks_ptr() ? &grid.sticky : nullptr,
                           &grid.solid.block_kind);
        if (grid.nu > 0) stick_to_solids(setup, grid);
    }
    const ExactSolids<D> exact = exact_solids(setup, solids, state.time + dt, state.bodies);
    const ExactSolids<D>* near = bodies.empty() ? nullptr : &exact;
    {
        StageTimer timer(times, "grid to particles, move");
        if (moves_on_grid(setup.step))
            note(displace(state.particles, occupied, displacement, grid.solid.nodal, near), report);
        const Point<D> expected = grid.is_afloat ? expected_momentum(bodies, dt) : Point<D>{};
        const MoveOptions move{.dt_over_dx = dt / setup.grid.dx,
                               .order = setup.step.advection_order,
                               .transfer = setup.step.transfer,
                               .flip_blend = setup.step.flip_blend,
                               .affine_keep = std::exp(-dt / setup.step.affine_time)};
        note(gather_and_move(grid.velocity,
                             grid.transferred.blocks_ptr() ? &grid.transferred : nullptr,
                             grid.solid.nodal, occupied, move, state.particles, near),
             report);
        if (grid.is_afloat) set_momentum(setup, expected, state.particles);
    }
    if (ends_frame && has_constraints(setup.step)) {
        StageTimer timer(times, "spacing");
        occupied = sort_by_block(state.particles);
        report.spacing = space_particles(grid.solid.nodal, near, spacing_options(setup.step),
                                         state.particles, occupied);
    }
    return report.accepted = true;
}

/// Of the liquid at the end of a step from the present state, if bodies alone touch it.
template <int D>
Point<D> LiquidSimulation<D>::Impl::expected_momentum(const StepBodies<D>& bodies,
                                                      double dt) const {
    const double mass = particle_mass(setup) * static_cast<double>(state.particles.size());
    Point<D> sum = momentum(setup, state.particles) + gravity(state.time + 0.5 * dt) * (mass * dt);
    for (const Twist<D>& impulse : bodies.impulses())
        for (int d = 0; d < D; ++d) sum[d] -= impulse[d];
    return sum;
}

/// Moves the bodies with the velocity that the pressure left them, and puts them on the grid where
/// they end, for the particles that move next.
template <int D>
void LiquidSimulation<D>::Impl::move_bodies(StepBodies<D>& bodies, double dt, StepGrid<D>& grid,
                                            StepReport& report) {
    StageTimer timer(report.times, "bodies");
    bodies.move();
    report.bodies = body_reports(bodies.states());
    report.contacts = bodies.contacts();
    state.bodies = bodies.states();
    solids.update(state.time, dt, grid.blocks, setup.step.fractions, grid.solid, bodies.placed());
}

/// Pressure, viscosity between two solves of it, and on the same matrix the displacement that evens
/// the particles out.
template <int D>
bool LiquidSimulation<D>::Impl::solve(StepGrid<D>& grid, StepBodies<D>& bodies, double dt,
                                      bool fallback, StepReport& report,
                                      FaceField<float, D>& displacement) {
    std::optional<StageTimer> timer(std::in_place, report.times, "assembly");
    const bool viscous = is_viscous(setup);
    Projection<D> projection(setup, separation(), fallback, grid, bodies, report);
    FaceField<float, D> predicted;
    if (viscous) predicted = grid.velocity;
    timer.emplace(report.times, "pressure");
    if (!fallback) warm.guess(projection.lcp, dt, projection.q, projection.active);
    if (!projection.solve(grid, report)) return false;
    const int passes = !viscous ? 0 : projection.sees_air() ? 1 : setup.step.viscosity_passes;
    for (int left = passes; left > 0; --left) {
        timer.emplace(report.times, "viscosity");
        std::vector<BodyState<D>> after = bodies.after_pressure(projection.q);
        const ViscousChange<D> change = viscous_change(setup, state.particles, occupied, solids,
                                                       after, state.time, dt, fallback, grid);
        report.viscosity = change.report;
        if (!report.viscosity.converged) return false;
        FaceField<float, D> w = std::move(grid.velocity);
        grid.velocity = predicted;
        add_velocity(change.velocity, grid.velocity);
        bodies.push(change.bodies);
        timer.emplace(report.times, "pressure");
        const Field<double, D> before = left > 1 ? projection.q : Field<double, D>();
        projection.renew(grid, bodies);
        if (!projection.solve(grid, report)) return false;
        if (left == 1) break;
        add_velocity(change.velocity, w);
        for (std::size_t n = 0; n < after.size(); ++n)
            set_twist(twist(after[n]) + change.bodies[n], after[n]);
        projection.add_viscous_pressure(w, after, before, grid, bodies);
        grid.velocity = predicted;
        projection.subtract(grid);
    }
    grid.is_afloat = !touches_scene(projection.lcp.system.unknown, grid.solid);
    if (separation() != Separation::Off)
        mark_pressed(projection.lcp.constrained, projection.active, grid.solid, grid.sticky);

    bodies.finish(projection.q);
    read_probes(projection.q, dt, report);
    timer.reset();

    if (moves_on_grid(setup.step)) {
        StageTimer spreading(report.times, "density correction");
        displacement =
            spread_particles(state.particles, occupied, setup.step, grid,
                             separation() == Separation::Off ? nullptr : &projection.active,
                             projection.lcp.system, projection.alone());
    }
    warm = {std::move(projection.q), std::move(projection.active), dt};
    return true;
}

/// p = rho dx q / dt in the cells that hold the probes.
template <int D>
void LiquidSimulation<D>::Impl::read_probes(const Field<double, D>& q, double dt,
                                            StepReport& report) const {
    report.probe_pressure.clear();
    for (const Point<D>& x : setup.probes)
        report.probe_pressure.push_back(setup.density * setup.grid.dx / dt *
                                        q.get(floor(setup.grid.to_grid(x))));
}

/// After the move: liquid leaves and enters, the particles are sorted again, the clock goes on.
template <int D>
void LiquidSimulation<D>::Impl::finish(double dt, StepReport& report) {
    state.time += dt;
    state.steps += 1;
    {
        StageTimer timer(report.times, "sources");
        report.drained = run_drains(setup, state);
        report.emitted = run_inflows(setup, solid_distance(state.time), state);
    }
    {
        StageTimer timer(report.times, "sort");
        occupied = sort_by_block(state.particles);
    }
    if (setup.gas) {
        StageTimer timer(report.times, "sources");
        report.emitted += finish_gas(setup, solid_distance(state.time), dt, occupied, state);
    }
    const Energies e = energies(state.particles, setup, state.time);
    report.kinetic_energy = e.kinetic;
    report.potential_energy = e.potential;
    const Energies of_bodies = body_energies(setup, state.bodies, gravity(state.time));
    report.body_kinetic_energy = of_bodies.kinetic;
    report.body_potential_energy = of_bodies.potential;
    report.time = state.time;
    report.particles = state.particles.size();
    report.peak_bytes = peak_bytes();
}

template <int D>
LiquidFrame<D> LiquidSimulation<D>::frame(bool with_velocity) const {
    const Impl& m = *impl_;
    LiquidFrame<D> out;
    const BlocksPtr<D> blocks = m.topology();
    for (std::size_t n = 0; n < m.state.bodies.size(); ++n)
        out.bodies.push_back(placement(m.setup.bodies[n], m.state.bodies[n]));
    if (m.setup.gas) {
        out.smoke = Field<float, D>(blocks);
        out.temperature = Field<float, D>(blocks, static_cast<float>(m.setup.gas->ambient));
        smoke_to_grid(*m.setup.gas, m.state.particles, m.occupied, out.smoke, out.temperature);
        if (!with_velocity) return out;
    }
    StepGrid<D> grid(blocks);
    m.solids.update(m.state.time, 0, blocks, m.setup.step.fractions, grid.solid,
                    placed_bodies(m.setup, m.state.bodies));
    m.make_level_set(grid);
    particles_to_grid(m.state.particles, m.occupied, grid.velocity, grid.weight);
    mark_positive(grid.weight, grid.known);
    extend_velocity(grid.velocity, grid.known, kFillLayers);
    out.velocity = std::move(grid.velocity);
    out.level_set = std::move(grid.phi);
    if (m.setup.gas) return out;
    const ShowOptions show{.refine = D == 2 ? 2 : 1,
                           .particles_per_cell = m.level_set_options().particles_per_cell};
    const Field<float, D> shown =
        show_level_set(m.state.particles, m.occupied, show, &grid.solid.nodal);
    out.surface = mesh_surface(shown, shown_grid(m.setup.grid, show), &out.velocity, &m.setup.grid);
    return out;
}

template <int D>
BlockLcp<D> LiquidSimulation<D>::pressure_problem(double dt) const {
    StepReport report;
    StepBodies<D> bodies = impl_->predict_bodies(dt);
    const StepGrid<D> grid = impl_->build_grid(dt, bodies, report);
    BlockLcp<D> lcp = assemble_pressure(impl_->separation(), grid, bodies);
    make_consistent(lcp);
    return lcp;
}

template class LiquidSimulation<2>;
template class LiquidSimulation<3>;

}  // namespace slosh
