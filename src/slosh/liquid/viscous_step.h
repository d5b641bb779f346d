// Viscosity in the liquid step: between two solves of the pressure.
//
// The first projection gives the velocity that viscosity starts from [Takahashi2019, sec. 3.1].
// What viscosity changes is then a force like gravity, and the second projection finds the whole
// pressure again, with that force: not a correction of the first one. So walls that let go judge by
// the whole pressure, and the first solution is a good guess.
//
// The two operators do not commute: with V = (1 + nu L)^-1 the viscous step and P the projection,
// steady flow comes out as P V P of its force in the place of the inverse of P L P, and at large nu
// a ball sinks a third too fast. So there is a second pass (`viscosity_passes`): viscosity starts
// again from the predicted velocity under the pressure q that the first pass found, plus 2 nu div
// w, where w is what viscosity made of the velocity [Cahouet and Chabard 1988]: far from borders q
// is then exact. That holds where liquid fills its container. Beside air the passes do not
// converge, since q there is divided by the distance to the surface: liquid with a surface gets one
// pass.
#pragma once

#include "slosh/liquid/setup.h"
#include "slosh/liquid/step_bodies.h"
#include "slosh/liquid/step_grid.h"
#include "slosh/particles/particles.h"
#include "slosh/viscosity/solve.h"

namespace slosh {

/// Whether any liquid of the scene is viscous.
template <int D>
bool is_viscous(const LiquidSetup<D>& setup);

/// What one viscous solve changes.
template <int D>
struct ViscousChange {
    SolveReport report;
    FaceField<float, D> velocity;  ///< m/s; zero on faces without liquid.
    std::vector<Twist<D>> bodies;  ///< m/s, rad/s
};

/// From the velocity of `grid`, as the first projection left it, and `bodies`, likewise. Velocity
/// and `known` of the grid are extended by two layers, and its `nu`, `local_nu` are set. `patient`:
/// with many more iterations.
template <int D>
ViscousChange<D> viscous_change(const LiquidSetup<D>& setup, const Particles<D>& particles,
                                const ParticleBlocks<D>& occupied, const SolidGrid<D>& solids,
                                const std::vector<BodyState<D>>& bodies, double time, double dt,
                                bool patient, StepGrid<D>& grid);

/// Inside solids viscous liquid moves with them, so that the velocity between the wall and the
/// first face falls off; the less, the further liquid may slip and the less viscous it is.
template <int D>
void stick_to_solids(const LiquidSetup<D>& setup, StepGrid<D>& grid);

/// u += change
template <int D>
void add_velocity(const FaceField<float, D>& change, FaceField<float, D>& u);

}  // namespace slosh
