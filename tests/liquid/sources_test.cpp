#include "slosh/liquid/sources.h"

#include <doctest/doctest.h>

#include <atomic>

#include "common.h"
#include "slosh/base/parallel.h"
#include "slosh/shape/primitives.h"

using namespace slosh;

namespace {

/// The unit square seen from its very edge: the first `inside` questions are answered "just
/// inside", all later ones "just outside", as rounding may do.
struct Edge final : Shape<2> {
    explicit Edge(int n) : inside(n) {}
    double distance(const Point<2>&) const override { return inside-- > 0 ? -1e-16 : 1e-16; }
    Box<2> bounds() const override { return {{0, 0}, {1, 1}}; }
    mutable std::atomic<int> inside;
};

double no_solid(const Point<2>&) {
    return 1;
}

}  // namespace

TEST_CASE("Seeds that are found outside when asked again take the nearest shape's velocity") {
    LiquidSetup<2> setup;
    setup.grid = unit_grid<2>(8);
    const int seeds = 8 * 8 * 4;
    setup.liquid.push_back({sphere<2>({5, 5}, 0.1), {1, 1}, {}, {}});
    setup.liquid.push_back({std::make_shared<Edge>(seeds), {2, 3}, {}, {}});
    LiquidState<2> state;
    seed_initial_liquid<2>(setup, no_solid, state);
    REQUIRE(state.particles.size() == seeds);
    for (std::size_t i = 0; i < state.particles.size(); ++i) {
        CHECK(state.particles.v[0][i] == 2);
        CHECK(state.particles.v[1][i] == 3);
    }
}

TEST_CASE("An inflow steers what is in it, leaves the rest alone and fills only empty places") {
    // Many chunks of particles everywhere, a hole in the middle of the inflow.
    LiquidSetup<2> setup;
    setup.grid = unit_grid<2>(128);
    setup.liquid.push_back({box<2>({0, 0}, {1, 1}), {1, 0}, {}, {}});
    LiquidState<2> start;
    seed_initial_liquid<2>(setup, no_solid, start);
    Inflow<2> jet;
    jet.shape = sphere<2>({0.5, 0.5}, 0.2);
    jet.velocity[1] = Curve(-2.0);
    setup.inflows.push_back(jet);
    auto& p = start.particles;
    const auto from_centre = [](const Particles<2>& q, std::size_t i) {
        return length(q.position(i) * (1.0 / 128) - Point<2>{0.5, 0.5});
    };
    std::vector<std::uint8_t> hole(p.size());
    for (std::size_t i = 0; i < p.size(); ++i) hole[i] = from_centre(p, i) < 0.1;
    const std::size_t removed = remove_marked(p, hole);
    REQUIRE(removed > 1000);

    for (int threads : {1, 3}) {
        set_threads(threads);
        LiquidState<2> state = start;
        // A sub-cell has one seed, so one new particle for each that is missing.
        CHECK(run_inflows<2>(setup, no_solid, state) == removed);
        CHECK(state.next_id == start.next_id + removed);
        const auto& q = state.particles;
        for (std::size_t i = 0; i < q.size(); ++i) {
            const bool steered = from_centre(q, i) < 0.2;
            REQUIRE(q.v[0][i] == (steered ? 0 : 1));
            REQUIRE(q.v[1][i] == (steered ? -2 : 0));
        }
        // Once full, it stays full.
        CHECK(run_inflows<2>(setup, no_solid, state) == 0);
    }
    set_threads(0);
}
