// Viscosity and slip where they differ from place to place.
#pragma once

#include <array>

#include "slosh/liquid/setup.h"
#include "slosh/particles/particles.h"
#include "slosh/viscosity/bodies.h"

namespace slosh {

/// `scale` times the geometric mean of the viscosity of the particles in each cell; of its
/// neighbours where it holds none. 0: no particle is near.
template <int D>
Field<float, D> cell_viscosity(const Particles<D>& particles, const ParticleBlocks<D>& occupied,
                               double scale, const BlocksPtr<D>& blocks);

/// Whether liquid slips along any solid.
template <int D>
bool has_slip(const LiquidSetup<D>& setup);

/// Slip length over dx of the solid nearest to each edge that a solid cuts; 0 elsewhere.
template <int D>
std::array<Field<float, D>, kPairs<D>> edge_slip(const LiquidSetup<D>& setup,
                                                 const SolidGrid<D>& solids,
                                                 const std::vector<ViscousBody<D>>& bodies,
                                                 double time, const SampleVolumes<D>& open);

}  // namespace slosh
