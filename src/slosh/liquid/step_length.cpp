#include "slosh/liquid/step_length.h"

#include <algorithm>
#include <cmath>

#include "slosh/gas/smoke.h"
#include "slosh/liquid/forces.h"
#include "slosh/rigid/dynamics.h"

namespace slosh {

template <int D>
double fastest(const LiquidSetup<D>& setup, const LiquidState<D>& state) {
    double most = max_particle_speed(state.particles);
    for (std::size_t n = 0; n < state.bodies.size(); ++n) {
        const double speed = max_speed(setup.bodies[n], state.bodies[n]);
        if (!(speed <= most)) most = speed;  // not a number counts as well
    }
    return most;
}

template <int D>
double step_length(const LiquidSetup<D>& setup, const LiquidState<D>& state, double g,
                   double remaining, double max_speed) {
    const double dx = setup.grid.dx;
    const double push = setup.gas ? g * max_lift(*setup.gas, state.particles) : g;
    const double cells = setup.gas ? 1 : setup.step.fall;
    double dt = std::min(remaining, setup.step.max_dt);
    if (push > 0) dt = std::min(dt, std::sqrt(cells * dx / push));
    const double speed = max_speed + (setup.bodies.empty() ? push : std::max(push, g)) * dt;
    if (speed > 0) dt = std::min(dt, setup.step.cfl * dx / speed);
    // No sliver at the end of a frame: the last two steps are of equal length.
    if (dt < remaining && remaining < 2 * dt) dt = 0.5 * remaining;
    return dt;
}

#define SLOSH_INSTANTIATE(D)                                                                     \
    template double fastest<D>(const LiquidSetup<D>&, const LiquidState<D>&);                    \
    template double step_length<D>(const LiquidSetup<D>&, const LiquidState<D>&, double, double, \
                                   double);
SLOSH_INSTANTIATE(2)
SLOSH_INSTANTIATE(3)
#undef SLOSH_INSTANTIATE

}  // namespace slosh
