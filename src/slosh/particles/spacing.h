// Keeps particles evenly spread by moving crowded ones apart until no place is too dense
// [Takahashi and Lin 2019, sec. 3.5]. Positions only; velocities are left alone.
//
// Density at a particle, over the rest density, by summation with a kernel w of two spacings'
// reach:
//
//     rho_i = sum_j w(|x_i - x_j|) + wall(phi_i),     C_i = max(rho_i - 1, 0)                 (P5)
//
// w is normalised so that a cubic lattice has density one. A solid at the distance phi counts as if
// it were filled with particles as well; the paper has no such term, and liquid would crowd at
// walls. Every constraint C_i moves the particles that it depends on, along its gradient, as far as
// it needs:
//
//     dx_i = 2 alpha_i / n_i  sum_k lambda_k (-grad_i C_k)                                     (P6)
//     lambda_k = C_k / sum_j |grad_j C_k|^2
//
// averaged over the n_i violated constraints that take part and over-relaxed [Macklin et al. 2014],
// but by no more than all of them ask for together. alpha_i = clamp(phi_i, 1, 5), phi in cells,
// lets particles far from solids go further, where nothing pushes them back: fewer iterations.
// Without attraction nothing is drawn together.
//
// The older method moves pairs that are closer than a spacing apart, each by half of what is
// missing [cf. Ando and Tsuruno 2011], and knows nothing of density. Both stop when the densest
// place is within the tolerance.
#pragma once

#include "slosh/particles/obstacle.h"
#include "slosh/particles/particles.h"

namespace slosh {

enum class Spacing { Density, Distance };

struct SpacingOptions {
    Spacing kind = Spacing::Density;
    int per_axis = 2;         ///< Particles along a cell's edge at rest.
    double tolerance = 0.1;   ///< Of the greatest density over the rest density less one. > 0.
    int max_iterations = 50;  ///< Then what is crowded still is left to the next step.
    double max_scale = 5;     ///< Upper bound of alpha. 1: no scaling.
};

struct [[nodiscard]] SpacingReport {
    int iterations = 0;
    bool converged = true;
    double max_density = 0;  ///< Over the rest density, at the end.
};

/// Spreads the particles, sorted as `pblocks` says; both are sorted again. `solid` and `exact` as
/// for `displace` (move.h); phi is always that of the nodes.
template <int D>
SpacingReport space_particles(const Field<float, D>& solid, const ExactSolids<D>* exact,
                              const SpacingOptions& options, Particles<D>& particles,
                              ParticleBlocks<D>& pblocks);

/// The density (P5) at every particle.
template <int D>
std::vector<float> densities_at_particles(const Particles<D>& particles,
                                          const ParticleBlocks<D>& pblocks,
                                          const Field<float, D>& solid, int per_axis);

}  // namespace slosh
