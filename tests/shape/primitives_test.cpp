#include "slosh/shape/primitives.h"

#include <doctest/doctest.h>

#include <functional>
#include <limits>
#include <numbers>
#include <vector>

#include "slosh/base/error.h"
#include "slosh/base/hash.h"
#include "slosh/shape/csg.h"

using namespace slosh;

namespace {

constexpr double kPi = std::numbers::pi;
const Point<3> kAxis = Point<3>{1, 2, 3} / std::sqrt(14.0);
const Point<3> kSide1 = Point<3>{2, -1, 0} / std::sqrt(5.0);
const Point<3> kSide2 = cross(kAxis, kSide1);

template <int D>
Point<D> random_point(int i, double size) {
    Point<D> x;
    for (int d = 0; d < D; ++d) x[d] = (hash_uniform(3, i, d) * 2 - 1) * size;
    return x;
}

/// Compares with the least distance to points strewn over the surface, `spacing` apart at most:
/// the true distance is at most what they say, and not smaller by more than half a spacing.
template <int D>
void check_against_surface(const Shape<D>& shape, const std::vector<Point<D>>& surface,
                           double spacing, const std::function<bool(const Point<D>&)>& inside) {
    for (const auto& s : surface) REQUIRE(std::abs(shape.distance(s)) < 1e-12);
    for (int i = 0; i < 60; ++i) {
        const Point<D> x = random_point<D>(i, 2);
        double brute = std::numeric_limits<double>::max();
        for (const auto& s : surface) brute = std::min(brute, length(x - s));
        const double d = shape.distance(x);
        CHECK((d < 0) == inside(x));
        CHECK(std::abs(d) <= brute + 1e-12);
        CHECK(std::abs(d) >= brute - 0.71 * spacing);
        if (d <= 0) CHECK(shape.bounds().contains(x));
    }
    for (const auto& s : surface) REQUIRE(shape.bounds().grown(1e-12).contains(s));
}

/// Points of a surface given over the unit square.
std::vector<Point<3>> strew(int n, const std::function<Point<3>(double, double)>& at) {
    std::vector<Point<3>> points;
    for (int i = 0; i <= n; ++i)
        for (int j = 0; j <= n; ++j) points.push_back(at(double(i) / n, double(j) / n));
    return points;
}
Point<3> ring(double angle) {
    return kSide1 * std::cos(angle) + kSide2 * std::sin(angle);
}

void append(std::vector<Point<3>>& to, const std::vector<Point<3>>& more) {
    to.insert(to.end(), more.begin(), more.end());
}

}  // namespace

TEST_CASE("The distance to a box is exact inside and outside") {
    const Point<3> lo{-1, -0.5, -0.7}, hi{0.8, 1.1, 0.2};
    std::vector<Point<3>> surface;
    for (int axis = 0; axis < 3; ++axis)
        for (const Point<3>& end : {lo, hi})
            append(surface, strew(80, [&](double u, double v) {
                       Point<3> p = end;
                       const int a = (axis + 1) % 3, b = (axis + 2) % 3;
                       p[a] = lo[a] + (hi[a] - lo[a]) * u;
                       p[b] = lo[b] + (hi[b] - lo[b]) * v;
                       return p;
                   }));
    check_against_surface<3>(*box(lo, hi), surface, 1.8 / 80, [&](const Point<3>& x) {
        return Box<3>{lo, hi}.contains(x);
    });
}

TEST_CASE("A rounded box is its inner box grown by the radius") {
    const auto rounded = box<3>({-1, -1, -1}, {1, 2, 1}, 0.25);
    const auto inner = box<3>({-0.75, -0.75, -0.75}, {0.75, 1.75, 0.75});
    for (int i = 0; i < 200; ++i) {
        const Point<3> x = random_point<3>(i, 2.5);
        CHECK(rounded->distance(x) == doctest::Approx(inner->distance(x) - 0.25));
    }
}

TEST_CASE("Distances to sphere, capsule, cylinder and torus are exact") {
    const Point<3> c{0.1, -0.2, 0.3}, a = c - kAxis * 0.6, b = c + kAxis * 0.6;
    const int n = 160;
    const auto height = [&](const Point<3>& x) { return dot(x - c, kAxis); };
    const auto off_axis = [&](const Point<3>& x) { return length(x - c - kAxis * height(x)); };

    const auto ball = [&](const Point<3>& at, double r) {
        return strew(n, [=](double u, double v) {
            return at + kAxis * (r * std::cos(kPi * u)) +
                   ring(2 * kPi * v) * (r * std::sin(kPi * u));
        });
    };
    check_against_surface<3>(*sphere(c, 0.9), ball(c, 0.9), 2 * kPi * 0.9 / n,
                             [&](const Point<3>& x) { return length(x - c) < 0.9; });

    const double r = 0.4;
    const auto side =
        strew(n, [&](double u, double v) { return a + (b - a) * u + ring(2 * kPi * v) * r; });
    std::vector<Point<3>> tube = side;
    for (const auto& p : ball(a, r))
        if (height(p) < -0.6) tube.push_back(p);
    for (const auto& p : ball(b, r))
        if (height(p) > 0.6) tube.push_back(p);
    check_against_surface<3>(*capsule(a, b, r), tube, 2 * kPi * r / n, [&](const Point<3>& x) {
        const Point<3> nearest = c + kAxis * std::clamp(height(x), -0.6, 0.6);
        return length(x - nearest) < r;
    });

    std::vector<Point<3>> can = side;
    for (const Point<3>& end : {a, b})
        append(can,
               strew(n, [&](double u, double v) { return end + ring(2 * kPi * v) * (r * u); }));
    check_against_surface<3>(*cylinder(a, b, r), can, 2 * kPi * r / n, [&](const Point<3>& x) {
        return std::abs(height(x)) < 0.6 && off_axis(x) < r;
    });

    const auto donut = strew(n, [&](double u, double v) {
        const Point<3> out = ring(2 * kPi * u);
        return c + out * (0.8 + 0.3 * std::cos(2 * kPi * v)) +
               kAxis * (0.3 * std::sin(2 * kPi * v));
    });
    check_against_surface<3>(
        *torus(c, kAxis * 5.0, 0.8, 0.3), donut, 2 * kPi * 1.1 / n,
        [&](const Point<3>& x) { return std::hypot(off_axis(x) - 0.8, height(x)) < 0.3; });
}

TEST_CASE("Distances of flat shapes in 2D are exact") {
    const int n = 4000;
    const auto circle = [&](double r) {
        std::vector<Point<2>> points;
        for (int i = 0; i < n; ++i)
            points.push_back({0.2 + r * std::cos(2 * kPi * i / n), r * std::sin(2 * kPi * i / n)});
        return points;
    };
    const auto radius = [](const Point<2>& x) { return std::hypot(x[0] - 0.2, x[1]); };
    check_against_surface<2>(*sphere<2>({0.2, 0}, 1.1), circle(1.1), 7.0 / n,
                             [&](const Point<2>& x) { return radius(x) < 1.1; });
    std::vector<Point<2>> two = circle(0.7);
    for (const auto& p : circle(1.3)) two.push_back(p);
    check_against_surface<2>(*torus<2>({0.2, 0}, {0, 0}, 1, 0.3), two, 8.2 / n,
                             [&](const Point<2>& x) { return std::abs(radius(x) - 1) < 0.3; });
    // A cylinder in 2D is a turned rectangle.
    const Point<2> along{0.6, 0.8}, across{-0.8, 0.6};
    std::vector<Point<2>> edge;
    for (int i = 0; i <= n; ++i) {
        const double s = 2.0 * i / n - 1;
        for (double t : {-1.0, 1.0}) {
            edge.push_back(along * s + across * (0.3 * t));
            edge.push_back(along * t + across * (0.3 * s));
        }
    }
    check_against_surface<2>(
        *cylinder<2>(-along, along, 0.3), edge, 2.0 / n, [&](const Point<2>& x) {
            return std::abs(dot(x, along)) < 1 && std::abs(dot(x, across)) < 0.3;
        });
}

TEST_CASE("Half-spaces and slabs lie on the side their normal points away from") {
    const auto floor_below = half_space<3>({0, 1, 0}, {0, 2, 0});
    CHECK(floor_below->distance({5, 3, -2}) == doctest::Approx(2));
    CHECK(floor_below->distance({5, 0, -2}) == doctest::Approx(-1));
    CHECK(floor_below->bounds().hi[1] == 1);
    CHECK(floor_below->bounds().contains({1e20, -1e20, 1e20}));
    const auto slab = plane<2>({1, 1}, {1, 1}, 0.4);
    CHECK(slab->distance({1, 1}) == doctest::Approx(-0.2));
    CHECK(slab->distance({2, 2}) == doctest::Approx(std::sqrt(2.0) - 0.2));
}

TEST_CASE("Moving, turning and scaling a shape moves, turns and scales its distance") {
    const auto shape = torus<3>({0.3, 0, 0}, {0, 0, 1}, 0.7, 0.2);
    const Transform<3> to{rotation_matrix<3>({20, -50, 110}), {1, 2, -1}};
    const auto moved = placed(scaled(shape, 1.7), to);
    for (int i = 0; i < 100; ++i) {
        const Point<3> x = random_point<3>(i, 2);
        CHECK(moved->distance(to.apply(x * 1.7)) == doctest::Approx(1.7 * shape->distance(x)));
        if (shape->distance(x) <= 0) CHECK(moved->bounds().contains(to.apply(x * 1.7)));
    }
    CHECK(placed(invert(shape), to)->bounds().contains({1e20, 1e20, -1e20}));
}

TEST_CASE("CSG has the sign of the set operation and never overstates the distance") {
    const auto a = sphere<3>({0, 0, 0}, 1), b = box<3>({0, -2, -0.5}, {2, 2, 0.5});
    struct Case {
        ShapePtr<3> shape;
        bool (*inside)(bool, bool);
    };
    const Case cases[] = {{unite<3>({a, b}), [](bool p, bool q) { return p || q; }},
                          {intersect<3>({a, b}), [](bool p, bool q) { return p && q; }},
                          {subtract(a, b), [](bool p, bool q) { return p && !q; }},
                          {invert(a), [](bool p, bool) { return !p; }}};
    for (const Case& c : cases) {
        for (int i = 0; i < 500; ++i) {
            const Point<3> x = random_point<3>(i, 2.5), y = random_point<3>(i + 1000, 2.5);
            const double d = c.shape->distance(x);
            CHECK((d < 0) == c.inside(a->distance(x) < 0, b->distance(x) < 0));
            // Never overstated, because it changes no faster than position does.
            CHECK(std::abs(d - c.shape->distance(y)) <= length(x - y) + 1e-12);
            if (d <= 0) CHECK(c.shape->bounds().contains(x));
        }
    }
    CHECK(intersect<3>({a, invert(b)})->bounds().hi[0] == 1);
    CHECK(invert(invert(a))->bounds().hi[0] == 1);
}

TEST_CASE("A shell has its thickness on the side asked for") {
    const auto ball = sphere<2>({0, 0}, 1);
    const auto solid_from = [&](ShellSide side, double lo, double hi) {
        const auto skin = shell<2>(ball, 0.2, side);
        for (double r : {0.5, lo - 0.01, hi + 0.01, 2.0}) CHECK(skin->distance({0, r}) > 0);
        for (double r : {lo + 0.01, hi - 0.01}) CHECK(skin->distance({r, 0}) < 0);
        CHECK(skin->distance({0, 3}) == doctest::Approx(3 - hi));
        CHECK(skin->bounds().contains({0, hi}));
    };
    solid_from(ShellSide::Inward, 0.8, 1.0);
    solid_from(ShellSide::Outward, 1.0, 1.2);
    solid_from(ShellSide::Centred, 0.9, 1.1);
}

TEST_CASE("Normals point outward with length one") {
    const auto ball = sphere<3>({1, 0, 0}, 0.5);
    const Point<3> n = normal(*ball, {1, 2, 0}, 1e-4);
    CHECK(length(n - Point<3>{0, 1, 0}) < 1e-8);
    CHECK(length(normal(*ball, {1, 0, 0}, 1e-4)) == 0);
}

TEST_CASE("Sizes that make no sense are refused") {
    CHECK_THROWS_AS(box<2>({0, 0}, {0, 1}), InputError);
    CHECK_THROWS_AS(box<2>({0, 0}, {1, 1}, 0.6), InputError);
    CHECK_THROWS_AS(box<2>({0, 0}, {1, NAN}), InputError);
    CHECK_THROWS_AS(sphere<3>({0, 0, 0}, -1), InputError);
    CHECK_THROWS_AS(sphere<3>({0, 0, 0}, NAN), InputError);
    CHECK_THROWS_AS(capsule<3>({0, 0, 0}, {0, 0, 1}, 0), InputError);
    CHECK_THROWS_AS(cylinder<3>({0, 0, 0}, {0, 0, 0}, 1), InputError);
    CHECK_THROWS_AS(torus<3>({0, 0, 0}, {0, 0, 1}, 1, 2), InputError);
    CHECK_THROWS_AS(torus<3>({0, 0, 0}, {0, 0, 0}, 1, 0.5), InputError);
    CHECK_THROWS_AS(half_space<2>({0, 0}, {0, 0}), InputError);
    CHECK_THROWS_AS(plane<2>({0, 0}, {0, 1}, -1), InputError);
    CHECK_THROWS_AS(scaled(sphere<2>({0, 0}, 1), 0), InputError);
    CHECK_THROWS_AS(shell(sphere<2>({0, 0}, 1), 0), InputError);
    CHECK_THROWS_AS(unite<2>({}), InputError);
}
