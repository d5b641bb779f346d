// Keeps particles evenly spread: positions drift apart or together over many steps, because each
// step's velocity is only divergence-free up to the grid's resolution. We measure the number
// density n, compare it with what an evenly filled neighbourhood would give, and solve for the
// smallest displacement d = -grad psi (in cells) that undoes a share of the error:
//
//     sum_f s_f w_f d_f = k e_i V_i,     e = n / n_expected - 1                               (P4)
//
// on the pressure system's own matrix: walls are respected, the free surface yields. Velocities are
// not touched [cf. Kugelstadt2019]. n_expected counts the open part of the kernel, and of that the
// part below the surface; were low densities near the surface ignored, noise would push liquid out
// through it and never back, and waves would gain energy.
#pragma once

#include "slosh/pressure/assemble.h"

namespace slosh {

struct DensityOptions {
    double strength = 0.8;    ///< k: share of the error undone per step. (0, 1].
    double ignored = 0.15;    ///< Errors up to this are sampling noise and left alone.
    double max_error = 0.5;   ///< |e| is cut off here.
    double tolerance = 0.05;  ///< Relative residual: it is a correction, repeated every step.
    double max_displacement = 0.25;  ///< Cells.
};

/// Right-hand side of (P4) into system.rhs. `density` is the number of particles at cell centres as
/// the multilinear kernel counts them; `rest` what a full cell has. Liquid that leaves its wall
/// leaves a gap, and must not be drawn back into it: a low density is no error in and next to the
/// cells that `released` marks.
template <int D>
void assemble_density_rhs(const Field<float, D>& density, double rest, const Field<float, D>& phi,
                          const SolidFields<D>& solid, const DensityOptions& options,
                          BlockSystem<D>& system, const Field<std::uint8_t, D>* released = nullptr);

/// Cuts every component to [-limit, limit].
template <int D>
void limit_displacement(double limit, FaceField<float, D>& displacement);

}  // namespace slosh
