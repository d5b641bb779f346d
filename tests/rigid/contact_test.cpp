#include "slosh/rigid/contact.h"

#include <doctest/doctest.h>

#include "common.h"
#include "slosh/rigid/dynamics.h"
#include "slosh/rigid/mass.h"
#include "slosh/shape/primitives.h"

using namespace slosh;

namespace {

constexpr double kGravity = 9.81;

template <int D>
Point<D> up() {
    return unit<D, double>(1);
}

/// A floor at height 0 whose normal leans by `slope` (its tangent) towards +x.
template <int D>
ContactScene<D> floor_of(double slope = 0) {
    Point<D> n = up<D>();
    n[0] = slope;
    n = n / length(n);
    return {[n](const Point<D>& x) { return dot(n, x); },
            [](const Point<D>&) { return Point<D>{}; }};
}

template <int D>
Body<D> brick(const Point<D>& middle, double half) {
    Body<D> b;
    b.shape = box<D>(Point<D>::filled(-half), Point<D>::filled(half));
    b.mass = mass_properties(*b.shape, 800);
    b.start.position = middle;
    b.friction = 0.5;
    b.restitution = 0;
    return b;
}

/// Bodies under gravity and contact alone.
template <int D>
struct World {
    std::vector<Body<D>> bodies;
    ContactScene<D> scene;
    Contact<D> contact;
    std::vector<BodyState<D>> states;

    World(std::vector<Body<D>> list, ContactScene<D> given)
        : bodies(std::move(list)), scene(std::move(given)), contact(bodies) {
        for (const Body<D>& b : bodies) states.push_back(b.start);
    }
    void run(double seconds, double dt = 1.0 / 240) {
        for (double t = 0; t < seconds - 1e-9; t += dt) {
            for (std::size_t n = 0; n < bodies.size(); ++n)
                apply_impulse(bodies[n], outer_impulse(bodies[n], up<D>() * -kGravity, t, dt),
                              states[n]);
            (void)contact.solve(scene, dt, true, states);
            for (std::size_t n = 0; n < bodies.size(); ++n) move_body(bodies[n], dt, states[n]);
        }
    }
};

}  // namespace

TEST_CASE_TEMPLATE("Surface points lie on the surface, with all corners among them", Dm, Dim<2>,
                   Dim<3>) {
    constexpr int D = Dm::value;
    const auto shape = box<D>(Point<D>::filled(-0.3), Point<D>::filled(0.3));
    const auto points = surface_points<D>(*shape, 0.07);
    CHECK(points.size() > 20);
    for (const auto& x : points) CHECK(std::abs(shape->distance(x)) < 1e-3 * 0.07);
    for (int c = 0; c < 1 << D; ++c) {
        Point<D> corner;
        for (int d = 0; d < D; ++d) corner[d] = c >> d & 1 ? 0.3 : -0.3;
        double nearest = 1;
        for (const auto& x : points) nearest = std::min(nearest, length(x - corner));
        CHECK(nearest < 1e-3);
    }
}

TEST_CASE_TEMPLATE("A brick falls on the floor and rests there", Dm, Dim<2>, Dim<3>) {
    constexpr int D = Dm::value;
    World<D> world({brick<D>(up<D>() * 0.5, 0.1)}, floor_of<D>());
    world.run(0.2);  // free fall until then
    CHECK(world.states[0].velocity[1] == doctest::Approx(-kGravity * 0.2).epsilon(1e-6));
    world.run(1.8);
    CHECK(length(world.states[0].velocity) < 1e-3);
    CHECK(std::abs(world.states[0].position[1] - 0.1) < 1e-3);
    CHECK(world.states[0].rotation.row[0][0] == doctest::Approx(1).epsilon(1e-4));
}

TEST_CASE_TEMPLATE("A ball bounces to the square of its restitution", Dm, Dim<2>, Dim<3>) {
    constexpr int D = Dm::value;
    Body<D> ball;
    ball.shape = sphere<D>({}, 0.1);
    ball.mass = mass_properties(*ball.shape, 500);
    ball.start.position = up<D>() * 1.1;  // falls by 1 m
    ball.restitution = 0.6;
    World<D> world({ball}, floor_of<D>());
    const double fall = std::sqrt(2 / kGravity);
    world.run(fall + 0.6 * fall, 1.0 / 2000);
    // Restitution is of the speed, so the height is its square.
    CHECK(world.states[0].position[1] - 0.1 == doctest::Approx(0.36).epsilon(0.03));
}

TEST_CASE_TEMPLATE("On a slope a brick stays or slides as Coulomb says", Dm, Dim<2>, Dim<3>) {
    constexpr int D = Dm::value;
    for (const double slope : {0.4, 0.8}) {
        const double angle = std::atan(slope);
        Body<D> b = brick<D>({}, 0.1);
        Point<3> turn{0, 0, -angle * 180 / std::acos(-1.0)};
        b.start.rotation = rotation_matrix<D>(turn);
        Point<D> normal;
        normal[0] = std::sin(angle);
        normal[1] = std::cos(angle);
        b.start.position = normal * 0.1;
        World<D> world({b}, floor_of<D>(slope));
        world.run(0.5);
        const double a = kGravity * (std::sin(angle) - 0.5 * std::cos(angle));
        Point<D> along;
        along[0] = std::cos(angle);
        along[1] = -std::sin(angle);
        const double speed = dot(world.states[0].velocity, along);
        if (slope < 0.5)
            CHECK(std::abs(speed) < 2e-3);
        else
            CHECK(speed == doctest::Approx(0.5 * a).epsilon(0.03));
    }
}

TEST_CASE_TEMPLATE("A stack of bricks rests", Dm, Dim<2>, Dim<3>) {
    constexpr int D = Dm::value;
    std::vector<Body<D>> stack;
    for (int i = 0; i < 3; ++i) stack.push_back(brick<D>(up<D>() * (0.1 + 0.2 * i), 0.1));
    World<D> world(stack, floor_of<D>());
    world.run(2);
    for (int i = 0; i < 3; ++i) {
        CHECK(std::abs(world.states[i].position[1] - (0.1 + 0.2 * i)) < 5e-3);
        CHECK(std::abs(world.states[i].position[0]) < 5e-3);
        CHECK(length(world.states[i].velocity) < 5e-3);
    }
}

TEST_CASE("Two balls that meet exchange momentum and keep its sum") {
    Body<3> ball;
    ball.shape = sphere<3>({}, 0.1);
    ball.mass = mass_properties(*ball.shape, 500);
    ball.restitution = 1;
    ball.friction = 0;
    Body<3> heavy = ball;
    heavy.mass = mass_properties(*ball.shape, 1500);
    ball.start.position = {-0.15, 0, 0};
    ball.start.velocity = {1, 0, 0};
    heavy.start.position = {0.15, 0, 0};
    const ContactScene<3> empty{[](const Point<3>&) { return 1e30; },
                                [](const Point<3>&) { return Point<3>{}; }};
    World<3> world({ball, heavy}, empty);
    for (int i = 0; i < 200; ++i) {
        (void)world.contact.solve(empty, 1e-3, true, world.states);
        for (int n = 0; n < 2; ++n) move_body(world.bodies[n], 1e-3, world.states[n]);
    }
    // Elastic, masses 1 : 3.
    CHECK(world.states[0].velocity[0] == doctest::Approx(-0.5).epsilon(0.02));
    CHECK(world.states[1].velocity[0] == doctest::Approx(0.5).epsilon(0.02));
    CHECK(ball.mass.mass * world.states[0].velocity[0] +
              heavy.mass.mass * world.states[1].velocity[0] ==
          doctest::Approx(ball.mass.mass).epsilon(1e-9));
}

TEST_CASE("A hinged flap falls onto a post and stays on both") {
    Body<3> body;
    body.shape = box<3>({0, 0.5, 0}, {0.6, 0.55, 0.2});
    body.mass = mass_properties(*body.shape, 700);
    body.start.position = body.mass.centre;
    body.restitution = 0;
    const Point<3> axle{0, 0.525, 0.1};
    body.joint = {JointKind::Hinge, axle, {0, 0, 1}};
    // The top of a post at x = 0.4 is 0.2 below the flap.
    const ShapePtr<3> post = sphere<3>({0.4, 0.2, 0.1}, 0.1);
    const ContactScene<3> scene{[&](const Point<3>& x) { return post->distance(x); },
                                [](const Point<3>&) { return Point<3>{}; }};
    const Contact<3> contact({body});
    std::vector<BodyState<3>> states = {body.start};
    const double dt = 1.0 / 240;
    for (int i = 0; i < 480; ++i) {
        apply_impulse(body, outer_impulse(body, Point<3>{0, -9.81, 0}, 0, dt), states[0]);
        contact.solve(scene, dt, true, states);
        move_body(body, dt, states[0]);
    }
    const BodyState<3>& s = states[0];
    CHECK(length(s.velocity) < 1e-3);
    CHECK(length(s.position - axle) == doctest::Approx(length(body.mass.centre - axle)));
    // It leans on the post: the post's centre is the radius off the lower side.
    const Point<3> from = s.rotation.transposed() * (Point<3>{0.4, 0.2, 0.1} - axle);
    CHECK(-from[1] - 0.025 == doctest::Approx(0.1).epsilon(0.03));
}
