// The displacement that evens the particles out, on the matrix of the pressure.
#pragma once

#include "slosh/linear/multigrid.h"
#include "slosh/liquid/setup.h"
#include "slosh/liquid/step_grid.h"
#include "slosh/particles/particles.h"
#include "slosh/particles/spacing.h"
#include "slosh/pressure/density_correction.h"

namespace slosh {

/// Whether particles are evened out on the grid.
inline bool moves_on_grid(const StepOptions& o) {
    return o.position_correction == PositionCorrection::Grid ||
           o.position_correction == PositionCorrection::Both;
}
/// Whether particles are spread by constraints at the end of a frame, and which.
inline bool has_constraints(const StepOptions& o) {
    return o.position_correction != PositionCorrection::Grid &&
           o.position_correction != PositionCorrection::Off;
}
inline SpacingOptions spacing_options(const StepOptions& o) {
    return {.kind = o.position_correction == PositionCorrection::Distance ? Spacing::Distance
                                                                          : Spacing::Density,
            .per_axis = o.particles_per_axis,
            .tolerance = o.spacing_tolerance,
            .max_scale = o.spacing_scale};
}
/// Constraints leave less noise than the grid would have to ignore without them; ignored all the
/// same, liquid that is pressed through holes stays a per cent too dense.
inline DensityOptions density_options(const StepOptions& o) {
    DensityOptions options;
    if (o.position_correction == PositionCorrection::Both)
        options.ignored = std::min(options.ignored, o.spacing_tolerance);
    return options;
}

/// By how much particles are to be moved, in cells. Where liquid `released` (may be null) its wall
/// a gap is no error. The right-hand side of `system` is overwritten.
template <int D>
FaceField<float, D> spread_particles(const Particles<D>& particles,
                                     const ParticleBlocks<D>& occupied, const StepOptions& step,
                                     const StepGrid<D>& grid,
                                     const Field<std::uint8_t, D>* released, BlockSystem<D>& system,
                                     Multigrid<D>& hierarchy);

}  // namespace slosh
