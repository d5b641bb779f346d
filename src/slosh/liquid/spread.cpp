#include "slosh/liquid/spread.h"

#include "slosh/lcp/auto.h"
#include "slosh/particles/density.h"
#include "slosh/pressure/assemble.h"
#include "slosh/surface/extend.h"

namespace slosh {

template <int D>
FaceField<float, D> spread_particles(const Particles<D>& particles,
                                     const ParticleBlocks<D>& occupied, const StepOptions& step,
                                     const StepGrid<D>& grid,
                                     const Field<std::uint8_t, D>* released, BlockSystem<D>& system,
                                     Multigrid<D>& hierarchy) {
    const DensityOptions options = density_options(step);
    const double rest = std::pow(step.particles_per_axis, D);  // particles in a full cell
    Field<float, D> density(grid.blocks, Unfilled{});
    particle_density(particles, occupied, density);
    assemble_density_rhs(density, rest, grid.phi, grid.solid, options, system, released);
    make_consistent(system);
    Field<double, D> psi(grid.blocks);
    // A correction that is repeated every step needs no tight solve, and one that stopped early is
    // still a step in the right direction.
    (void)solve_multigrid(system, hierarchy, {.tolerance = options.tolerance, .max_iterations = 4},
                          psi);
    FaceField<float, D> displacement(grid.blocks, Unfilled{});
    FaceField<std::uint8_t, D> known(grid.blocks, Unfilled{});
    minus_gradient(system, grid.phi, grid.solid, psi, displacement, known);
    extend_velocity(displacement, known, 1);
    limit_displacement(options.max_displacement, displacement);
    return displacement;
}

#define SLOSH_INSTANTIATE(D)                                                                   \
    template FaceField<float, D> spread_particles<D>(                                          \
        const Particles<D>&, const ParticleBlocks<D>&, const StepOptions&, const StepGrid<D>&, \
        const Field<std::uint8_t, D>*, BlockSystem<D>&, Multigrid<D>&);
SLOSH_INSTANTIATE(2)
SLOSH_INSTANTIATE(3)
#undef SLOSH_INSTANTIATE

}  // namespace slosh
