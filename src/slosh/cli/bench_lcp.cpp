// `slosh bench lcp`: solvers for separating walls on the very same systems.
//
// A run is advanced with `auto` to the frame that the paper looks at; there the system of the next
// substep is captured, and every solver gets it, from a cold start. The seconds are the least of a
// few repeats, set-up included, the making of a sparse matrix from the block system not.
#include "slosh/cli/bench_lcp.h"

#include "slosh/cli/bench_lcp_paper.h"
#include "slosh/cli/bench_lcp_tables.h"

namespace slosh::cli {

void bench_lcp(const BenchOptions& options, BenchReport& report) {
    constexpr int kFrames = 10;  // of scenes that the paper does not have
    const std::vector<std::string> solvers =
        or_default(options.solvers, {"auto", "linear", "policy-mg", "fas", "policy-pcg"});
    for (const std::string& solver : solvers) (void)lcp_method(solver);  // before the long run

    for (const std::string& table : options.tables) (void)paper_table(table);
    if (!options.tables.empty()) bench_lcp_tables(options, report);
    if (!options.plot.empty()) bench_lcp_figures(options, report);
    if (!options.tables.empty() || !options.plot.empty()) return;

    for (const std::string& scene :
         or_default(options.scenes, {"sphere", "sphere_cuboid", "hollow_spheres", "thin_walls"}))
        for (int n : or_default(options.sizes, {32, 64})) {
            const PaperTable* paper = paper_frame(scene);
            bench_frame(scene, options.frames.value_or(paper ? paper->frames : kFrames), n, solvers,
                        !options.solvers.empty(), paper ? paper->id : "", options, report);
        }
}

}  // namespace slosh::cli
