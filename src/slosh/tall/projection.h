// Divergence and pressure gradient on a tall-cell grid [CM11, eqs. (13)-(18)].
//
// The velocity on the face to a neighbour is the mean of the two cells, weighted by how open the
// neighbour is; the closed part moves with the solid. Eq. (17) halves the pressure gradient of a
// cell beside a wall, and water at rest would seep through its floor: here a cell takes the mean
// over its *open* faces, which is the paper's elsewhere and exact for hydrostatic pressure. Eq.
// (18) is u -= dt/rho grad p.
#pragma once

#include "slosh/tall/level.h"
#include "slosh/tall/velocity.h"

namespace slosh::tall {

/// Walls of the domain and bodies, as far as they move.
struct MovingSolids {
    /// Speed along the axis of the walls x-, x+, z-, z+. m/s
    float wall[4] = {0, 0, 0, 0};
    /// Velocity of the solid in a cell times its solid fraction; null: all solids rest. m/s
    const Velocity* body = nullptr;
};

/// level.b from the velocity; both with fresh cells below.
void divergence(const Velocity& velocity, const MovingSolids& solids, Level& level);

/// Asks of every liquid cell to grow at `rate` (1/s): level.b less rate dx. Semi-Lagrangian
/// surfaces lose crests and sheets, and so the volume that is left is made to grow.
void expand(double rate, Level& level);

/// Takes the pressure gradient of level.q off the velocity of every liquid cell.
void subtract_gradient(const Level& level, Velocity& velocity);

}  // namespace slosh::tall
