// The displacement that evens the particles out, on the matrix of the pressure.
#pragma once

#include "slosh/linear/multigrid.h"
#include "slosh/liquid/step_grid.h"
#include "slosh/particles/particles.h"

namespace slosh {

/// By how much particles are to be moved, in cells; `rest` is the number a cell should hold. Where
/// liquid `released` (may be null) its wall a gap is no error. The right-hand side of `system` is
/// overwritten.
template <int D>
FaceField<float, D> spread_particles(const Particles<D>& particles,
                                     const ParticleBlocks<D>& occupied, double rest,
                                     const StepGrid<D>& grid,
                                     const Field<std::uint8_t, D>* released,
                                     BlockSystem<D>& system, Multigrid<D>& hierarchy);

}  // namespace slosh
