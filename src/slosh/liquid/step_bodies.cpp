#include "slosh/liquid/step_bodies.h"

#include "slosh/liquid/body_report.h"

namespace slosh {

template <int D>
StepBodies<D>::StepBodies(const LiquidSetup<D>& setup, const std::vector<BodyState<D>>& states,
                          const Point<D>& gravity, double time, double dt,
                          const Contact<D>* contact, const ContactScene<D>& scene)
    : setup_(setup),
      gravity_(gravity),
      dt_(dt),
      states_(states),
      contact_(contact),
      scene_(scene),
      viscous_(states.size()),
      impulses_(states.size()),
      excess_(states.size()) {
    for (std::size_t n = 0; n < states_.size(); ++n)
        apply_impulse(setup.bodies[n], outer_impulse(setup.bodies[n], gravity, time, dt),
                      states_[n]);
    if (contact_ && !empty()) {
        std::vector<BodyState<D>> trial = states_;
        for (std::size_t n = 0; n < trial.size(); ++n)
            apply_impulse(setup.bodies[n], trial[n].liquid * dt, trial[n]);
        const std::vector<BodyState<D>> before = trial;
        contacts_ = contact_->solve(scene_, dt, false, trial);
        for (std::size_t n = 0; n < trial.size(); ++n)
            set_twist(twist(states_[n]) + (twist(trial[n]) - twist(before[n])), states_[n]);
    }
    for (const BodyState<D>& s : states_) placed_.push_back(twist(s));
}

template <int D>
std::vector<PlacedBody<D>> StepBodies<D>::placed() const {
    return placed_bodies(setup_, states_);
}

template <int D>
void StepBodies<D>::couple(const std::vector<BodyFace>& faces, BlockSystem<D>& system) {
    if (empty()) return;
    fluxes_ = body_fluxes(setup_.grid, faces, system.unknown, states_);
    if (setup_.gas)  // its pressure is that beyond gas at rest, whose lift is missing whole
        for (std::size_t n = 0; n < states_.size(); ++n)
            for (int d = 0; d < D; ++d)
                excess_[n][d] = setup_.density * setup_.bodies[n].mass.volume * gravity_[d] * dt_;
    else
        excess_ = hydrostatic_error(fluxes_, setup_.grid, *system.blocks, setup_.density,
                                    setup_.bodies, states_, gravity_, dt_);
    for (std::size_t n = 0; n < states_.size(); ++n)
        apply_impulse(setup_.bodies[n], excess_[n] * -1.0, states_[n]);
    for (const BodyState<D>& s : states_) predicted_.push_back(twist(s));
    renew_rhs(states_, system);
    system.bodies = std::make_shared<LowRank<D>>(
        body_term(fluxes_, setup_.grid, setup_.density, setup_.bodies, states_));
}

template <int D>
void StepBodies<D>::renew_rhs(const std::vector<BodyState<D>>& states,
                              BlockSystem<D>& system) const {
    if (empty()) return;
    std::vector<double> change;
    for (std::size_t n = 0; n < states.size(); ++n) {
        const Twist<D> by = twist(states[n]) - placed_[n];
        for (int k = 0; k < kFreedoms<D>; ++k) change.push_back(by[k]);
    }
    fluxes_.each(change, [&](int b, int o, double s) { system.rhs.block(b)[o] -= s; });
}

template <int D>
std::vector<BodyState<D>> StepBodies<D>::after_pressure(const Field<double, D>& q) const {
    std::vector<BodyState<D>> after = states_;
    if (empty()) return after;
    for (std::size_t n = 0; n < after.size(); ++n) set_twist(predicted_[n], after[n]);
    const auto impulses = pressure_impulses(fluxes_, setup_.grid, setup_.density, q);
    for (std::size_t n = 0; n < after.size(); ++n)
        apply_impulse(setup_.bodies[n], impulses[n], after[n]);
    return after;
}

template <int D>
void StepBodies<D>::push(const std::vector<Twist<D>>& change) {
    for (std::size_t n = 0; n < states_.size(); ++n) {
        viscous_[n] = mass_matrix(setup_.bodies[n], states_[n]) * change[n];
        set_twist(predicted_[n] + change[n], states_[n]);
    }
}

template <int D>
void StepBodies<D>::finish(const Field<double, D>& q) {
    if (empty()) return;
    impulses_ = pressure_impulses(fluxes_, setup_.grid, setup_.density, q);
    for (std::size_t n = 0; n < states_.size(); ++n) {
        apply_impulse(setup_.bodies[n], impulses_[n], states_[n]);
        impulses_[n] += viscous_[n] - excess_[n];
        states_[n].liquid = impulses_[n] / dt_;
    }
}

template <int D>
void StepBodies<D>::move() {
    if (contact_) contacts_ = contact_->solve(scene_, dt_, true, states_);
    for (std::size_t n = 0; n < states_.size(); ++n) move_body(setup_.bodies[n], dt_, states_[n]);
}

template <int D>
std::vector<PlacedBody<D>> placed_bodies(const LiquidSetup<D>& setup,
                                         const std::vector<BodyState<D>>& states) {
    std::vector<PlacedBody<D>> placed;
    for (std::size_t n = 0; n < states.size(); ++n)
        placed.push_back(placed_body(setup.bodies[n], states[n]));
    return placed;
}

template <int D>
ContactScene<D> contact_scene(const LiquidSetup<D>& setup, const SolidGrid<D>& solids, double time,
                              double dt) {
    const double end = time + dt;
    return {[&solids, end](const Point<D>& x) { return solids.distance(x, end); },
            [&setup, &solids, end, time, dt](const Point<D>& x) {
                const int nearest = solids.nearest(x, end);
                return nearest < 0 ? Point<D>{}
                                   : setup.solids[nearest].motion.velocity(x, time, dt);
            }};
}

template <int D>
void limit_slits(const FaceField<float, D>& open, const FaceField<std::uint8_t, D>& known,
                 FaceField<float, D>& velocity) {
    constexpr float kSlit = 0.25f;
    const std::size_t blocks = velocity.blocks().size();
    const float limit = static_cast<float>(parallel_max(blocks, [&](std::size_t i) {
        const int b = static_cast<int>(i);
        float fastest = 0;
        for (int d = 0; d < D; ++d)
            for (int o = 0; o < kBlockCells<D>; ++o)
                if (known.axis(d).block(b)[o] && open.axis(d).block(b)[o] >= kSlit)
                    fastest = std::max(fastest, std::abs(velocity.axis(d).block(b)[o]));
        return static_cast<double>(fastest);
    }));
    parallel_for(blocks, 16, [&](std::size_t i) {
        const int b = static_cast<int>(i);
        for (int d = 0; d < D; ++d)
            for (int o = 0; o < kBlockCells<D>; ++o) {
                float& u = velocity.axis(d).block(b)[o];
                if (open.axis(d).block(b)[o] < kSlit) u = std::clamp(u, -limit, limit);
            }
    });
}

template <int D>
ExactSolids<D> exact_solids(const LiquidSetup<D>& setup, const SolidGrid<D>& solids, double time,
                            const std::vector<BodyState<D>>& states) {
    ExactSolids<D> exact;
    exact.distance = [&, time](const Point<D>& x) {
        const Point<D> world = setup.grid.to_world(x);
        return std::min(solids.distance(world, time), body_distance(setup, states, world)) /
               setup.grid.dx;
    };
    exact.needed = [&](const Index<D>& block) {
        const Point<D> centre = (block * kSide).template as<double>() + Point<D>::filled(kSide / 2);
        const double reach = (kSide / 2 * std::sqrt(double(D)) + 1) * setup.grid.dx;
        return body_distance(setup, states, setup.grid.to_world(centre)) < reach;
    };
    return exact;
}

template <int D>
double body_distance(const LiquidSetup<D>& setup, const std::vector<BodyState<D>>& states,
                     const Point<D>& world) {
    double least = 1e30;
    for (std::size_t n = 0; n < states.size(); ++n)
        least = std::min(least, placed_body(setup.bodies[n], states[n]).distance(world));
    return least;
}

template <int D>
Energies body_energies(const LiquidSetup<D>& setup, const std::vector<BodyState<D>>& states,
                       const Point<D>& gravity) {
    Energies sum;
    for (std::size_t n = 0; n < states.size(); ++n) {
        sum.kinetic += kinetic_energy(setup.bodies[n], states[n]);
        sum.potential -= setup.bodies[n].mass.mass * dot(gravity, states[n].position);
    }
    return sum;
}

#define SLOSH_INSTANTIATE(D)                                                                      \
    template class StepBodies<D>;                                                                 \
    template std::vector<PlacedBody<D>> placed_bodies<D>(const LiquidSetup<D>&,                   \
                                                         const std::vector<BodyState<D>>&);       \
    template ContactScene<D> contact_scene<D>(const LiquidSetup<D>&, const SolidGrid<D>&, double, \
                                              double);                                            \
    template Energies body_energies<D>(const LiquidSetup<D>&, const std::vector<BodyState<D>>&,   \
                                       const Point<D>&);                                          \
    template void limit_slits<D>(const FaceField<float, D>&, const FaceField<std::uint8_t, D>&,   \
                                 FaceField<float, D>&);                                           \
    template ExactSolids<D> exact_solids<D>(const LiquidSetup<D>&, const SolidGrid<D>&, double,   \
                                            const std::vector<BodyState<D>>&);                    \
    template double body_distance<D>(const LiquidSetup<D>&, const std::vector<BodyState<D>>&,     \
                                     const Point<D>&);
SLOSH_INSTANTIATE(2)
SLOSH_INSTANTIATE(3)
#undef SLOSH_INSTANTIATE

}  // namespace slosh
