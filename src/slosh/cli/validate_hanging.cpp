// What is left hanging on walls, with and without separation.
#include <fmt/format.h>

#include "slosh/cli/validate_liquid.h"
#include "slosh/cli/validate_rows.h"
#include "slosh/scene/load.h"

namespace slosh::cli {

namespace {

constexpr double kGravity = 9.81;

// ---- ceiling: a ball thrown up at 4 m/s in a unit cube ----------------------------------------

struct CeilingRun {
    double share =
        0;  ///< Of the liquid within 3.5 cells of the ceiling, five frames after the peak.
    double fall = 0;  ///< Of the centre of mass in two frames from its release, over free fall.
};

CeilingRun run_ceiling(const char* separation) {
    const Scene scene = load_scene("ceiling", {fmt::format("separation={}", separation)});
    const LiquidSetup<3> setup = make_setup<3>(scene);
    LiquidSimulation<3> simulation(setup);
    const auto near_ceiling = [&] {
        const auto& p = simulation.state().particles;
        std::size_t count = 0;
        for (std::size_t i = 0; i < p.size(); ++i)
            count += p.position(i)[1] > setup.grid.cells[1] - 3.5;
        return static_cast<double>(count) / static_cast<double>(p.size());
    };
    const auto mean_speed = [&] {
        const auto& p = simulation.state().particles;
        double sum = 0;
        for (std::size_t i = 0; i < p.size(); ++i) sum += p.velocity(i)[1];
        return sum / static_cast<double>(p.size());
    };
    CeilingRun result;
    std::vector<double> height, speed, share;
    int peak = 0;
    for (int frame = 0; frame < 24; ++frame) {
        height.push_back(centre_of_mass(simulation)[1]);
        speed.push_back(mean_speed());
        share.push_back(near_ceiling());
        if (height[frame] > height[peak]) peak = frame;
        if (frame >= peak + 7) break;
        run_to<3>(simulation, (frame + 1) / scene.fps, [](const StepReport&) {});
    }
    result.share = share[peak + 5];
    // Released: the last of the bulk has left the ceiling. Sticky walls may never come to that.
    int released = peak;
    while (released + 2 < static_cast<int>(height.size()) && share[released] > 0.05) ++released;
    if (released + 2 >= static_cast<int>(height.size())) released = peak;
    const double t = 2 / scene.fps;
    const double expected = -speed[released] * t + 0.5 * kGravity * t * t;
    result.fall = (height[released] - height[released + 2]) / expected;
    return result;
}

// ---- hanging: liquid at walls in the upper half of the domain ----------------------------------

/// Share of the liquid within 1.5 cells of walls in the upper half; its mean over the second from
/// `start` on, since what one moment shows may be a wave that comes by.
template <int D>
double hanging_share(const Scene& scene, double start) {
    constexpr int kLooks = 20;
    const LiquidSetup<D> setup = make_setup<D>(scene);
    LiquidSimulation<D> simulation(setup);
    const double middle = setup.grid.origin[1] + 0.5 * setup.grid.cells[1] * setup.grid.dx;
    double share = 0;
    for (int k = 1; k <= kLooks; ++k) {
        const double time = start + static_cast<double>(k) / kLooks;
        run_to<D>(simulation, time, [](const StepReport&) {});
        SolidGrid<D> solids(setup.grid, setup.solids, setup.open_side);
        const auto& p = simulation.state().particles;
        std::size_t near = 0;
        for (std::size_t i = 0; i < p.size(); ++i) {
            const Point<D> x = setup.grid.to_world(p.position(i));
            near += x[1] > middle && solids.distance(x, time) < 1.5 * setup.grid.dx;
        }
        share += static_cast<double>(near) / static_cast<double>(p.size()) / kLooks;
    }
    return share;
}

}  // namespace

void validate_ceiling(ValidateReport& report) {
    const CeilingRun separating = run_ceiling("cell"), sticky = run_ceiling("off");
    add_small(report, "ceiling", "share at the ceiling five frames after the peak",
              separating.share, 0.03);
    report.compare("ceiling", "fall of the centre of mass / free fall", separating.fall, 1, 0.03);
    report.tell("ceiling/off", "share at the ceiling five frames after the peak", sticky.share);
    report.tell("ceiling/off", "fall of the centre of mass / free fall", sticky.fall);
}

void validate_hanging(ValidateReport& report) {
    struct Look {
        const char* scene;
        double start;  // s, when the first splash meets the walls
    };
    for (const Look& look :
         {Look{"sphere", 0.5}, Look{"ball_box", 0.3}, Look{"wall_splash", 0.5}}) {
        double share[2];
        for (int sticky = 0; sticky < 2; ++sticky) {
            const Scene scene =
                load_scene(look.scene, {sticky ? "separation=off" : "separation=cell"});
            share[sticky] = scene.dim == 2 ? hanging_share<2>(scene, look.start)
                                           : hanging_share<3>(scene, look.start);
        }
        const std::string name = fmt::format("hanging/{}", look.scene);
        const std::string what = fmt::format("share near walls of the upper half, {} to {} s",
                                             look.start, look.start + 1);
        report.tell(name, what, share[0]);
        report.tell(name + "/off", what, share[1]);
        add_small(report, name, "the first over the second", share[0] / share[1], 1);
    }
}

}  // namespace slosh::cli
