#include <doctest/doctest.h>

#include "slosh/scene/estimate.h"
#include "slosh/scene/load.h"

using namespace slosh;

namespace {

Scene gas_scene(const std::string& gas, const std::string& rest = "") {
    return read_scene("{\"gas\": " + gas + rest + "}", "gas.json");
}

constexpr const char* kHot =
    R"({"ambient": 300, "sources": [
        {"shape": {"type": "sphere", "position": [0.5, 0.2, 0.5], "radius": 0.1}, "temperature": 450,
         "smoke": 0.5, "velocity": [0, 1, 0], "start": 1, "end": 2},
        {"shape": {"type": "box", "lower": [0, 0, 0], "upper": [0.1, 0.1, 0.1]}}]})";

}  // namespace

TEST_CASE("A gas gets defaults of its own, and sources become those of the setup") {
    const Scene s = gas_scene(kHot);
    CHECK(s.density == 1.2);
    CHECK(s.step.separation == Separation::Off);
    CHECK(s.step.affine_time == 1e30);
    CHECK(s.step.position_correction == PositionCorrection::Off);
    CHECK(gas_scene("{}", ", \"affine_time\": 0.5, \"density\": 2").step.affine_time == 0.5);
    const LiquidSetup<3> setup = make_setup<3>(s);
    REQUIRE(setup.gas);
    REQUIRE(setup.gas->sources.size() == 2);
    const GasSource<3>& a = setup.gas->sources[0];
    CHECK(a.temperature == 450);
    CHECK(a.smoke == 0.5);
    CHECK(a.start == 1);
    CHECK(a.end == 2);
    REQUIRE(a.velocity);
    CHECK((*a.velocity)[1] == 1);
    CHECK(a.shape->distance({0.5, 0.2, 0.5}) == doctest::Approx(-0.1));
    CHECK(setup.gas->sources[1].temperature == 300);  // not hotter than the rest
    CHECK(!setup.gas->sources[1].velocity);
    CHECK(!make_setup<3>(load_scene("sphere")).gas);
}

TEST_CASE("A resolved gas scene loads back to the same scene") {
    const Scene s = gas_scene(kHot);
    const std::string text = resolved_json(s);
    const Scene again = read_scene(text, "resolved.json");
    CHECK(resolved_json(again) == text);
    CHECK(scene_hash(again) == scene_hash(s));
    Scene warmer = s;
    warmer.gas->sources[0].temperature += 1;
    CHECK(scene_hash(warmer) != scene_hash(s));
    // Scenes without gas do not mention it, and keep their hash.
    CHECK(resolved_json(load_scene("sphere")).find("\"gas\"") == std::string::npos);
}

TEST_CASE("A gas is estimated by the room it fills") {
    const Scene s = load_scene("smoke_paddle");
    CHECK(s.cells() == Index<3>{{80, 40, 60}});
    const SceneEstimate e = estimate_scene(s);
    CHECK(e.volume < 3);
    CHECK(e.volume > 2.7);  // the wheel takes some
    CHECK(e.particles == doctest::Approx(8 * e.liquid_cells));
    CHECK(e.warnings.empty());
    CHECK(load_scene("smoke_paddle", {"resolution=40"}).cells() == Index<3>{{40, 20, 30}});
}
