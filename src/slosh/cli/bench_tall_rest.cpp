// `slosh bench tall --scene rest`: what one full cycle and two V leave of the fall of still water,
// in the grounds of the four scenes and over deep rubble, and with the method as printed.
#include <cmath>
#include <cstdio>

#include "slosh/base/hash.h"
#include "slosh/cli/bench_tall.h"
#include "slosh/scene/load.h"
#include "slosh/scene/tall.h"
#include "slosh/tall/simulation.h"

namespace slosh::cli {

namespace {

constexpr double kMostResidual = 0.15, kMostSpeed = 0.05;  ///< Wanted.

struct StillWater {
    std::string name;
    std::unique_ptr<tall::Water> water;
};

/// The ground of a scene, under still water up to `level`. m
StillWater over_scene(const std::string& name, double level) {
    tall::Setup setup = make_tall_setup(load_scene(name));
    setup.water = [level](const Point<3>& p) { return p[1] - level; };
    setup.bodies.clear();
    setup.velocity = {};
    const tall::Simulation simulation(setup);
    const double depth = level - setup.lower[1];
    return {name, std::make_unique<tall::Water>(
                      setup.nx, setup.rows, setup.nz, setup.dx, simulation.water().terrain(),
                      [depth](const Point<3>& p) { return p[1] - depth; }, setup.options)};
}

/// Hills with rubble on them, every column of another height, under 130 cells of water.
StillWater over_rubble() {
    constexpr int kSide = 64;
    tall::Terrain ground;
    for (int z = 0; z < kSide; ++z)
        for (int x = 0; x < kSide; ++x) {
            const double hills = 0.5 + 0.3 * std::sin(0.11 * x) * std::cos(0.07 * z) +
                                 0.15 * std::sin(0.31 * x + 0.23 * z);
            const double rubble =
                hash_uniform(7, static_cast<std::uint64_t>(x), static_cast<std::uint64_t>(z));
            ground.push_back(static_cast<int>(60 * hills) + static_cast<int>(60 * rubble));
        }
    return {"deep rubble",
            std::make_unique<tall::Water>(kSide, 32, kSide, 1.0, ground,
                                          [](const Point<3>& p) { return p[1] - 130.3; })};
}

struct Left {
    double residual = 0;  ///< L2, over its start.
    double speed = 0;     ///< Root mean square, over the g dt that it fell with.
};

/// What is left of a fall with unit speed.
Left left_after_cycles(const tall::Water& water, bool as_printed) {
    tall::Hierarchy pressure = system_of(water, as_printed);
    tall::Level& level = pressure.finest();
    const tall::Grid& g = level.grid;
    const tall::Float4 down = {0, -1, 0, 0};
    tall::Velocity u(g, down);
    for (int c = 0; c < static_cast<int>(g.columns()); ++c) {
        std::fill(u.at(c), u.at(c) + g.ny() + 1, down);
        u.bottom(c) = down;
        u.refresh(g, c, tall::Under::Bottom);
    }
    tall::divergence(u, {}, {}, {}, level);
    const double start = tall::residual_norm(level).l2;
    pressure.full_cycle();
    for (int v = 0; v < 2; ++v) pressure.v_cycle();
    Left left{tall::residual_norm(level).l2 / start, 0};
    tall::subtract_gradient(level, {}, u);
    double sum = 0, cells = 0;
    const auto add = [&](const tall::Float4& v) {
        sum += v[0] * v[0] + v[1] * v[1] + v[2] * v[2];
        ++cells;
    };
    for (int z = 0; z < g.nz(); ++z)
        for (int x = 0; x < g.nx(); ++x) {
            const int c = g.column(x, z);
            for (int i = 0; i <= g.ny(); ++i)
                if (level.diagonal.at(c)[i] > 0) add(u.at(c)[i]);
            if (level.diagonal.bottom(c) > 0) add(u.bottom(c));
        }
    left.speed = std::sqrt(sum / std::max(cells, 1.0));
    return left;
}

}  // namespace

void bench_tall_rest(BenchReport& report) {
    StillWater all[] = {over_scene("manip", 3.2), over_scene("tank", 12.03),
                        over_scene("flood", 5.1), over_scene("lighthouse", 7.1), over_rubble()};
    for (const StillWater& w : all)
        for (bool printed : {false, true}) {
            const Left left = left_after_cycles(*w.water, printed);
            const bool holds = left.residual <= kMostResidual && left.speed <= kMostSpeed;
            Json row = Json::object();
            row.set("suite", "tall");
            row.set("scene", "rest: " + w.name);
            row.set("solver", printed ? "as printed" : "multigrid");
            row.set("residual", left.residual);
            row.set("speed_over_g_dt", left.speed);
            row.set("within_bounds", holds);
            report.add(row);
            std::printf(
                "    %-12s %-10s residual %.4f of its start (at most %.2f), speed %.4f g dt "
                "(at most %.2f): %s\n",
                w.name.c_str(), printed ? "as printed" : "as it is", left.residual, kMostResidual,
                left.speed, kMostSpeed, holds ? "within" : "beyond");
        }
}

}  // namespace slosh::cli
