// Every system of a run, given to each method: what the papers' tables of averages hold.
#pragma once

#include <map>

#include "slosh/cli/bench_lcp.h"

namespace slosh::cli {

/// What one method did on all systems of a run.
struct RunSummary {
    LcpMethod method;
    std::string start;  ///< cold; control: the last system's active set; warm: its pressure, too.
    int threads = 0;
    int systems = 0, failed = 0;
    LcpNumbers mean;                  ///< But the worst residual and error, and the most bytes.
    std::map<int, int> outer_counts;  ///< Systems by number of outer iterations.
};

/// Runs `scene`, as it is, over `frames` frames and gives each system to all of `solvers`, as it
/// stands before the substep, warm-started as LcpMethod says from its own last answer, also across
/// frames. `auto` and `linear` are measured from cold starts, too.
std::vector<RunSummary> run_systems(const Scene& scene, int frames,
                                    const std::vector<std::string>& solvers,
                                    const BenchOptions& options);

/// body(system) for every system of such a run.
template <int D, class Body>
void for_each_system(const Scene& scene, int frames, const Body& body) {
    LiquidSimulation<D> simulation(make_setup<D>(scene));
    for (int f = 1; f <= frames; ++f) {
        const double end = f / scene.fps;
        while (simulation.state().time < end - 1e-9) {
            const double remaining = end - simulation.state().time;
            body(capture(simulation, remaining));
            (void)simulation.step(remaining);
        }
    }
}

}  // namespace slosh::cli
