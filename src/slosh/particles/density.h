// How densely particles lie. Feeds a correction that moves positions only (`displace`, move.h).
#pragma once

#include "slosh/grid/field.h"
#include "slosh/particles/move.h"
#include "slosh/particles/particles.h"

namespace slosh {

/// Number of particles per cell at cell centres, by the multilinear kernel: about the seeding
/// number inside the liquid, less near surfaces and walls; the sum over cells is the number of
/// particles. The topology must hold every particle block and its neighbours.
template <int D>
void particle_density(const Particles<D>& particles, const ParticleBlocks<D>& pblocks,
                      Field<float, D>& density);

}  // namespace slosh
