// What makes a simulation one of a gas: no free surface, everything outside of solids is gas.
//
// The gas is incompressible and of one density but for its weight: where it is warmer than the air
// around or carries smoke, gravity g acts on it with
//
//     -g ( heat_lift (T - T_ambient) - smoke_weight s )                                       (G1)
//
// beside what holds gas at rest, which the pressure leaves out. T and s ride on the particles.
#pragma once

#include <optional>
#include <vector>

#include "slosh/shape/motion.h"
#include "slosh/shape/shape.h"

namespace slosh {

/// A shape in which gas is given smoke and heat while `start <= t < end`. One that ends before the
/// first step leaves a puff that is there at the start.
template <int D>
struct GasSource {
    ShapePtr<D> shape;  ///< Local frame of `motion`.
    Motion<D> motion;
    double smoke = 1;                  ///< Density of smoke that the gas inside gets. >= 0
    double temperature = 293;          ///< That the gas inside gets. K
    std::optional<Point<D>> velocity;  ///< That the gas inside gets; none: it is left as it is. m/s
    double start = 0, end = 1e30;      ///< s
};

template <int D>
struct GasSetup {
    std::vector<GasSource<D>> sources;
    double ambient = 293;          ///< Temperature of the gas around. K
    double heat_lift = 1.0 / 293;  ///< Share of its weight that gas loses per kelvin; 1/T for an
                                   ///< ideal gas. 1/K
    double smoke_weight = 0;       ///< Share of its weight that gas gains per unit of smoke.
    double cooling = 0;            ///< Rate at which gas takes on the ambient temperature. 1/s
    double smoke_decay = 0;        ///< Rate at which smoke vanishes. 1/s

    /// The bracket of (G1).
    double lift(double smoke, double temperature) const {
        return heat_lift * (temperature - ambient) - smoke_weight * smoke;
    }
};

}  // namespace slosh
