#include "slosh/surface/extend.h"

#include <doctest/doctest.h>

#include <cstring>

#include "surface/scenes.h"

using namespace slosh;
using namespace slosh::test;

namespace {

template <int D>
BlocksPtr<D> cube(int cells) {
    return box_topology<D>(Index<D>::filled(0), Index<D>::filled(cells));
}

/// Calls body(cell, value by reference) on all values of a field.
template <class T, int D, class Body>
void each(Field<T, D>& f, const Body& body) {
    for (int b = 0; b < f.blocks().size(); ++b)
        for (int o = 0; o < kBlockCells<D>; ++o)
            body(f.blocks().first_cell(b) + local_cell<D>(o), f.block(b)[o]);
}

/// Distance (in cells, any sum of offsets) of a cell from the box 12 .. 15.
template <int D>
int steps_from_core(const Index<D>& c) {
    int steps = 0;
    for (int d = 0; d < D; ++d) steps += std::max({0, 12 - c[d], c[d] - 15});
    return steps;
}

}  // namespace

TEST_CASE_TEMPLATE("Extending a constant velocity is exact, as far as asked and no further", Dm,
                   Dim<2>, Dim<3>) {
    constexpr int D = Dm::value;
    const auto blocks = cube<D>(32);
    FaceField<float, D> u(blocks, 0);
    FaceField<std::uint8_t, D> known(blocks, 0);
    for (int axis = 0; axis < D; ++axis) {
        each(known.axis(axis),
             [&](const Index<D>& c, std::uint8_t& k) { k = steps_from_core(c) == 0; });
        each(u.axis(axis), [&](const Index<D>& c, float& v) {
            v = steps_from_core(c) == 0 ? 1.5f + static_cast<float>(axis) : std::nanf("");
        });
    }
    extend_velocity(u, known, 6);
    int wrong = 0;
    for (int axis = 0; axis < D; ++axis)
        each(u.axis(axis), [&](const Index<D>& c, float& v) {
            const bool reached = steps_from_core(c) <= 6;
            wrong += known.axis(axis).get(c) != reached;
            wrong += reached ? v != 1.5f + static_cast<float>(axis) : !std::isnan(v);
        });
    CHECK(wrong == 0);
}

TEST_CASE_TEMPLATE("A layer takes the mean of the layer before alone", Dm, Dim<2>, Dim<3>) {
    constexpr int D = Dm::value;
    const auto blocks = cube<D>(32);
    FaceField<float, D> u(blocks, 0);
    FaceField<std::uint8_t, D> known(blocks, 0);
    each(known.axis(0), [&](const Index<D>& c, std::uint8_t& k) { k = steps_from_core(c) == 0; });
    each(u.axis(0), [&](const Index<D>& c, float& v) {
        v = static_cast<float>(hash_uniform(3, cell_offset(local_of(c)), c[0]));
    });
    auto reference = u.axis(0);
    auto mark = known.axis(0);
    for (int layer = 1; layer <= 3; ++layer) {
        auto next = reference;
        auto next_mark = mark;
        each(next, [&](const Index<D>& c, float& v) {
            if (mark.get(c)) return;
            float sum = 0, n = 0;
            for (int d = 0; d < D; ++d)
                for (int s : {-1, 1})
                    if (mark.get(c + unit<D>(d) * s)) {
                        sum += reference.get(c + unit<D>(d) * s);
                        n += 1;
                    }
            if (n == 0) return;
            v = sum / n;
            next_mark.set(c, 1);
        });
        reference = next;
        mark = next_mark;
    }
    extend_velocity(u, known, 3);
    double worst = 0;
    each(u.axis(0), [&](const Index<D>& c, float& v) {
        worst = std::max<double>(worst, std::abs(v - reference.get(c)));
    });
    CHECK(worst < 1e-6);
    CHECK(std::memcmp(known.axis(0).data(), mark.data(), mark.cells()) == 0);
}

TEST_CASE_TEMPLATE("Extended velocities have the same bytes on 1, 2 and 3 threads", Dm, Dim<2>,
                   Dim<3>) {
    constexpr int D = Dm::value;
    const auto blocks = cube<D>(40);
    std::vector<FaceField<float, D>> results;
    for (int threads : {1, 2, 3}) {
        set_threads(threads);
        FaceField<float, D> u(blocks, 0);
        FaceField<std::uint8_t, D> known(blocks, 0);
        for (int axis = 0; axis < D; ++axis) {
            each(known.axis(axis), [&](const Index<D>& c, std::uint8_t& k) {
                k = c[1] < 10 + 3 * std::sin(0.7 * c[0]);
            });
            each(u.axis(axis), [&](const Index<D>& c, float& v) {
                v = static_cast<float>(std::sin(c[0] * 1.3 + c[1] + axis));
            });
        }
        extend_velocity(u, known, 6);
        const auto solid =
            sampled<D>(blocks, 3, 0, [](const Point<D>& x) { return 0.6 * x[0] + 0.8 * x[1] - 9; });
        FaceField<float, D> open(blocks, 1);
        for (int axis = 0; axis < D; ++axis)
            each(open.axis(axis),
                 [&](const Index<D>& c, float& v) { v = 0.6 * c[0] + 0.8 * c[1] > 9; });
        constrain_velocity<D>(u, solid, open, nullptr, false);
        results.push_back(u);
    }
    set_threads(0);
    for (const auto& r : results)
        for (int axis = 0; axis < D; ++axis)
            CHECK(std::memcmp(r.axis(axis).data(), results[0].axis(axis).data(),
                              r.axis(axis).cells() * sizeof(float)) == 0);
}

TEST_CASE_TEMPLATE("Velocities are carried into solids as deep as they are read, not deeper", Dm,
                   Dim<2>, Dim<3>) {
    constexpr int D = Dm::value;
    const auto blocks = cube<D>(24);
    // Liquid above y = 12, solid below.
    const auto solid = sampled<D>(blocks, 3, 0, [](const Point<D>& x) { return x[1] - 12; });
    FaceField<float, D> u(blocks, 0);
    FaceField<std::uint8_t, D> known(blocks, 0);
    for (int axis = 0; axis < D; ++axis) {
        each(known.axis(axis), [&](const Index<D>& c, std::uint8_t& k) { k = c[1] >= 12; });
        each(u.axis(axis), [&](const Index<D>& c, float& v) { v = c[1] >= 12 ? 1.5f : 7; });
    }
    extend_velocity(u, known, 6, &solid);
    for (int axis = 0; axis < D; ++axis) {
        int wrong = 0;
        each(u.axis(axis), [&](const Index<D>& c, float& v) {
            const bool reached = static_cast<float>(c[1]) - 12 > -kDeepestRead;
            wrong += v != (reached ? 1.5f : 7) || known.axis(axis).get(c) != reached;
        });
        CHECK(wrong == 0);
    }
}

TEST_CASE_TEMPLATE("Constrained velocity slides along a tilted wall", Dm, Dim<2>, Dim<3>) {
    constexpr int D = Dm::value;
    const auto blocks = cube<D>(24);
    Point<D> n = Point<D>::filled(0.4);
    n[1] = -0.9;
    n = n / length(n);
    const auto solid = sampled<D>(
        blocks, 3, 0, [&](const Point<D>& x) { return dot(n, x - Point<D>::filled(12)); });
    // What the fluid would do, what the wall does.
    Point<D> flow, wall;
    for (int d = 0; d < D; ++d) {
        flow[d] = 1 + d;
        wall[d] = 0.5 - d;
    }
    const double approach = dot(n, flow - wall);
    for (double turn : {1.0, -1.0})
        for (bool only_inward : {false, true}) {
            FaceField<float, D> u(blocks, 0), us(blocks, 0), open(blocks, 1);
            for (int axis = 0; axis < D; ++axis) {
                each(u.axis(axis), [&](const Index<D>&, float& v) {
                    v = static_cast<float>(wall[axis] + turn * (flow[axis] - wall[axis]));
                });
                each(us.axis(axis),
                     [&](const Index<D>&, float& v) { v = static_cast<float>(wall[axis]); });
                each(open.axis(axis), [&](const Index<D>& c, float& v) {
                    v = dot(n, c.template as<double>() - Point<D>::filled(12)) > 0;
                });
            }
            // Blocks that are said to hold no closed face are left out, to no effect.
            std::vector<std::uint8_t> kinds(blocks->size(), 0);
            for (int axis = 0; axis < D; ++axis)
                for (int b = 0; b < blocks->size(); ++b)
                    for (int o = 0; o < kBlockCells<D>; ++o)
                        kinds[b] |= open.axis(axis).block(b)[o] == 0;
            REQUIRE(std::count(kinds.begin(), kinds.end(), 0) > 0);
            FaceField<float, D> again = u;
            constrain_velocity<D>(again, solid, open, &us, only_inward, nullptr, &kinds);
            constrain_velocity<D>(u, solid, open, &us, only_inward);
            for (int axis = 0; axis < D; ++axis)
                CHECK(std::memcmp(again.axis(axis).data(), u.axis(axis).data(),
                                  u.axis(axis).cells() * sizeof(float)) == 0);
            const bool released = only_inward && turn * approach > 0;
            double worst = 0;
            for (int axis = 0; axis < D; ++axis)
                each(u.axis(axis), [&](const Index<D>& c, float& v) {
                    for (int d = 0; d < D; ++d)
                        if (c[d] < 2 || c[d] > 21) return;
                    // Deeper than two cells nothing reads the velocity, and it may stay as it was.
                    if (dot(n, c.template as<double>() - Point<D>::filled(12)) < -2) return;
                    const bool inside = open.axis(axis).get(c) == 0;
                    double expected = wall[axis] + turn * (flow[axis] - wall[axis]);
                    if (inside && !released) expected -= turn * approach * n[axis];
                    worst = std::max(worst, std::abs(v - expected));
                });
            CHECK(worst < 1e-5);
        }
}

TEST_CASE_TEMPLATE("The surface goes on straight into a tilted wall", Dm, Dim<2>, Dim<3>) {
    constexpr int D = Dm::value;
    const auto blocks = cube<D>(24);
    Point<D> n;
    n[0] = 0.8;
    n[1] = 0.6;
    auto wall = [&](const Point<D>& x) { return dot(n, x - Point<D>::filled(10.3)); };
    auto surface = [](const Point<D>& x) { return x[1] - 12.2; };
    const auto solid = sampled<D>(blocks, 3, 0.5, wall);
    auto phi =
        sampled<D>(blocks, 3, 0.5, [&](const Point<D>& x) { return wall(x) < 0 ? 9 : surface(x); });
    extend_into_solids(phi, solid, 2);
    double worst = 0;
    int reached = 0;
    each(phi, [&](const Index<D>& c, float& v) {
        const Point<D> x = c.template as<double>() + Point<D>::filled(0.5);
        if (wall(x) >= 0 || wall(x) < -1) return;
        for (int d = 0; d < D; ++d)
            if (c[d] < 3 || c[d] > 20) return;
        ++reached;
        if (std::abs(surface(x)) > 1) {  // further off only the side counts
            CHECK((v < 0) == (surface(x) < 0));
            return;
        }
        worst = std::max(worst, std::abs(v - surface(x)));
    });
    CHECK(reached > 10);
    CHECK(worst < 1e-4);
}

TEST_CASE_TEMPLATE("No air is left in a wall behind liquid", Dm, Dim<2>, Dim<3>) {
    constexpr int D = Dm::value;
    const auto blocks = cube<D>(24);
    // Liquid whose level set ends at the wall, as particles that end there give it.
    auto wall = [](const Point<D>& x) { return 9.3 - length(x - Point<D>::filled(12)); };
    const auto solid = sampled<D>(blocks, 3, 0.5, wall);
    auto phi = sampled<D>(blocks, 3, 0.5, [&](const Point<D>& x) { return -wall(x); });
    extend_into_solids(phi, solid, 2);
    int air = 0;
    each(phi, [&](const Index<D>& c, float& v) {
        if (solid.get(c) >= 0) return;
        for (int d = 0; d < D; ++d)
            for (int s : {-1, 1})
                if (solid.get(c + unit<D>(d) * s) >= 0 && phi.get(c + unit<D>(d) * s) < 0)
                    air += v >= 0;
    });
    CHECK(air == 0);
}
