// Particles to grid: the velocity of the liquid on the faces, and how much liquid each face saw.
//
//     weight_i   = sum_p w_ip
//     velocity_i = sum_p w_ip (v_p + c_p . (x_i - x_p)) / weight_i
//
// per component, with w_ip the multilinear (2^D) kernel of the component's own faces. The term with
// c is APIC's [Jiang et al. 2015]; with this kernel c_p = B_p D_p^-1 is the gradient of the
// interpolated velocity, so no D_p has to be formed. Particles have unit mass: the sum of
// weight_i velocity_i is the particles' momentum, and with APIC angular momentum is kept as well.
#pragma once

#include "slosh/grid/field.h"
#include "slosh/particles/particles.h"

namespace slosh {

/// A change of velocity that is counted in but not made: particle p counts with
/// v_p + amount[p] change. So a force of the particles' own costs no pass of its own.
template <int D>
struct Push {
    const float* amount = nullptr;  ///< One per particle; null: none.
    Point<D> change;                ///< m/s
};

/// Fills `velocity` (m/s; 0 where no particle reaches) and `weight` (particles) on their common
/// topology, which must hold every particle block and its 3^D neighbours. `pblocks` is the result
/// of sorting `particles`.
template <int D>
void particles_to_grid(const Particles<D>& particles, const ParticleBlocks<D>& pblocks,
                       FaceField<float, D>& velocity, FaceField<float, D>& weight,
                       const Push<D>& push = {});

}  // namespace slosh
