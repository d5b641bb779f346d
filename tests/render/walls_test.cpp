#include "slosh/render/walls.h"

#include <doctest/doctest.h>

#include "render/shapes.h"
#include "slosh/base/hash.h"

using namespace slosh;

TEST_CASE("Water that touches a wall is laid against it; the rest stays where it is") {
    const Box<3> domain = {{10, 20, 30}, {12, 22, 32}};  // away from the origin, two metres wide
    const Point<3> centre = {11, 21, 31};
    const double radius = 0.9, contact = 0.03;
    for (int up : {1, 2}) {
        const Stage stage(domain, up);
        const auto sphere = hollow<3>(centre, radius);
        Walls walls(stage, domain, contact);
        walls.add(sphere.get(), {}, 1e-3);

        // Points about the wall, with normals towards it, and some that face away from it.
        std::vector<Vec3> x, n;
        std::vector<double> r;
        for (int i = 0; i < 300; ++i) {
            Point<3> out;
            for (int d = 0; d < 3; ++d)
                out[d] = hash_uniform(5, std::uint64_t(i), std::uint64_t(d)) - 0.5;
            out = out / length(out);
            r.push_back(radius + contact * (6 * hash_uniform(5, std::uint64_t(i), 3) - 4));
            x.push_back(stage.from_world(centre + out * r.back()));
            const bool away = i % 3 == 0;
            n.push_back(stage.turn(away ? -out : out).as<float>());
        }
        const std::vector<Vec3> before = x;
        walls.settle(x, n);
        for (std::size_t i = 0; i < x.size(); ++i) {
            const double now = length(stage.to_world(x[i]) - centre), was = r[i];
            CHECK(now < radius);
            const bool away = i % 3 == 0;
            if (was < radius - 1.7 * contact || (away && was < radius - 0.2 * contact))
                CHECK(x[i] == before[i]);
            if (!away && was > radius - 0.7 * contact)
                CHECK(now == doctest::Approx(radius - 0.12 * contact).epsilon(1e-5));
        }
    }
}

TEST_CASE("The normal of touching water is the wall's, that of a free surface its own") {
    const Box<3> domain = {{0, 0, 0}, {1, 1, 1}};
    const Stage stage(domain, 1);
    const Walls walls(stage, domain, 0.02);
    const Vec3 bumpy = normalized({-1, 0.3f, -0.2f}), up = {0, 1, 0};
    const Vec3 touching = walls.normal(stage.from_world({0.004, 0.5, 0.5}), bumpy);
    CHECK(touching[0] == doctest::Approx(-1));
    CHECK(walls.normal(stage.from_world({0.004, 0.5, 0.5}), up) == up);
    CHECK(walls.normal(stage.from_world({0.5, 0.5, 0.5}), bumpy) == bumpy);
}
