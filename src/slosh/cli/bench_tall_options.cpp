// `slosh bench tall --scene options`: what a surface of twice the resolution, separating solids and
// ripples add to a step.
#include <cstdio>
#include <memory>

#include "slosh/cli/bench_tall.h"
#include "slosh/scene/load.h"
#include "slosh/scene/tall.h"
#include "slosh/tall/simulation.h"

namespace slosh::cli {

namespace {

constexpr double kStep = 1.0 / 30;

}  // namespace

std::vector<double> tall_step_costs(std::vector<tall::Setup> setups, int frames) {
    std::vector<std::unique_ptr<tall::Simulation>> all;
    for (tall::Setup& s : setups) all.push_back(std::make_unique<tall::Simulation>(std::move(s)));
    std::vector<double> least(all.size(), 1e30);
    for (int f = 0; f < frames + frames / 4; ++f)
        for (std::size_t k = 0; k < all.size(); ++k) {
            const double before = cpu_seconds();
            (void)all[k]->step(kStep);
            if (f >= frames / 4) least[k] = std::min(least[k], 1e3 * (cpu_seconds() - before));
        }
    return least;
}

void bench_tall_options(int frames, BenchReport& report) {
    const char* names[] = {"separation cell", "surface 2", "ripples"};
    for (const char* scene : {"manip", "tank", "flood", "lighthouse"}) {
        std::vector<tall::Setup> setups(4, make_tall_setup(load_scene(scene)));
        for (tall::Setup& s : setups) s.ripples.wind = 0;
        setups[1].options.cycles.separation_levels = 3;
        setups[2].options.surface = 2;
        setups[3].ripples.wind = 6;
        const std::vector<double> cost = tall_step_costs(std::move(setups), frames);
        Json row = Json::object();
        row.set("suite", "tall");
        row.set("scene", std::string("options: ") + scene);
        row.set("cpu_ms_per_step", cost[0]);
        std::printf("    %-12s %.1f ms CPU a step", scene, cost[0]);
        for (int k = 0; k < 3; ++k) {
            row.set(std::string("over_plain: ") + names[k], cost[k + 1] / cost[0]);
            std::printf("; %s %.1f (%.2f times)", names[k], cost[k + 1], cost[k + 1] / cost[0]);
        }
        std::printf("\n");
        report.add(row);
    }
}

}  // namespace slosh::cli
