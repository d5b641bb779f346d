#include "slosh/render/walls.h"

#include <cmath>

#include "slosh/base/parallel.h"

namespace slosh {

namespace {
constexpr double kReach = 1.6;  // of a wall into the open, in contact distances
constexpr double kDepth = 4.0;  // from which water is brought back out of a wall, likewise
constexpr double kGap = 0.12;   // that settled water keeps, in contact distances

/// How much of the water at a distance (in contact distances) from a wall belongs to it: all that
/// touches and faces it. `facing` is the cosine between the water's normal and the way to the wall.
float touching(double distance, float facing) {
    return smoothstep(float(kReach), 0.8f, float(std::abs(distance))) *
           smoothstep(0.25f, 0.65f, facing);
}
}  // namespace

Point<3> slope(const Shape<3>& shape, const Point<3>& x, double h) {
    // Four points of a tetrahedron: two evaluations fewer than central differences.
    static constexpr double kCorner[4][3] = {{1, -1, -1}, {-1, -1, 1}, {-1, 1, -1}, {1, 1, 1}};
    Point<3> g;
    for (const auto& c : kCorner) {
        const Point<3> k = {c[0], c[1], c[2]};
        g += k * shape.distance(x + k * h);
    }
    const double len = length(g);
    return len > 0 ? g / len : g;
}

bool Walls::is_near(double distance) const {
    return distance < kReach * contact_ && distance > -kDepth * contact_;
}

template <class Body>
void Walls::each_wall_near(Point<3>& x, const Body& body) const {
    for (const Solid& s : solids_) {
        const Point<3> local = s.transform.unapply(x);
        const double d = s.shape->distance(local);
        if (is_near(d)) body(d, s.transform.rotation * slope(*s.shape, local, s.step));
    }
    for (int axis = 0; axis < 3; ++axis)
        for (int side = 0; side < 2; ++side) {
            const double d = side ? domain_.hi[axis] - x[axis] : x[axis] - domain_.lo[axis];
            if (!is_near(d)) continue;
            Point<3> inward;
            inward[axis] = side ? -1 : 1;
            body(d, inward);
        }
}

void Walls::settle(std::vector<Vec3>& x, const std::vector<Vec3>& n) const {
    const double gap = kGap * contact_;
    parallel_for(x.size(), 512, [&](std::size_t i) {
        Point<3> p = stage_.to_world(x[i]);
        const Point<3> out = stage_.turn_back(n[i].as<double>());
        each_wall_near(p, [&](double d, const Point<3>& inward) {
            // Water never ends behind a wall; if it touches, it ends right before it.
            const double share = d < gap ? 1 : touching(d / contact_, float(-dot(out, inward)));
            p += inward * ((gap - d) * share);
        });
        x[i] = stage_.from_world(p);
    });
}

Vec3 Walls::normal(const Vec3& p, Vec3 n) const {
    Point<3> x = stage_.to_world(p);
    each_wall_near(x, [&](double d, const Point<3>& inward) {
        const Vec3 wall = stage_.turn(-inward).as<float>();
        n = normalized(mix(n, wall, touching(d / contact_, dot(n, wall))));
    });
    return n;
}

}  // namespace slosh
