#include "slosh/shape/motion.h"

#include <doctest/doctest.h>

#include <numbers>

#include "slosh/base/error.h"

using namespace slosh;

namespace {
template <int D>
double gap(const Point<D>& a, const Point<D>& b) {
    return length(a - b);
}
}  // namespace

TEST_CASE("A body without keys or with one key stays put") {
    const Motion<3> none, one({{.time = 2, .position = {1, 2, 3}, .rotation = {0, 0, 90}}});
    CHECK_FALSE(none.moving());
    CHECK_FALSE(one.moving());
    CHECK(gap(none.at(5).apply({1, 2, 3}), {1, 2, 3}) == 0);
    CHECK(gap(one.at(0).apply({1, 0, 0}), {1, 3, 3}) < 1e-15);
    CHECK(gap(one.velocity({4, 4, 4}, 0, 0.1), {}) == 0);
}

TEST_CASE("Linear keys give the position between them and rest outside") {
    const Motion<2> m({{.time = 1, .position = {0, 0}, .rotation = {}},
                       {.time = 3, .position = {4, -2}, .rotation = {}},
                       {.time = 4, .position = {4, 0}, .rotation = {}}});
    CHECK(gap(m.at(0).translation, {0, 0}) == 0);
    CHECK(gap(m.at(2).translation, {2, -1}) < 1e-15);
    CHECK(gap(m.at(3.5).translation, {4, -1}) < 1e-15);
    CHECK(gap(m.at(9).translation, {4, 0}) == 0);
    CHECK(gap(m.velocity({7, 7}, 1.2, 0.3), {2, -1}) < 1e-14);
    CHECK(gap(m.velocity({7, 7}, 9, 0.3), {0, 0}) < 1e-14);
}

TEST_CASE("Velocity is the displacement of the step over dt, for turning bodies too") {
    const Motion<3> m({{.time = 0, .position = {1, 0, 0}, .rotation = {0, 0, 0}},
                       {.time = 1, .position = {1, 3, 0}, .rotation = {0, 0, 180}}});
    const Point<3> x{1.5, 0.3, 2};
    const Point<3> local = m.at(0.1).unapply(x), moved = m.at(0.35).apply(local);
    CHECK(gap(m.velocity(x, 0.1, 0.25) * 0.25, moved - x) < 1e-14);
    // As dt shrinks: v + omega x r.
    const Point<3> r = x - m.at(0.1).translation;
    const Point<3> exact = Point<3>{0, 3, 0} + cross(Point<3>{0, 0, std::numbers::pi}, r);
    CHECK(gap(m.velocity(x, 0.1, 1e-6), exact) < 1e-4);
}

TEST_CASE("Keys about one axis may turn several times") {
    const Motion<2> flat({{.time = 0, .position = {}, .rotation = {}},
                          {.time = 1, .position = {}, .rotation = {0, 0, 720}}});
    CHECK(gap(flat.at(0.125).apply({1, 0}), {0, 1}) < 1e-14);
    const Motion<3> tilted({{.time = 0, .position = {}, .rotation = {}},
                            {.time = 1, .position = {}, .rotation = {360, 0, 0}}});
    CHECK(gap(tilted.at(0.25).apply({0, 1, 0}), {0, 0, 1}) < 1e-14);
}

TEST_CASE("Keys about different axes take the shortest arc at constant rate") {
    const Motion<3> m({{.time = 0, .position = {}, .rotation = {90, 0, 0}},
                       {.time = 1, .position = {}, .rotation = {0, 90, 0}}});
    const Mat<3> a = m.at(0).rotation, b = m.at(1).rotation;
    const auto angle = [](const Mat<3>& from, const Mat<3>& to) {
        const Mat<3> r = from.transposed() * to;
        return std::acos((r.row[0][0] + r.row[1][1] + r.row[2][2] - 1) / 2);
    };
    for (double s : {0.25, 0.5, 0.8}) {
        CHECK(angle(a, m.at(s).rotation) == doctest::Approx(s * angle(a, b)));
        const Mat<3> r = m.at(s).rotation, e = r * r.transposed();
        for (int i = 0; i < 3; ++i)
            for (int j = 0; j < 3; ++j)
                CHECK(e.row[i][j] == doctest::Approx(i == j ? 1 : 0).epsilon(1e-14));
    }
}

TEST_CASE("A smooth motion hits its keys, starts and ends at rest, and has no jump in velocity") {
    const Motion<2> m({{.time = 0, .position = {0, 1}, .rotation = {}},
                       {.time = 1, .position = {1, 0}, .rotation = {0, 0, 40}},
                       {.time = 3, .position = {0, 3}, .rotation = {0, 0, 10}}},
                      true);
    CHECK(gap(m.at(1).translation, {1, 0}) < 1e-15);
    CHECK(gap(m.velocity({0, 1}, 0, 1e-6), {}) < 1e-4);
    CHECK(gap(m.velocity({0, 3}, 3 - 1e-6, 1e-6), {}) < 1e-4);
    const Point<2> before = m.velocity({1, 0}, 1 - 1e-6, 1e-6), after = m.velocity({1, 0}, 1, 1e-6);
    CHECK(gap(before, after) < 1e-4);
    CHECK(length(before) > 0.1);
}

TEST_CASE("Keys out of order or not finite are refused") {
    CHECK_THROWS_AS(Motion<2>({{.time = 1, .position = {}, .rotation = {}},
                               {.time = 1, .position = {}, .rotation = {}}}),
                    InputError);
    const std::vector<Key<3>> bad{{.time = 0, .position = {0, 0, NAN}, .rotation = {}}};
    CHECK_THROWS_AS(Motion<3>{bad}, InputError);
}
