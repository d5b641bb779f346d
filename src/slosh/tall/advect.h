// Moving the surface and the velocity with the water [CM11, sec. 3.5].
#pragma once

#include "slosh/tall/velocity.h"

namespace slosh::tall {

struct Advected {
    Columns<float> phi;
    Velocity predicted, velocity;
};

/// phi by semi-Lagrangian steps, velocity by MacCormack's method, which falls back to the
/// semi-Lagrangian value where it leaves the range of what it was interpolated from. Velocity is
/// computed within `band` of the new water only. `velocity` (m/s) must be known everywhere.
/// Lengths of phi and `band` are metres.
void advect(const Grid& grid, const Columns<float>& phi, const Velocity& velocity, double dt,
            float band, Advected& out);

}  // namespace slosh::tall
