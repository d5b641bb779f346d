#include "slosh/linear/surface_guess.h"

#include <doctest/doctest.h>

#include <algorithm>

#include "common.h"
#include "linear/problems.h"
#include "slosh/linear/multigrid.h"

using namespace slosh;

namespace {

template <int D>
int colour_of(const BlockSystem<D>& s, int b, int o) {
    const Index<D> c = s.blocks->first_cell(b) + local_cell<D>(o);
    int sum = 0;
    for (int d = 0; d < D; ++d) sum += c[d];
    return sum & 1;
}

/// A half full sphere with a wavy surface, and its pressure when the surface was a little higher.
template <int D>
struct MovedSurface {
    static constexpr int n = D == 2 ? 96 : 48;
    BlockSystem<D> now = at_height(0);
    Field<double, D> x{now.blocks};
    Field<std::uint8_t, D> none{now.blocks};

    static BlockSystem<D> at_height(double cells) {
        return test::pressure_system<D>(n, test::sphere_solid<D>, [=](const Point<D>& p) {
            return test::wavy_liquid<D>(p) - cells / n;
        });
    }
    MovedSurface() {
        const BlockSystem<D> before = at_height(0.4);
        Field<double, D> last(before.blocks);
        REQUIRE(solve_multigrid(before, {.tolerance = 1e-8}, last).converged);
        for (int b = 0; b < now.blocks->size(); ++b)
            for (int o = 0; o < kBlockCells<D>; ++o)
                if (now.unknown.block(b)[o])
                    x.block(b)[o] = last.get(now.blocks->first_cell(b) + local_cell<D>(o));
    }
};

}  // namespace

TEST_CASE_TEMPLATE("Rows at the surface are solved, and no other cell moves", Dm, Dim<2>, Dim<3>) {
    constexpr int D = Dm::value;
    MovedSurface<D> m;
    const Field<double, D> before = m.x;
    Field<double, D> r(m.now.blocks);
    const double worst_before = residual(m.now, m.x, r);
    relax_surface(m.now, m.none, m.x);
    const double worst = residual(m.now, m.x, r);
    CHECK(worst < 0.2 * worst_before);
    int at_surface = 0;
    for (int b = 0; b < m.now.blocks->size(); ++b)
        for (int o = 0; o < kBlockCells<D>; ++o) {
            if (m.now.unknown.block(b)[o] && m.now.excess.block(b)[o] > 0) {
                ++at_surface;
                // Black cells come last.
                if (colour_of(m.now, b, o) == 1)
                    CHECK(std::abs(r.block(b)[o]) <= 1e-9 * worst_before);
            } else {
                CHECK(m.x.block(b)[o] == before.block(b)[o]);
            }
        }
    CHECK(at_surface > 50);
}

TEST_CASE_TEMPLATE("A guess mended at the surface is ahead by most of a cycle", Dm, Dim<2>,
                   Dim<3>) {
    constexpr int D = Dm::value;
    MovedSurface<D> m;
    Field<double, D> as_it_was = m.x;
    relax_surface(m.now, m.none, m.x);
    // A cycle leaves about a tenth of the residual.
    const SolveOptions three_cycles{.tolerance = 0, .max_iterations = 3};
    const auto mended = solve_multigrid(m.now, three_cycles, m.x);
    const auto raw = solve_multigrid(m.now, three_cycles, as_it_was);
    CHECK(mended.residual < 0.3 * raw.residual);
}

TEST_CASE_TEMPLATE("Where there is a bound, a mended guess keeps it", Dm, Dim<2>, Dim<3>) {
    constexpr int D = Dm::value;
    MovedSurface<D> m;
    for (std::size_t i = 0; i < m.x.cells(); ++i) m.x.data()[i] *= -1;  // suction
    Field<double, D> free = m.x, bounded = m.x;
    relax_surface(m.now, m.none, free);
    relax_surface(m.now, m.now.unknown, bounded);
    int negative = 0, differ = 0;
    for (int b = 0; b < m.now.blocks->size(); ++b)
        for (int o = 0; o < kBlockCells<D>; ++o) {
            if (!(m.now.unknown.block(b)[o] && m.now.excess.block(b)[o] > 0)) continue;
            negative += free.block(b)[o] < 0;
            differ += free.block(b)[o] != bounded.block(b)[o];
            CHECK(bounded.block(b)[o] >= 0);
        }
    CHECK(negative > 0);
    CHECK(differ >= negative / 2);
}

TEST_CASE("A mended guess has the same bits on any number of threads") {
    MovedSurface<3> m;
    Field<double, 3> one = m.x, three = m.x;
    set_threads(1);
    relax_surface(m.now, m.none, one);
    set_threads(3);
    relax_surface(m.now, m.none, three);
    set_threads(0);
    CHECK(std::equal(one.data(), one.data() + one.cells(), three.data()));
}
