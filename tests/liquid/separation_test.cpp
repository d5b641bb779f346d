// Liquid leaves separating walls and stays at sticky ones.
#include <doctest/doctest.h>

#include <cmath>

#include "slosh/liquid/simulation.h"
#include "slosh/shape/primitives.h"

using namespace slosh;

namespace {

/// A slab of liquid under the lid y > 0.75 of a closed unit square; returns its mean speed after
/// 0.1 s, over that of free fall.
double fall_from_lid(Separation scene, SolidWalls lid, const std::string& solver = "auto") {
    LiquidSetup<2> setup;
    setup.grid = {.origin = {}, .dx = 1.0 / 32, .cells = {32, 32}};
    setup.gravity[1] = Curve(-9.81);
    setup.step.separation = scene;
    setup.step.solver = solver;
    setup.solids.push_back({"lid", box<2>({-1, 0.75}, {2, 2}), {}, lid});
    setup.liquid.push_back({box<2>({0.3, 0.55}, {0.7, 0.75}), {}, {}, {}});
    LiquidSimulation<2> simulation(setup);
    while (simulation.state().time < 0.1 - 1e-9)
        CHECK(simulation.step(0.1 - simulation.state().time).accepted);
    const auto& p = simulation.state().particles;
    double sum = 0;
    for (std::size_t i = 0; i < p.size(); ++i) sum += p.velocity(i)[1];
    return sum / static_cast<double>(p.size()) / (-9.81 * 0.1);
}

}  // namespace

TEST_CASE("Liquid falls freely from a separating lid in every mode") {
    for (Separation mode : {Separation::Cell, Separation::Node, Separation::Edge})
        CHECK(fall_from_lid(mode, SolidWalls::Scene) == doctest::Approx(1).epsilon(1e-3));
    CHECK(fall_from_lid(Separation::Off, SolidWalls::Scene) < 0.8);
}

TEST_CASE("A solid may differ from the scene") {
    CHECK(fall_from_lid(Separation::Cell, SolidWalls::Sticky) < 0.8);
    CHECK(fall_from_lid(Separation::Off, SolidWalls::Separating) ==
          doctest::Approx(1).epsilon(1e-3));
}

TEST_CASE("Every solver word runs a step, with the same fall") {
    const std::string words[] = {"pgs",         "fmg",        "fas",    "policy-pcg", "policy-mg",
                                 "penalty-pcg", "penalty-mg", "newton", "mprgp"};
    for (const std::string& word : words) {
        CAPTURE(word);
        CHECK(fall_from_lid(Separation::Cell, SolidWalls::Scene, word) ==
              doctest::Approx(1).epsilon(1e-3));
    }
}
