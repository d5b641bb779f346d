// The pressure projection of one step: assembled once, solved as often as the velocity changes.
#pragma once

#include "slosh/liquid/pressure_solve.h"
#include "slosh/liquid/simulation.h"
#include "slosh/liquid/step_bodies.h"
#include "slosh/liquid/step_grid.h"

namespace slosh {

/// The pressure problem of the predicted velocity, bodies coupled.
template <int D>
BlockLcp<D> assemble_pressure(Separation separation, const StepGrid<D>& grid,
                              StepBodies<D>& bodies);

template <int D>
class Projection {
public:
    /// Of the predicted velocity in `grid`. `fallback`: with the next solver, and patience.
    Projection(const LiquidSetup<D>& setup, Separation separation, bool fallback,
               const StepGrid<D>& grid, StepBodies<D>& bodies, StepReport& report);

    /// Takes the predicted velocity of `grid` and `bodies` anew; the last solution is the guess.
    void renew(const StepGrid<D>& grid, const StepBodies<D>& bodies);
    /// The pressure under which viscosity starts once more: the last solution plus 2 nu div w, w
    /// being what viscosity made of velocity and bodies under `before` (viscous_step.h); from the
    /// third time on extrapolated from the last two (Anderson's method).
    void add_viscous_pressure(const FaceField<float, D>& w, const std::vector<BodyState<D>>& states,
                              const Field<double, D>& before, const StepGrid<D>& grid,
                              const StepBodies<D>& bodies);
    /// Whether the liquid has a free surface.
    bool sees_air() const;
    /// u -= the gradient of the pressure at hand.
    void subtract(StepGrid<D>& grid) const;
    /// Projects the velocity of `grid`. False: the solve did not converge.
    bool solve(StepGrid<D>& grid, StepReport& report);
    /// The hierarchy without bodies: they stay where they are while particles are spread.
    Multigrid<D>& alone();

    BlockLcp<D> lcp;
    Field<double, D> q;             ///< dt p / (rho dx)
    Field<std::uint8_t, D> active;  ///< Cells that leave their wall.

private:
    Separation separation_;
    PressureOptions options_;
    std::string solver_;
    int pockets_ = 0;
    Field<double, D> last_found_, last_change_;  // of add_viscous_pressure
    std::unique_ptr<Multigrid<D>> hierarchy_;
};

extern template class Projection<2>;
extern template class Projection<3>;

}  // namespace slosh
