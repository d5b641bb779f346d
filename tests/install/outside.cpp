// Someone else's program: ten lines that load a scene and let it flow for a tenth of a second.
#include <cstdio>

#include "slosh/liquid/simulation.h"
#include "slosh/scene/load.h"

int main() {
    const slosh::Scene scene = slosh::load_scene("circle", {"resolution=32"});
    slosh::LiquidSimulation<2> simulation(slosh::make_setup<2>(scene));
    while (simulation.state().time < 0.1 - 1e-9) {
        const slosh::StepReport report = simulation.step(0.1 - simulation.state().time);
        if (!report.pressure.converged) return 1;
    }
    std::printf("%zu particles after %g s\n", simulation.state().particles.size(),
                simulation.state().time);
    return simulation.state().particles.size() > 500 ? 0 : 1;
}
