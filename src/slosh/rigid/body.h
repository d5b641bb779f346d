// Rigid bodies: what they are, and where they are.
//
// A body has D + kSpin degrees of freedom: the velocity of its centre of mass, then its angular
// velocity (about z in 2D). A Twist holds both; what acts on it, force and torque or their
// impulses, is laid out likewise. Everything is in the world frame unless said.
#pragma once

#include <string>
#include <vector>

#include "slosh/shape/placed_body.h"
#include "slosh/shape/solid.h"

namespace slosh {

template <int D>
constexpr int kSpin = D == 3 ? 3 : 1;
template <int D>
constexpr int kFreedoms = D + kSpin<D>;

template <int D>
using Twist = Vec<double, kFreedoms<D>>;

/// Mass, its centre and its moments about that centre, in a shape's local frame.
template <int D>
struct MassProperties {
    double volume = 0;  ///< m^3 (2D: m^2, and all masses per metre of depth)
    double mass = 0;    ///< kg
    Point<D> centre;    ///< m
    Mat<3> inertia;     ///< kg m^2; in 2D only [2][2] counts.
};

/// A force that acts at the centre of mass, and a torque, while start <= t < end.
template <int D>
struct BodyForce {
    Point<D> force;                ///< N
    Point<3> torque;               ///< N m; in 2D z only.
    double start = 0, end = 1e30;  ///< s
};

/// What ties a body to the world, so that one way to move is left.
enum class JointKind { None, Hinge, Slider };

template <int D>
struct Joint {
    JointKind kind = JointKind::None;
    Point<D> at;             ///< A point on the axle of a hinge. m
    Point<3> axis{0, 0, 1};  ///< Unit: the axle (2D: z), or the way of a slider.
    explicit operator bool() const { return kind != JointKind::None; }
    /// The twist at a unit of speed along (or about) the axis, with the centre of mass at x.
    Twist<D> motion(const Point<D>& x) const;
};

template <int D>
struct BodyState {
    Point<D> position;  ///< Of the centre of mass. m
    Mat<D> rotation = Mat<D>::identity();
    Point<D> velocity;  ///< Of the centre of mass. m/s
    Point<3> spin;      ///< rad/s; in 2D z only.
    Twist<D> liquid;    ///< Force and torque of the liquid in the last step. N, N m
};

template <int D>
struct Body {
    std::string name;
    ShapePtr<D> shape;       ///< In its local frame.
    MassProperties<D> mass;  ///< In the same frame.
    BodyState<D> start;
    SolidWalls walls = SolidWalls::Scene;  ///< Whether liquid may let go of it.
    double slip_length = -1;     ///< Of viscous liquid along it. Negative: that of the scene. m.
    double linear_damping = 0;   ///< Rate at which velocity decays. 1/s
    double angular_damping = 0;  ///< Rate at which spin decays. 1/s
    bool locked[kFreedoms<D>] = {};  ///< World axes along and about which it does not move.
    Joint<D> joint;                  ///< In the place of `locked`.
    std::vector<BodyForce<D>> forces;
    double friction = 0.5;     ///< Coulomb's coefficient, in contact. >= 0.
    double restitution = 0.2;  ///< Share of the speed kept in a bounce. [0, 1].
};

/// Where the local frame is.
template <int D>
Transform<D> placement(const Body<D>& body, const BodyState<D>& state) {
    return {state.rotation, state.position - state.rotation * body.mass.centre};
}

template <int D>
PlacedBody<D> placed_body(const Body<D>& body, const BodyState<D>& state) {
    return {body.shape.get(), placement(body, state), state.position, state.velocity, state.spin};
}

template <int D>
Twist<D> twist(const BodyState<D>& state) {
    Twist<D> t;
    for (int d = 0; d < D; ++d) t[d] = state.velocity[d];
    for (int k = 0; k < kSpin<D>; ++k) t[D + k] = state.spin[3 - kSpin<D> + k];
    return t;
}
template <int D>
void set_twist(const Twist<D>& t, BodyState<D>& state) {
    for (int d = 0; d < D; ++d) state.velocity[d] = t[d];
    for (int k = 0; k < kSpin<D>; ++k) state.spin[3 - kSpin<D> + k] = t[D + k];
}

}  // namespace slosh
