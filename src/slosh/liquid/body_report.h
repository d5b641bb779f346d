// What reports say of bodies.
#pragma once

#include "slosh/liquid/forces.h"

namespace slosh {

/// What the liquid did to a body in a substep: means over it.
struct BodyReport {
    Point<3> force;   ///< Of the pressure. N (2D: N/m, and z is 0)
    Point<3> torque;  ///< About the centre of mass. N m (2D: N)
};

template <int D>
std::vector<BodyReport> body_reports(const std::vector<BodyState<D>>& states) {
    std::vector<BodyReport> all;
    for (const BodyState<D>& s : states) {
        BodyReport r;
        for (int d = 0; d < D; ++d) r.force[d] = s.liquid[d];
        for (int k = 0; k < kSpin<D>; ++k) r.torque[3 - kSpin<D> + k] = s.liquid[D + k];
        all.push_back(r);
    }
    return all;
}

/// Of all bodies; potential against the origin.
template <int D>
Energies body_energies(const LiquidSetup<D>& setup, const std::vector<BodyState<D>>& states,
                       const Point<D>& gravity);

}  // namespace slosh
