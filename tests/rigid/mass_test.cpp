#include "slosh/rigid/mass.h"

#include <doctest/doctest.h>

#include <numbers>

#include "common.h"
#include "slosh/base/error.h"
#include "slosh/shape/csg.h"
#include "slosh/shape/primitives.h"

using namespace slosh;

namespace {
constexpr double kPi = std::numbers::pi;
}

TEST_CASE("A disc has the mass and inertia of the formula") {
    const double r = 0.37, rho = 700;
    const auto m = mass_properties<2>(*sphere<2>({1.2, -0.4}, r), rho);
    const double mass = rho * kPi * r * r;
    CHECK(m.mass == doctest::Approx(mass).epsilon(1e-5));
    CHECK(length(m.centre - Point<2>{1.2, -0.4}) < 1e-6 * r);
    CHECK(m.inertia.row[2][2] == doctest::Approx(0.5 * mass * r * r).epsilon(1e-5));
}

TEST_CASE("A ball has the mass and inertia of the formula") {
    const double r = 0.37, rho = 700;
    const auto m = mass_properties<3>(*sphere<3>({1.2, -0.4, 0.1}, r), rho);
    const double mass = rho * 4 * kPi * r * r * r / 3;
    CHECK(m.mass == doctest::Approx(mass).epsilon(1e-5));
    CHECK(length(m.centre - Point<3>{1.2, -0.4, 0.1}) < 1e-6 * r);
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j)
            CHECK(std::abs(m.inertia.row[i][j] - (i == j ? 0.4 * mass * r * r : 0)) <
                  2e-5 * mass * r * r);
}

TEST_CASE("A box along the axes is exact") {
    const auto m = mass_properties<3>(*box<3>({0, 0, 0}, {0.2, 0.5, 0.3}), 1000);
    CHECK(m.volume == doctest::Approx(0.03).epsilon(1e-9));
    CHECK(length(m.centre - Point<3>{0.1, 0.25, 0.15}) < 1e-9);
    const double expected[3] = {0.25 + 0.09, 0.04 + 0.09, 0.04 + 0.25};
    for (int i = 0; i < 3; ++i)
        CHECK(m.inertia.row[i][i] == doctest::Approx(30.0 / 12 * expected[i]).epsilon(1e-9));
}

TEST_CASE("The inertia of a turned box is that of the box, turned") {
    const Mat<3> turn = rotation_matrix<3>({20, 40, -30});
    const auto straight = mass_properties<3>(*box<3>({-0.1, -0.25, -0.15}, {0.1, 0.25, 0.15}), 1);
    const auto turned = mass_properties<3>(
        *placed<3>(box<3>({-0.1, -0.25, -0.15}, {0.1, 0.25, 0.15}), {turn, {0.3, 0, 0}}), 1);
    CHECK(turned.volume == doctest::Approx(straight.volume).epsilon(1e-3));
    const Mat<3> expected = turn * straight.inertia * turn.transposed();
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j)
            CHECK(std::abs(turned.inertia.row[i][j] - expected.row[i][j]) <
                  2e-3 * straight.inertia.row[0][0]);
}

TEST_CASE("A shape without end, or with nothing inside, makes no body") {
    CHECK_THROWS_AS((void)mass_properties<2>(*half_space<2>({}, {0, 1}), 1), InputError);
    const auto nothing = subtract<2>(sphere<2>({}, 0.1), sphere<2>({}, 0.2));
    CHECK_THROWS_AS((void)mass_properties<2>(*nothing, 1), InputError);
}
