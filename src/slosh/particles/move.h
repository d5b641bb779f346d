// Grid to particles and particles through the grid, in one pass over the particles.
//
// The velocity is read where the particle is, then the particle is carried by the same field with
// a Runge-Kutta method: midpoint (order 2) or Ralston's (order 3). Solids are given by the signed
// distance at the nodes; see obstacle.h for the rule that keeps particles out of them.
#pragma once

#include "slosh/grid/field.h"
#include "slosh/particles/obstacle.h"
#include "slosh/particles/particles.h"

namespace slosh {

struct MoveOptions {
    double dt_over_dx = 0;  ///< Length of the step over the size of a cell. s/m.
    int order = 2;          ///< Of the Runge-Kutta method: 2 or 3.
    Transfer transfer = Transfer::Apic;
    double flip_blend = 0.97;  ///< FLIP only: share of the FLIP velocity, the rest is PIC.
    double affine_keep = 1;    ///< APIC only: share of the gradient that c keeps. [0, 1].
};

/// What a move did.
struct [[nodiscard]] MoveReport {
    std::size_t pushed_out = 0;   ///< Particles that met a solid and ended outside it.
    std::size_t left_inside = 0;  ///< Started inside a solid (it moved) and found no way out.
    std::size_t not_finite = 0;   ///< Velocity is not a number; left where they were. Stop the run.
    double max_displacement = 0;  ///< Longest way asked for, before solids. Cells.
};

/// Gives every particle its new velocity and moves it.
///
///  - APIC: v = u(x), c = affine_keep grad u(x);  PIC: v = u(x);
///  - FLIP: v = blend (v + u(x) - u_old(x)) + (1 - blend) u(x).
///
/// `velocity` (m/s) must hold every particle block and its neighbours; `old_velocity`, on the same
/// topology, is what particles_to_grid made (FLIP only, else null). `solid`: signed distance at the
/// nodes in cells, negative inside, large and positive where there is none; between neighbour nodes
/// it may change by one cell at most. `pblocks` describes the particles before the move; afterwards
/// they have to be sorted again. `exact`, if given, is asked in its blocks for what the nodes show
/// as blocked.
template <int D>
MoveReport gather_and_move(const FaceField<float, D>& velocity,
                           const FaceField<float, D>* old_velocity, const Field<float, D>& solid,
                           const ParticleBlocks<D>& pblocks, const MoveOptions& options,
                           Particles<D>& particles, const ExactSolids<D>* exact = nullptr);

/// Moves the positions by the interpolated `displacement` (cells), with the same rule at solids.
template <int D>
MoveReport displace(Particles<D>& particles, const ParticleBlocks<D>& pblocks,
                    const FaceField<float, D>& displacement, const Field<float, D>& solid,
                    const ExactSolids<D>* exact = nullptr);

}  // namespace slosh
