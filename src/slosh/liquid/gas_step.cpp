#include "slosh/liquid/gas_step.h"

#include <algorithm>

#include "slosh/base/error.h"
#include "slosh/base/hash.h"
#include "slosh/gas/domain.h"
#include "slosh/gas/smoke.h"
#include "slosh/liquid/contact.h"
#include "slosh/shape/primitives.h"

namespace slosh {

template <int D>
void check_gas(const LiquidSetup<D>& setup) {
    if (!setup.liquid.empty() || !setup.inflows.empty() || !setup.drains.empty())
        throw InputError("a gas fills the domain: it has no initial liquid, inflows or drains");
    if (separation_of(setup) != Separation::Off)
        throw InputError("a gas does not let go of walls: its separation is off");
}

template <int D>
void seed_gas(const LiquidSetup<D>& setup, const SolidDistance<D>& solid, LiquidState<D>& state) {
    LiquidSetup<D> full = setup;
    full.liquid.push_back({box<D>(setup.grid.origin, setup.grid.upper()), {}, {}, {}});
    seed_initial_liquid(full, solid, state);
    if (state.particles.size() == 0)
        throw InputError("the scene holds no gas: the whole domain lies inside solids");
    start_gas(*setup.gas, state.particles);
    const ParticleBlocks<D> occupied = sort_by_block(state.particles);
    run_gas_sources(*setup.gas, setup.grid, state.time, 0, occupied, state.particles);
}

template <int D>
void gas_to_grid(const LiquidSetup<D>& setup, const LiquidState<D>& state,
                 const ParticleBlocks<D>& occupied, const Point<D>& gravity, double dt,
                 FaceField<float, D>& velocity, FaceField<float, D>& weight,
                 FaceField<float, D>* before) {
    if (before) particles_to_grid(state.particles, occupied, *before, weight);
    const AlignedVector<float> lift = particle_lift(*setup.gas, state.particles);
    particles_to_grid(state.particles, occupied, velocity, weight, {lift.data(), gravity * -dt});
}

template <int D>
std::size_t finish_gas(const LiquidSetup<D>& setup, const SolidDistance<D>& solid, double dt,
                       ParticleBlocks<D>& occupied, LiquidState<D>& state) {
    const bool open = std::any_of(std::begin(setup.open_side), std::end(setup.open_side),
                                  [](bool side) { return side; });
    std::size_t made = 0;
    if (open) {
        const auto inside = [&](const Point<D>& g) {
            return solid(setup.grid.to_world(g)) > 0.05 * setup.grid.dx;
        };
        Particles<D> fresh = refill<D>(
            *setup.gas, setup.grid, setup.step.particles_per_axis, setup.step.jitter,
            mix64(setup.step.seed ^ mix64(state.steps)), inside, state.particles, occupied);
        made = fresh.size();
        for (std::uint32_t& id : fresh.id) id = state.next_id++;
        append(state.particles, fresh);
        if (made > 0) occupied = sort_by_block(state.particles);
    }
    run_gas_sources(*setup.gas, setup.grid, state.time, dt, occupied, state.particles);
    return made;
}

#define SLOSH_INSTANTIATE(D)                                                                     \
    template void check_gas<D>(const LiquidSetup<D>&);                                           \
    template void seed_gas<D>(const LiquidSetup<D>&, const SolidDistance<D>&, LiquidState<D>&);  \
    template void gas_to_grid<D>(                                                                \
        const LiquidSetup<D>&, const LiquidState<D>&, const ParticleBlocks<D>&, const Point<D>&, \
        double, FaceField<float, D>&, FaceField<float, D>&, FaceField<float, D>*);               \
    template std::size_t finish_gas<D>(const LiquidSetup<D>&, const SolidDistance<D>&, double,   \
                                       ParticleBlocks<D>&, LiquidState<D>&);
SLOSH_INSTANTIATE(2)
SLOSH_INSTANTIATE(3)
#undef SLOSH_INSTANTIATE

}  // namespace slosh
