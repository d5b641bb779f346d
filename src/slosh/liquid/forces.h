// Body forces, and small sums over particles.
#pragma once

#include "slosh/grid/field.h"
#include "slosh/liquid/setup.h"
#include "slosh/particles/particles.h"

namespace slosh {

/// Adds `change` (m/s) to the velocity of every known face.
template <int D>
void add_body_force(const Point<D>& change, const FaceField<std::uint8_t, D>& known,
                    FaceField<float, D>& velocity);

/// known = 1 where weight > 0, else 0.
template <int D>
void mark_positive(const FaceField<float, D>& weight, FaceField<std::uint8_t, D>& known);

/// Fastest particle (m/s); not finite if any component is not.
template <int D>
double max_particle_speed(const Particles<D>& particles);

struct Energies {
    double kinetic = 0;    ///< J (2D: J/m)
    double potential = 0;  ///< J, zero at the world's origin
};
template <int D>
Energies energies(const Particles<D>& particles, const LiquidSetup<D>& setup, double time);

}  // namespace slosh
