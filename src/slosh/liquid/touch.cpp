#include "slosh/liquid/touch.h"

#include "slosh/base/parallel.h"
#include "slosh/shape/primitives.h"

namespace slosh {
namespace {

/// Angular frequency of the spring. 1/s
constexpr double kPull = 12;

/// From 2D or 3D to 3D.
template <int D>
Point<3> in_space(const Point<D>& x) {
    Point<3> r;
    for (int d = 0; d < D; ++d) r[d] = x[d];
    return r;
}

}  // namespace

template <int D>
BodyForce<D> spring_force(const Body<D>& body, const BodyState<D>& state, const Point<D>& grab,
                          const Point<D>& target, double liquid_density, double dt) {
    const Point<D> x = placement(body, state).apply(grab);
    const Point<3> arm = in_space(x - state.position);
    const Point<3> v = in_space(state.velocity) + cross(state.spin, arm);
    // A body in liquid moves liquid along: about half of what it displaces.
    const double mass = body.mass.mass + 0.5 * liquid_density * body.mass.volume;
    double inertia = body.mass.inertia.row[2][2];
    if constexpr (D == 3)
        for (int k = 0; k < 2; ++k) inertia = std::min(inertia, body.mass.inertia.row[k][k]);
    // Off the centre a force moves the point by this much more than the mass alone says.
    const double lever = 1 + body.mass.mass * dot(arm, arm) / std::max(inertia, 1e-30);
    const double damping = 2 * kPull * dt + kPull * kPull * dt * dt;
    const Point<3> pull = in_space(target - x) * (kPull * kPull) - v * (2 * kPull);
    const Point<3> force = pull * (mass / (1 + lever * damping));
    BodyForce<D> out;
    for (int d = 0; d < D; ++d) out.force[d] = force[d];
    out.torque = cross(arm, force);
    return out;
}

template <int D>
void push_particles(const GridGeometry<D>& grid, const Point<D>& at, const Point<D>& velocity,
                    double radius, Particles<D>& p) {
    const Vec<float, D> centre = grid.to_grid(at).template as<float>();
    const float reach = static_cast<float>(radius / grid.dx);
    parallel_for(p.size(), 4096, [&](std::size_t i) {
        float square = 0;
        for (int d = 0; d < D; ++d) {
            const float off = p.x[d][i] - centre[d];
            square += off * off;
        }
        const float rest = 1 - square / (reach * reach);
        if (rest <= 0) return;
        for (int d = 0; d < D; ++d)
            p.v[d][i] += (static_cast<float>(velocity[d]) - p.v[d][i]) * rest;
    });
}

template <int D>
Inflow<D> pouring(const Point<D>& at, const Point<D>& velocity, double radius) {
    Inflow<D> inflow;
    inflow.shape = sphere<D>(at, radius);
    for (int d = 0; d < D; ++d) inflow.velocity[d] = Curve(velocity[d]);
    return inflow;
}

#define SLOSH_INSTANTIATE(D)                                                                    \
    template BodyForce<D> spring_force<D>(const Body<D>&, const BodyState<D>&, const Point<D>&, \
                                          const Point<D>&, double, double);                     \
    template void push_particles<D>(const GridGeometry<D>&, const Point<D>&, const Point<D>&,   \
                                    double, Particles<D>&);                                     \
    template Inflow<D> pouring<D>(const Point<D>&, const Point<D>&, double);
SLOSH_INSTANTIATE(2)
SLOSH_INSTANTIATE(3)
#undef SLOSH_INSTANTIATE

}  // namespace slosh
