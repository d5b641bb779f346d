#include "slosh/linear/coarsest.h"

#include <doctest/doctest.h>

#include "common.h"
#include "linear/dense.h"
#include "linear/problems.h"
#include "slosh/linear/multigrid_kernels.h"

using namespace slosh;

namespace {

/// How much a sweep still changes x where it solves A x = b, relative to the largest x.
template <int D>
double sweep_changes(const MultigridLevel<D>& level, const SplitField<D>& b, SplitField<D>& x) {
    double change = 0, largest = 1e-30;
    for (int t = 0; t < 2; ++t)
        for (int block : level.live) {
            const std::vector<float> before(x.half(block, t), x.half(block, t) + kHalf<D>);
            if (t == 0)
                relax_block<D, 0>(level, block, b, x);
            else
                relax_block<D, 1>(level, block, b, x);
            for (int at = 0; at < kHalf<D>; ++at) {
                change = std::max<double>(change, std::abs(x.half(block, t)[at] - before[at]));
                largest = std::max<double>(largest, std::abs(before[at]));
            }
        }
    return change / largest;
}

/// Calls body(value of b) for each unknown of the level.
template <int D, class Body>
void for_each_unknown(const MultigridLevel<D>& level, SplitField<D>& b, const Body& body) {
    for (int block : level.live)
        for (int t = 0; t < 2; ++t) {
            std::uint32_t number = level.kinds[block].first[t];
            for (int v = 0; v < kVectors<D>; ++v) {
                const bool plain = level.kinds[block].plain[t] >> v & 1;
                const bool mixed = level.kinds[block].mixed[t] >> v & 1;
                for (int lane = 0; lane < 8; ++lane)
                    if (plain || (mixed && level.mixed[number].inverse[lane] > 0))
                        body(b.half(block, t)[8 * v + lane]);
                number += mixed;
            }
        }
}

/// What a sweep changes in the answer of a system's coarsest level to random numbers; if the system
/// is `closed`, to such that add up to nothing.
template <int D>
double changes_after_inverse(const BlockSystem<D>& s, int seed, bool closed) {
    const Multigrid<D> multigrid(s);
    const MultigridLevel<D>& level = multigrid.levels().back();
    Coarsest<D> coarsest;
    coarsest.set(level);
    REQUIRE(coarsest.is_known());
    SplitField<D> b = level.zeros(), x = level.zeros();
    int k = 0;
    double sum = 0;
    for_each_unknown(level, b, [&](float& v) { sum += v = hash_uniform(seed, ++k, 0) - 0.5; });
    REQUIRE(k > 1);
    if (closed) for_each_unknown(level, b, [&](float& v) { v -= static_cast<float>(sum / k); });
    coarsest.solve(b, x);
    return sweep_changes(level, b, x);
}

}  // namespace

TEST_CASE_TEMPLATE("What the coarsest level's inverse gives, sweeps leave alone", Dm, Dim<2>,
                   Dim<3>) {
    constexpr int D = Dm::value;
    for (int seed = 1; seed <= 5; ++seed) {
        const auto s = seed == 1 ? test::sphere_system<D>(D == 2 ? 64 : 32)
                                 : test::random_system<D>(seed, 0.7, 0.2, 0.01);
        CHECK(changes_after_inverse(s, seed, false) < 1e-5);
    }
}

TEST_CASE_TEMPLATE("On the coarsest level a pocket without air is solved up to a constant", Dm,
                   Dim<2>, Dim<3>) {
    constexpr int D = Dm::value;
    // A full box: no excess anywhere.
    const auto s = test::pressure_system<D>(
        D == 2 ? 24 : 16, [](const Point<D>&) { return 1.0; },
        [](const Point<D>&) { return -1.0; });
    BlockSystem<D> closed = s;
    closed.excess.fill(0);
    CHECK(changes_after_inverse(closed, 3, true) < 1e-4);
}
