// What a step does differently when the setup is one of a gas (gas/setup.h).
#pragma once

#include "slosh/liquid/sources.h"
#include "slosh/particles/transfer.h"

namespace slosh {

/// InputError if a gas is asked to do what only liquids can.
template <int D>
void check_gas(const LiquidSetup<D>& setup);

/// Fills the domain with gas at rest and lets the sources work.
template <int D>
void seed_gas(const LiquidSetup<D>& setup, const SolidDistance<D>& solid, LiquidState<D>& state);

/// Particles to grid with buoyancy counted in. `before` (FLIP only; or null) gets the velocity
/// without it.
template <int D>
void gas_to_grid(const LiquidSetup<D>& setup, const LiquidState<D>& state,
                 const ParticleBlocks<D>& occupied, const Point<D>& gravity, double dt,
                 FaceField<float, D>& velocity, FaceField<float, D>& weight,
                 FaceField<float, D>* before);

/// After the move and the sort: gas that came in through open sides, then the sources. Returns how
/// many particles are new; `occupied` stays that of the particles.
template <int D>
std::size_t finish_gas(const LiquidSetup<D>& setup, const SolidDistance<D>& solid, double dt,
                       ParticleBlocks<D>& occupied, LiquidState<D>& state);

}  // namespace slosh
