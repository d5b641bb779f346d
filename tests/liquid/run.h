// Whole runs in tests.
#pragma once

#include "slosh/liquid/simulation.h"

namespace slosh {

template <int D>
void run(LiquidSimulation<D>& simulation, double seconds) {
    const double end = simulation.state().time + seconds;
    while (simulation.state().time < end - 1e-9)
        (void)simulation.step(end - simulation.state().time);
}

}  // namespace slosh
