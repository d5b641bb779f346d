// The viscous scenes show what they are there for: nothing floats under the dragon, the dipper
// stands, gears turn the slower the thicker the liquid.
#include <fmt/format.h>

#include <queue>
#include <unordered_map>

#include "slosh/cli/validate_liquid.h"
#include "slosh/cli/validate_rows.h"
#include "slosh/scene/load.h"

namespace slosh::cli {

namespace {

constexpr double kGravity = 9.81;

// ---- dragon_drop: liquid that hangs in the air --------------------------------------------------

/// Numbers the pieces of liquid: particles whose cells are joined by liquid cells that touch,
/// corners included, are of one piece. Liquid is a cell with a particle, or inside the surface.
std::vector<int> pieces(const LiquidSimulation<3>& simulation, int& count) {
    const Particles<3>& p = simulation.state().particles;
    const auto key = [](const Index<3>& c) {
        return (static_cast<std::uint64_t>(c[2] + 1024) << 40) |
               (static_cast<std::uint64_t>(c[1] + 1024) << 20) |
               static_cast<std::uint64_t>(c[0] + 1024);
    };
    std::unordered_map<std::uint64_t, int> piece;
    std::vector<Index<3>> cells(p.size());
    for (std::size_t i = 0; i < p.size(); ++i) {
        cells[i] = floor(p.position(i));
        piece[key(cells[i])] = -1;
    }
    const Field<float, 3> phi = simulation.frame(false).level_set;
    for (int b = 0; b < phi.blocks().size(); ++b)
        for (int o = 0; o < kBlockCells<3>; ++o)
            if (phi.block(b)[o] < 0) piece[key(phi.blocks().first_cell(b) + local_cell<3>(o))] = -1;
    count = 0;
    for (const Index<3>& cell : cells) {
        if (piece[key(cell)] >= 0) continue;
        std::queue<Index<3>> open;
        piece[key(cell)] = count;
        open.push(cell);
        while (!open.empty()) {
            const Index<3> at = open.front();
            open.pop();
            for (int code = 0; code < kNeighbours<3>; ++code) {
                const Index<3> next = at + neighbour_offset<3>(code);
                const auto found = piece.find(key(next));
                if (found == piece.end() || found->second >= 0) continue;
                found->second = count;
                open.push(next);
            }
        }
        ++count;
    }
    std::vector<int> number(p.size());
    for (std::size_t i = 0; i < p.size(); ++i) number[i] = piece[key(cells[i])];
    return number;
}

/// Sums over frames.
struct Floating {
    std::size_t clear = 0;      ///< Particles of pieces that are free to fall.
    std::size_t particles = 0;  ///< Those that float ...
    std::size_t at_rest = 0;    ///< ... and those that do not move at all.
};

/// Counts, in every frame, the particles of pieces that touch no solid and yet do not fall: nothing
/// but the solver can hold them. A piece that is let go at rest gains g dt in a frame and sinks by
/// g dt^2 / 2; one that gains less than half of the first and sinks by less than the second,
/// without having met anything, floats.
Floating count_floating(const char* volumes, const char* correction) {
    const Scene scene =
        load_scene("dragon_drop", {fmt::format("volumes={}", volumes), "resolution=40",
                                   fmt::format("position_correction={}", correction)});
    const LiquidSetup<3> setup = make_setup<3>(scene);
    SolidGrid<3> solids(setup.grid, setup.solids, setup.open_side);
    LiquidSimulation<3> simulation(setup);
    Floating result;
    const double dt = 1 / scene.fps;
    for (int frame = 1; frame < scene.frames; ++frame) {
        const Particles<3>& p = simulation.state().particles;
        int count = 0;
        const std::vector<int> piece = pieces(simulation, count);
        // Whether a piece is, and stays, clear of solids by a cell; its speed and height.
        std::vector<char> is_clear(count, 1);
        std::vector<double> before(count), after(count), height_before(count), height(count);
        std::vector<std::size_t> size(count);
        std::unordered_map<std::uint32_t, int> piece_of;
        const auto look = [&](std::size_t i, int k, std::vector<double>& speed,
                              std::vector<double>& y) {
            const Point<3> x = setup.grid.to_world(p.position(i));
            if (solids.distance(x, simulation.state().time) < setup.grid.dx) is_clear[k] = 0;
            speed[k] += p.velocity(i)[1];
            y[k] += x[1];
        };
        for (std::size_t i = 0; i < p.size(); ++i) {
            look(i, piece[i], before, height_before);
            ++size[piece[i]];
            piece_of[p.id[i]] = piece[i];
        }
        run_to<3>(simulation, frame * dt, [](const StepReport&) {});
        int count_after = 0;
        const std::vector<int> now = pieces(simulation, count_after);
        std::vector<int> members(count_after);  // a piece that met others is no longer free
        for (const int n : now) ++members[n];
        for (std::size_t i = 0; i < p.size(); ++i) {
            const auto found = piece_of.find(p.id[i]);
            if (found == piece_of.end()) continue;
            const int k = found->second;
            look(i, k, after, height);
            if (static_cast<std::size_t>(members[now[i]]) > size[k]) is_clear[k] = 0;
        }
        const double fall = 0.5 * kGravity * dt * dt;  // of a piece let go at rest
        for (int k = 0; k < count; ++k) {
            const double n = static_cast<double>(size[k]);
            const double gained = (before[k] - after[k]) / n,
                         sunk = (height_before[k] - height[k]) / n;
            if (!is_clear[k]) continue;
            result.clear += size[k];
            if (gained < 0.5 * kGravity * dt && sunk < fall) result.particles += size[k];
            if (std::abs(sunk) < 0.01 * fall) result.at_rest += size[k];
        }
    }
    return result;
}

// ---- honey_dipper, gears ------------------------------------------------------------------------

/// Degrees between a body's axis, upright in its own frame but for `lean`, and the vertical.
double tilt(const BodyState<3>& body, double lean) {
    const Point<3> axis{std::sin(lean), std::cos(lean), 0};
    return std::acos(std::clamp((body.rotation * axis)[1], -1.0, 1.0)) * 180 / M_PI;
}

}  // namespace

void validate_dragon_drop(ValidateReport& report) {
    for (const char* volumes : {"consistent", "independent", "supersampled"})
        for (const char* correction : {"both", "grid"}) {
            const Floating sum = count_floating(volumes, correction);
            const std::string name = fmt::format("dragon_drop/{}/{}", volumes, correction);
            const char* quantity = "floating particles, sum over frames";
            const double floating = static_cast<double>(sum.particles);
            if (std::string(volumes) == "consistent")
                add_small(report, name, quantity, floating, 0);
            else
                add_at_least(report, name, quantity, floating, 1);
            report.tell(name, "of them at rest in the air", static_cast<double>(sum.at_rest));
            report.tell(name, "in drops that are free to fall", static_cast<double>(sum.clear));
        }
}

void validate_honey_dipper(ValidateReport& report) {
    constexpr double kLean = 4 * M_PI / 180;  // of the scene's dipper
    for (const char* coupling : {"strong", "weak", "one-way"}) {
        const Scene scene =
            load_scene("honey_dipper", {fmt::format("coupling={}", coupling), "resolution=36"});
        LiquidSimulation<3> simulation(make_setup<3>(scene));
        const std::string name = fmt::format("honey_dipper/{}", coupling);
        for (const double time : {1.0, 5.0}) {
            run_to<3>(simulation, time, [](const StepReport&) {});
            const double degrees = tilt(simulation.state().bodies[0], kLean);
            const std::string what = fmt::format("tilt after {:g} s, degrees (starts at 4)", time);
            if (time < 5)
                report.tell(name, what, degrees);
            else if (std::string(coupling) == "strong")
                add_small(report, name, what, degrees, 10);
            else
                add_at_least(report, name, what, degrees, 20);
        }
    }
}

void validate_gears(ValidateReport& report) {
    const Scene scene = load_scene("gears", {"resolution=66"});
    LiquidSimulation<3> simulation(make_setup<3>(scene));
    // The angles that the gears turn by in the second second.
    double angle[3] = {};
    run_to<3>(simulation, 2, [&](const StepReport& r) {
        for (int n = 0; n < 3 && r.time > 1; ++n)
            angle[n] += std::abs(simulation.state().bodies[n].spin[2]) * r.dt;
    });
    for (int n = 0; n < 3; ++n) {
        const std::string name = fmt::format("gears/{:g}", scene.inflows[n].viscosity);
        report.tell(name, "mean speed from 1 s to 2 s, rad/s", angle[n]);
        if (n > 0)
            add_at_least(report, name, "speed in thinner liquid / speed", angle[n - 1] / angle[n],
                         1.05);
    }
}

}  // namespace slosh::cli
