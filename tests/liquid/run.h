// Whole runs in tests.
#pragma once

#include "slosh/base/hash.h"
#include "slosh/liquid/simulation.h"

namespace slosh {

template <int D>
void run(LiquidSimulation<D>& simulation, double seconds) {
    const double end = simulation.state().time + seconds;
    while (simulation.state().time < end - 1e-9)
        (void)simulation.step(end - simulation.state().time);
}

/// Of all that particles carry, and of bodies.
template <int D>
std::uint64_t hash_of(const LiquidState<D>& state) {
    const Particles<D>& p = state.particles;
    std::uint64_t h = 0;
    const auto take = [&](const auto& values) {
        h = hash_bytes(values.data(), values.size() * sizeof(values[0]), h);
    };
    for (int d = 0; d < D; ++d) {
        take(p.x[d]);
        take(p.v[d]);
    }
    take(p.viscosity);
    take(p.smoke);
    take(p.temperature);
    take(state.bodies);
    return h;
}

}  // namespace slosh
