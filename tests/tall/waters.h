// Small tanks for tests of whole steps.
#pragma once

#include <doctest/doctest.h>

#include <cmath>

#include "slosh/tall/simulation.h"

namespace slosh::tall {

/// 3.2 m wide and high, without water.
inline Setup small_tank() {
    Setup s;
    s.nx = s.nz = 32;
    s.rows = 32;
    s.dx = 0.1;
    s.gravity = [](double) { return 9.81; };
    return s;
}

/// Steps a lake of the given depth (m) for two seconds, in which it is to stay at rest.
inline void check_rest(Water& lake, double depth) {
    const double volume = lake.volume();
    double fastest = 0;
    for (int s = 0; s < 60; ++s) {
        (void)lake.step(1.0 / 30);
        fastest = std::max(fastest, lake.max_speed());
    }
    CHECK(fastest < 1e-4 * std::sqrt(9.81 * depth));
    CHECK(std::abs(lake.volume() / volume - 1) < 1e-4);
}

}  // namespace slosh::tall
