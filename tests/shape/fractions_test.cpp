#include "slosh/shape/fractions.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <numbers>
#include <numeric>
#include <vector>

#include "slosh/base/hash.h"
#include "slosh/base/vec.h"

using namespace slosh;

namespace {

double random(int i, int draw) {
    return hash_uniform(7, i, draw) * 2 - 1;
}

template <int D>
Point<D> corner(int c) {
    Point<D> x;
    for (int d = 0; d < D; ++d) x[d] = c >> d & 1;
    return x;
}

/// Volume of {x in the unit cube: n.x <= a} in closed form: the signed sum over corners v with
/// n.v < a of (a - n.v)^D, over D! prod n. All n must be positive.
template <int D>
double cut_volume(const Point<D>& n, double a) {
    double sum = 0, product = 1;
    for (int c = 0; c < 1 << D; ++c) {
        int odd = 0;
        for (int d = 0; d < D; ++d) odd ^= c >> d & 1;
        const double h = a - dot(n, corner<D>(c));
        if (h > 0) sum += (odd ? -1 : 1) * std::pow(h, D);
    }
    for (int d = 0; d < D; ++d) product *= (d + 1) * n[d];
    return sum / product;
}

template <int D>
double open(const double* p) {
    if constexpr (D == 1) return open_segment(p[0], p[1]);
    if constexpr (D == 2) return open_square(p);
    if constexpr (D == 3) return open_cube(p);
}

template <int D>
void check_random_planes() {
    for (int i = 0; i < 2000; ++i) {
        Point<D> n, positive;
        double offset = random(i, 5);
        for (int d = 0; d < D; ++d) {
            n[d] = random(i, d);
            if (std::abs(n[d]) < 0.05) n[d] = 0.05;  // the closed form divides by n
            positive[d] = std::abs(n[d]);
        }
        double p[1 << D];
        for (int c = 0; c < 1 << D; ++c) p[c] = dot(n, corner<D>(c)) - offset;
        // Mirror axes with n < 0, then take the open part {n.x > a} as a complement.
        double a = offset;
        for (int d = 0; d < D; ++d)
            if (n[d] < 0) a -= n[d];
        const double exact = 1 - cut_volume(positive, a);
        CHECK(open<D>(p) == doctest::Approx(std::clamp(exact, 0.0, 1.0)).epsilon(1e-10));
    }
}

template <int D>
void check_complement_and_symmetry() {
    for (int i = 0; i < 500; ++i) {
        double p[1 << D], q[1 << D];
        for (int c = 0; c < 1 << D; ++c) p[c] = random(i, c);
        if (i % 5 == 0) p[i % (1 << D)] = 0;
        if (D > 1 && i % 35 == 0) p[i % (1 << D) ^ ((1 << D) - 1)] = 0;  // the opposite corner too
        if (i % 50 == 0)                                                 // the tied saddle
            for (int c = 0; c < 1 << D; ++c) p[c] = (c ^ c >> 1 ^ c >> 2) & 1 ? 0.3 : -0.3;
        for (int c = 0; c < 1 << D; ++c) q[c] = -p[c];
        const double value = open<D>(p);
        CHECK(value >= 0);
        CHECK(value <= 1);
        CHECK(value + open<D>(q) == doctest::Approx(1).epsilon(1e-12));

        // Every symmetry: a permutation of the axes and a set of mirrored axes.
        std::vector<int> order(D);
        std::iota(order.begin(), order.end(), 0);
        do {
            for (int mirror = 0; mirror < 1 << D; ++mirror) {
                for (int c = 0; c < 1 << D; ++c) {
                    int to = 0;
                    for (int d = 0; d < D; ++d) to |= (c >> d & 1) << order[d];
                    q[to ^ mirror] = p[c];
                }
                CHECK(open<D>(q) == doctest::Approx(value).epsilon(1e-12));
            }
        } while (std::next_permutation(order.begin(), order.end()));
    }
}

/// Error of the measured volume of the D-ball of radius 0.8 on n^D cells of [-1, 1]^D.
template <int D>
double ball_error(int n) {
    const double h = 2.0 / n, radius = 0.8;
    double solid = 0;
    Index<D> cell;
    for (int i = 0; i < (D == 2 ? n * n : n * n * n); ++i) {
        int rest = i;
        for (int d = 0; d < D; ++d, rest /= n) cell[d] = rest % n;
        double p[1 << D];
        for (int c = 0; c < 1 << D; ++c) {
            const Point<D> x = (cell.template as<double>() + corner<D>(c)) * h;
            p[c] = length(x - Point<D>::filled(1)) - radius;
        }
        solid += 1 - open<D>(p);
    }
    const double exact = std::numbers::pi * radius * radius * (D == 2 ? 1 : 4.0 / 3 * radius);
    return std::abs(solid * std::pow(h, D) - exact);
}

}  // namespace

TEST_CASE("Open fractions of planes are exact") {
    check_random_planes<1>();
    check_random_planes<2>();
    check_random_planes<3>();
}

TEST_CASE("Open fractions of a field and its negative add up to one, under all symmetries") {
    check_complement_and_symmetry<1>();
    check_complement_and_symmetry<2>();
    check_complement_and_symmetry<3>();
}

TEST_CASE("A face in the surface of a wall is closed, one that only touches it is open") {
    CHECK(open_segment(0, 0) == 0);
    CHECK(open_segment(0, 1) == 1);
    CHECK(open_segment(0, -1) == 0);
    const double flat[8] = {}, above[8] = {0, 0, 0, 0, 1, 1, 1, 1},
                 below[8] = {0, 0, 0, 0, -1, -1, -1, -1};
    CHECK(open_square(flat) == 0);
    CHECK(open_cube(flat) == 0);
    CHECK(open_cube(above) == 1);
    CHECK(open_cube(below) == 0);
    const double touch[4] = {0, 1, 0, 1}, nook[8] = {0, 0, 0, 1, 0, 0, 0, 1};
    CHECK(open_square(touch) == 1);
    CHECK(open_square(nook) == 1);  // the concave corner of two walls
    CHECK(open_cube(nook) == 1);
}

TEST_CASE("The measured volume of discs and balls converges at second order") {
    // Halving h must quarter the error; 3.5 leaves room for the grid's changing position.
    CHECK(ball_error<2>(32) / ball_error<2>(64) > 3.5);
    CHECK(ball_error<2>(64) / ball_error<2>(128) > 3.5);
    CHECK(ball_error<3>(16) / ball_error<3>(32) > 3.5);
    CHECK(ball_error<3>(32) / ball_error<3>(64) > 3.5);
}
