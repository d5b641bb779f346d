// Position correction in whole steps: a plate is pressed into thick liquid, and a ball floats in
// it.
#include <doctest/doctest.h>

#include "common.h"
#include "run.h"
#include "slosh/base/parallel.h"
#include "slosh/rigid/mass.h"
#include "slosh/shape/primitives.h"

using namespace slosh;

namespace {

constexpr double kFrame = 1.0 / 30;

LiquidSetup<2> pressed_pool(PositionCorrection correction) {
    LiquidSetup<2> setup;
    setup.grid = unit_grid<2>(32);
    setup.gravity[1] = Curve(-9.81);
    setup.viscosity = 100;
    setup.step.position_correction = correction;
    setup.liquid = {{box<2>({0, 0}, {1, 0.5}), {}, {}, {}}};
    setup.solids = {{"plate", box<2>({-0.3, 0}, {0.3, 0.1}),
                     Motion<2>({{0, {0.4, 0.5}, {}}, {1, {0.4, 0.2}, {}}})}};
    setup.bodies = {body_of<2>(sphere<2>({0.85, 0.5}, 0.08), 500)};
    return setup;
}

/// The reports of the last step of each of `frames` frames.
std::vector<StepReport> run_frames(LiquidSimulation<2>& simulation, int frames) {
    std::vector<StepReport> last;
    for (int frame = 0; frame < frames; ++frame) {
        const double end = simulation.state().time + kFrame;
        StepReport report;
        while (simulation.state().time < end - 1e-9) {
            report = simulation.step(end - simulation.state().time);
            if (simulation.state().time < end - 1e-9) CHECK(report.spacing.max_density == 0);
        }
        last.push_back(report);
    }
    return last;
}

}  // namespace

TEST_CASE("Constraints end every frame within their tolerance, and keep the volume with the grid") {
    LiquidSimulation<2> simulation(pressed_pool(PositionCorrection::Both));
    const std::vector<StepReport> frames = run_frames(simulation, 20);
    CHECK(frames[0].spacing.iterations > 0);  // seeds are jittered
    for (const StepReport& r : frames) {
        CHECK(r.spacing.converged);
        CHECK(r.spacing.max_density <= 1.1 + 1e-6);
        CHECK(r.volume == doctest::Approx(frames[0].volume).epsilon(0.02));
    }
}

TEST_CASE("The grid alone reports no constraints") {
    LiquidSimulation<2> simulation(pressed_pool(PositionCorrection::Grid));
    for (const StepReport& r : run_frames(simulation, 2)) CHECK(r.spacing.max_density == 0);
}

TEST_CASE("Corrected positions have the same bits on any number of threads and after a restore") {
    for (const PositionCorrection correction :
         {PositionCorrection::Both, PositionCorrection::Density, PositionCorrection::Distance}) {
        set_threads(1);
        LiquidSimulation<2> one(pressed_pool(correction));
        (void)run_frames(one, 2);
        const LiquidState<2> middle = one.state();
        (void)run_frames(one, 2);
        const std::uint64_t expected = hash_of(one.state());
        for (const int threads : {2, 3}) {
            set_threads(threads);
            LiquidSimulation<2> many(pressed_pool(correction));
            (void)run_frames(many, 4);
            CHECK(hash_of(many.state()) == expected);
        }
        LiquidSimulation<2> resumed(pressed_pool(correction));
        resumed.restore(middle);
        (void)run_frames(resumed, 2);
        CHECK(hash_of(resumed.state()) == expected);
        set_threads(0);
    }
}
