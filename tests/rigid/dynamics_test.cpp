#include "slosh/rigid/dynamics.h"

#include <doctest/doctest.h>

#include "slosh/rigid/mass.h"
#include "slosh/shape/primitives.h"

using namespace slosh;

namespace {

Body<3> brick() {
    Body<3> body;
    body.shape = box<3>({0, 0, 0}, {0.2, 0.5, 0.3});
    body.mass = mass_properties(*body.shape, 1000);
    body.start.rotation = rotation_matrix<3>({20, 40, -30});
    body.start.velocity = {0.1, -0.2, 0.3};
    body.start.spin = {0.2, 7, 0.1};  // about the middle axis: it tumbles
    return body;
}

}  // namespace

TEST_CASE("The inverse of the mass matrix is its inverse") {
    const Body<3> body = brick();
    const auto product = mass_matrix(body, body.start) * inverse_mass(body, body.start);
    for (int i = 0; i < 6; ++i)
        for (int j = 0; j < 6; ++j)
            CHECK(product.row[i][j] == doctest::Approx(i == j).epsilon(1e-12));
}

TEST_CASE("Locked degrees of freedom do not answer, the others do as if they were not there") {
    Body<3> body = brick();
    body.locked[0] = body.locked[4] = true;
    const auto inverse = inverse_mass(body, body.start);
    const auto full = mass_matrix(body, body.start);
    for (int j = 0; j < 6; ++j)
        CHECK((inverse.row[0][j] == 0 && inverse.row[4][j] == 0 && inverse.row[j][4] == 0));
    // The free block is inverted by itself.
    for (int i : {1, 2, 3, 5})
        for (int j : {1, 2, 3, 5}) {
            double s = 0;
            for (int k : {1, 2, 3, 5}) s += full.row[i][k] * inverse.row[k][j];
            CHECK(s == doctest::Approx(i == j).epsilon(1e-12));
        }
    const auto L = cholesky<3>(inverse);
    for (int i = 0; i < 6; ++i)
        for (int j = 0; j < 6; ++j)
            CHECK(dot(L.row[i], L.row[j]) == doctest::Approx(inverse.row[i][j]).epsilon(1e-12));
}

TEST_CASE("A free body keeps momentum and angular momentum, and its energy nearly") {
    const Body<3> body = brick();
    BodyState<3> state = body.start;
    const auto before = mass_matrix(body, state) * twist(state);
    const double energy = kinetic_energy(body, state);
    for (int i = 0; i < 2000; ++i) move_body(body, 1e-3, state);
    const auto after = mass_matrix(body, state) * twist(state);
    for (int k = 0; k < 6; ++k) CHECK(std::abs(after[k] - before[k]) < 1e-9 * length(before));
    CHECK(kinetic_energy(body, state) == doctest::Approx(energy).epsilon(1e-2));
    CHECK(length(state.position - body.start.position - body.start.velocity * 2.0) < 1e-9);
}

TEST_CASE("Free fall, a force for a while, and damping follow their formulas") {
    Body<2> body;
    body.shape = sphere<2>({}, 0.1);
    body.mass = mass_properties(*body.shape, 500);
    body.forces.push_back({.force = {3, 0}, .torque = {0, 0, 2}, .start = 0.25, .end = 0.5});
    BodyState<2> state;
    for (int i = 0; i < 100; ++i)
        apply_impulse(body, outer_impulse<2>(body, {0, -9.81}, 0.01 * i, 0.01), state);
    CHECK(state.velocity[1] == doctest::Approx(-9.81).epsilon(1e-9));
    CHECK(state.velocity[0] == doctest::Approx(3 * 0.25 / body.mass.mass).epsilon(1e-9));
    CHECK(state.spin[2] == doctest::Approx(2 * 0.25 / body.mass.inertia.row[2][2]).epsilon(1e-9));

    body.linear_damping = 0.7;
    body.angular_damping = 2;
    const BodyState<2> start = state;
    for (int i = 0; i < 10; ++i) move_body(body, 0.1, state);
    CHECK(state.velocity[1] == doctest::Approx(start.velocity[1] * std::exp(-0.7)));
    CHECK(state.spin[2] == doctest::Approx(start.spin[2] * std::exp(-2.0)));
}

TEST_CASE("A rod hung from a hinge swings with the period of a physical pendulum") {
    Body<3> body;
    body.shape = box<3>({0, -1, 0}, {0.1, 0, 0.1});
    body.mass = mass_properties(*body.shape, 1000);
    const Point<3> axle{0.05, 0, 0.05};
    body.joint = {JointKind::Hinge, axle, {0, 0, 1}};
    // About the axle: m (w^2 + L^2)/12 + m L^2/4.
    const double arm = 0.5, moment = (0.01 + 1.0) / 12 + arm * arm;
    const double tilt = 0.02, g = 9.81;
    BodyState<3> state = body.start;
    state.rotation = rotation_matrix<3>({0, 0, tilt * 180 / 3.14159265358979});
    state.position = axle + state.rotation * (body.mass.centre - axle);
    const double dt = 1e-4;
    int steps = 0;
    while (state.position[0] > axle[0]) {  // a quarter of a swing
        apply_impulse(body, outer_impulse(body, Point<3>{0, -g, 0}, 0, dt), state);
        move_body(body, dt, state);
        ++steps;
    }
    CHECK(4 * steps * dt ==
          doctest::Approx(2 * 3.14159265358979 * std::sqrt(moment / (g * arm))).epsilon(1e-3));
    CHECK(length(state.position - axle) == doctest::Approx(arm).epsilon(1e-12));
}

TEST_CASE("A slider goes down its slope with the gravity along it, and does not turn") {
    Body<2> body;
    body.shape = box<2>({0, 0}, {0.2, 0.1});
    body.mass = mass_properties(*body.shape, 500);
    body.joint = {JointKind::Slider, {}, {0.6, -0.8, 0}};
    BodyState<2> state = body.start;
    state.position = body.mass.centre;
    state.spin = {0, 0, 3};
    obey_joint(body, state);
    CHECK(state.spin[2] == 0);
    for (int i = 0; i < 100; ++i) {
        apply_impulse(body, outer_impulse(body, Point<2>{0, -10}, 0, 0.01), state);
        move_body(body, 0.01, state);
    }
    CHECK(length(state.velocity) == doctest::Approx(8).epsilon(1e-12));
    CHECK(dot(state.velocity, Point<2>{0.8, 0.6}) == doctest::Approx(0));
    CHECK(state.rotation.row[0][0] == 1);
}
