#include "slosh/rigid/dynamics.h"

#include <numbers>

namespace slosh {

template <int D>
TwistMatrix<D> mass_matrix(const Body<D>& body, const BodyState<D>& state) {
    TwistMatrix<D> m{};
    for (int d = 0; d < D; ++d) m.row[d][d] = body.mass.mass;
    if constexpr (D == 2) {
        m.row[2][2] = body.mass.inertia.row[2][2];
    } else {
        const Mat<3> world = state.rotation * body.mass.inertia * state.rotation.transposed();
        for (int i = 0; i < 3; ++i)
            for (int j = 0; j < 3; ++j) m.row[3 + i][3 + j] = world.row[i][j];
    }
    return m;
}

template <int D>
Twist<D> Joint<D>::motion(const Point<D>& x) const {
    Twist<D> n;
    if (kind == JointKind::Slider) {
        for (int d = 0; d < D; ++d) n[d] = axis[d];
    } else if constexpr (D == 2) {
        n = {-(x - at)[1], (x - at)[0], 1};
    } else {
        const Point<3> v = cross(axis, x - at);
        for (int d = 0; d < 3; ++d) n[d] = v[d], n[3 + d] = axis[d];
    }
    return n;
}

template <int D>
TwistMatrix<D> inverse_mass(const Body<D>& body, const BodyState<D>& state) {
    constexpr int N = kFreedoms<D>;
    TwistMatrix<D> m = mass_matrix(body, state), inverse{};
    if (body.joint) {
        const Twist<D> n = body.joint.motion(state.position);
        const double energy = dot(n, m * n);
        for (int i = 0; i < N; ++i) inverse.row[i] = n * (n[i] / energy);
        return inverse;
    }
    for (int i = 0; i < N; ++i) {
        if (body.locked[i])
            for (int j = 0; j < N; ++j) m.row[i][j] = m.row[j][i] = 0;
        else
            inverse.row[i][i] = 1;
    }
    // Gauss-Jordan on the free rows; the matrix is positive definite there, so no pivoting.
    for (int k = 0; k < N; ++k) {
        if (body.locked[k]) continue;
        const double pivot = 1 / m.row[k][k];
        m.row[k] *= pivot;
        inverse.row[k] *= pivot;
        for (int i = 0; i < N; ++i) {
            if (i == k) continue;
            const double factor = m.row[i][k];
            if (factor == 0) continue;
            m.row[i] -= m.row[k] * factor;
            inverse.row[i] -= inverse.row[k] * factor;
        }
    }
    // Symmetric to the last bit.
    for (int i = 0; i < N; ++i)
        for (int j = 0; j < i; ++j)
            inverse.row[i][j] = inverse.row[j][i] = 0.5 * (inverse.row[i][j] + inverse.row[j][i]);
    return inverse;
}

template <int D>
TwistMatrix<D> cholesky(const TwistMatrix<D>& matrix) {
    constexpr int N = kFreedoms<D>;
    TwistMatrix<D> l{};
    for (int j = 0; j < N; ++j) {
        double pivot = matrix.row[j][j];
        for (int k = 0; k < j; ++k) pivot -= l.row[j][k] * l.row[j][k];
        if (!(pivot > 0)) continue;
        l.row[j][j] = std::sqrt(pivot);
        for (int i = j + 1; i < N; ++i) {
            double s = matrix.row[i][j];
            for (int k = 0; k < j; ++k) s -= l.row[i][k] * l.row[j][k];
            l.row[i][j] = s / l.row[j][j];
        }
    }
    return l;
}

template <int D>
Twist<D> outer_impulse(const Body<D>& body, const Point<D>& gravity, double time, double dt) {
    Twist<D> impulse;
    for (int d = 0; d < D; ++d) impulse[d] = body.mass.mass * gravity[d] * dt;
    for (const BodyForce<D>& f : body.forces) {
        const double on = std::min(time + dt, f.end) - std::max(time, f.start);
        if (on <= 0) continue;
        for (int d = 0; d < D; ++d) impulse[d] += f.force[d] * on;
        for (int k = 0; k < kSpin<D>; ++k) impulse[D + k] += f.torque[3 - kSpin<D> + k] * on;
    }
    return impulse;
}

template <int D>
void apply_impulse(const Body<D>& body, const Twist<D>& impulse, BodyState<D>& state) {
    set_twist(twist(state) + inverse_mass(body, state) * impulse, state);
}

namespace {

/// Makes the rows orthogonal and of unit length again: rounding adds up over many steps.
template <int D>
void orthonormalise(Mat<D>& m) {
    for (int i = 0; i < D; ++i) {
        for (int j = 0; j < i; ++j) m.row[i] -= m.row[j] * dot(m.row[i], m.row[j]);
        m.row[i] = m.row[i] / length(m.row[i]);
    }
}

}  // namespace

template <int D>
void obey_joint(const Body<D>& body, BodyState<D>& state) {
    if (!body.joint) return;
    set_twist(inverse_mass(body, state) * (mass_matrix(body, state) * twist(state)), state);
}

namespace {

/// Along the joint, and nowhere else: what rounding or contact added across it is left behind.
template <int D>
void move_along_joint(const Joint<D>& joint, double dt, BodyState<D>& state) {
    double speed = 0;
    if (joint.kind == JointKind::Slider) {
        for (int d = 0; d < D; ++d) speed += joint.axis[d] * state.velocity[d];
        for (int d = 0; d < D; ++d) state.position[d] += joint.axis[d] * speed * dt;
    } else {
        speed = dot(joint.axis, state.spin);
        const Mat<D> turn = rotation_matrix<D>(joint.axis * (speed * dt * 180 / std::numbers::pi));
        state.position = joint.at + turn * (state.position - joint.at);
        state.rotation = turn * state.rotation;
        orthonormalise(state.rotation);
    }
    set_twist(joint.motion(state.position) * speed, state);
}

}  // namespace

template <int D>
void move_body(const Body<D>& body, double dt, BodyState<D>& state) {
    state.velocity *= std::exp(-body.linear_damping * dt);
    state.spin *= std::exp(-body.angular_damping * dt);
    if (body.joint) return move_along_joint(body.joint, dt, state);
    state.position += state.velocity * dt;
    const Point<3> degrees = state.spin * (dt * 180 / std::numbers::pi);
    if (degrees == Point<3>{}) return;
    Twist<D> momentum;
    if constexpr (D == 3) momentum = mass_matrix(body, state) * twist(state);
    state.rotation = rotation_matrix<D>(degrees) * state.rotation;
    orthonormalise(state.rotation);
    if constexpr (D == 3) set_twist(inverse_mass(body, state) * momentum, state);
}

template <int D>
double kinetic_energy(const Body<D>& body, const BodyState<D>& state) {
    const Twist<D> t = twist(state);
    return 0.5 * dot(t, mass_matrix(body, state) * t);
}

template <int D>
double max_speed(const Body<D>& body, const BodyState<D>& state) {
    // The farthest corner of the bounds is at least as far out as any point.
    const Box<D> box = body.shape->bounds();
    Point<D> reach;
    for (int d = 0; d < D; ++d)
        reach[d] = std::max(box.hi[d] - body.mass.centre[d], body.mass.centre[d] - box.lo[d]);
    return length(state.velocity) + length(state.spin) * length(reach);
}

#define SLOSH_INSTANTIATE(D)                                                             \
    template struct Joint<D>;                                                            \
    template void obey_joint<D>(const Body<D>&, BodyState<D>&);                          \
    template TwistMatrix<D> mass_matrix<D>(const Body<D>&, const BodyState<D>&);         \
    template TwistMatrix<D> inverse_mass<D>(const Body<D>&, const BodyState<D>&);        \
    template TwistMatrix<D> cholesky<D>(const TwistMatrix<D>&);                          \
    template Twist<D> outer_impulse<D>(const Body<D>&, const Point<D>&, double, double); \
    template void apply_impulse<D>(const Body<D>&, const Twist<D>&, BodyState<D>&);      \
    template void move_body<D>(const Body<D>&, double, BodyState<D>&);                   \
    template double kinetic_energy<D>(const Body<D>&, const BodyState<D>&);              \
    template double max_speed<D>(const Body<D>&, const BodyState<D>&);
SLOSH_INSTANTIATE(2)
SLOSH_INSTANTIATE(3)
#undef SLOSH_INSTANTIATE

}  // namespace slosh
