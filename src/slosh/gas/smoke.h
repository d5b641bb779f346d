// Smoke and temperature: where they come from, what they do, and what a frame shows of them.
#pragma once

#include "slosh/gas/setup.h"
#include "slosh/grid/field.h"
#include "slosh/grid/geometry.h"
#include "slosh/particles/particles.h"

namespace slosh {

/// Gives all particles the arrays of a gas: no smoke, ambient temperature.
template <int D>
void start_gas(const GasSetup<D>& gas, Particles<D>& particles);

/// What dt seconds do to smoke and heat, then what the sources that work at `time` give. The
/// particles are sorted into `pblocks`.
template <int D>
void run_gas_sources(const GasSetup<D>& gas, const GridGeometry<D>& grid, double time, double dt,
                     const ParticleBlocks<D>& pblocks, Particles<D>& particles);

/// The bracket of (G1) for every particle.
template <int D>
AlignedVector<float> particle_lift(const GasSetup<D>& gas, const Particles<D>& particles);

/// Its largest magnitude: how many times gravity gas is accelerated by at most.
template <int D>
double max_lift(const GasSetup<D>& gas, const Particles<D>& particles);

/// Smoke and temperature (K) at cell centres: the mean over particles with the multilinear kernel;
/// no smoke and ambient where no particle is near. The fields must hold every particle block and
/// its neighbours.
template <int D>
void smoke_to_grid(const GasSetup<D>& gas, const Particles<D>& particles,
                   const ParticleBlocks<D>& pblocks, Field<float, D>& smoke,
                   Field<float, D>& temperature);

}  // namespace slosh
