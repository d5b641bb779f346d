#include "slosh/tall/bodies.h"

#include <cmath>

#include "slosh/base/parallel.h"
#include "slosh/tall/sample.h"

namespace slosh::tall {

namespace {

/// Points along the longest side of a body.
constexpr int kPoints = 9;
constexpr double kPull = 60;  ///< 1/s^2: stiffness of a drag over the body's mass.

void add_force(const Point<3>& f, const Point<3>& at, const Point<3>& centre, Twist<3>& sum) {
    const Point<3> r = at - centre, t = cross(r, f);
    for (int d = 0; d < 3; ++d) sum[d] += f[d], sum[3 + d] += t[d];
}

Point<3> velocity_at(const BodyState<3>& s, const Point<3>& x) {
    return s.velocity + cross(s.spin, x - s.position);
}

Stencil stencil_at(const Grid& g, const Point<3>& x) {
    return {g, static_cast<float>(x[0] / g.dx() - 0.5), static_cast<float>(x[1] / g.dx() - 0.5),
            static_cast<float>(x[2] / g.dx() - 0.5)};
}

struct CellBox {
    int low[3], high[3];  ///< [low, high)
};

/// World cells of the grid around a body, with a margin.
CellBox cells_around(const Grid& g, const Body<3>& body, const Transform<3>& place,
                     const Point<3>& lower) {
    const Box<3> b = body.shape->bounds();
    CellBox out;
    Point<3> low{{1e30, 1e30, 1e30}}, high = low * -1.0;
    for (int k = 0; k < 8; ++k) {
        Point<3> corner;
        for (int d = 0; d < 3; ++d) corner[d] = (k >> d & 1) ? b.hi[d] : b.lo[d];
        const Point<3> x = place.apply(corner) - lower;
        for (int d = 0; d < 3; ++d) {
            low[d] = std::min(low[d], x[d]);
            high[d] = std::max(high[d], x[d]);
        }
    }
    for (int d = 0; d < 3; ++d) {
        out.low[d] = static_cast<int>(std::floor(std::clamp(low[d] / g.dx(), -1e6, 1e6))) - 1;
        out.high[d] = static_cast<int>(std::ceil(std::clamp(high[d] / g.dx(), -1e6, 1e6))) + 1;
    }
    out.low[0] = std::max(out.low[0], 0);
    out.low[2] = std::max(out.low[2], 0);
    out.high[0] = std::min(out.high[0], g.nx());
    out.high[2] = std::min(out.high[2], g.nz());
    return out;
}

}  // namespace

FloatingBodies::FloatingBodies(std::vector<Body<3>> bodies, const BodyOptions& options)
    : options_(options) {
    for (const Body<3>& b : bodies) append(b);
    contact_ = std::make_unique<Contact<3>>(bodies_, options_.contact_points);
}

int FloatingBodies::add(const Body<3>& body) {
    append(body);
    contact_ = std::make_unique<Contact<3>>(bodies_, options_.contact_points);
    return static_cast<int>(bodies_.size()) - 1;
}

void FloatingBodies::append(const Body<3>& body) {
    bodies_.push_back(body);
    states_.push_back(body.start);
    points_.push_back(points_of(body));
}

FloatingBodies::Points FloatingBodies::points_of(const Body<3>& body) {
    const Box<3> b = body.shape->bounds();
    const Point<3> size = b.hi - b.lo;
    const double spacing = std::max({size[0], size[1], size[2]}) / kPoints;
    Points out;
    out.spacing = spacing;
    int count[3];
    for (int d = 0; d < 3; ++d) count[d] = std::max(1, static_cast<int>(size[d] / spacing + 0.5));
    for (int z = 0; z < count[2]; ++z)
        for (int y = 0; y < count[1]; ++y)
            for (int x = 0; x < count[0]; ++x) {
                const Point<3> at = {{b.lo[0] + (x + 0.5) * size[0] / count[0],
                                      b.lo[1] + (y + 0.5) * size[1] / count[1],
                                      b.lo[2] + (z + 0.5) * size[2] / count[2]}};
                if (body.shape->distance(at) < 0) out.inside.push_back(at);
            }
    if (out.inside.empty()) out.inside.push_back(body.mass.centre);
    for (const Point<3>& p : surface_points(*body.shape, 3 * spacing))
        out.around.push_back(p + normal(*body.shape, p, 0.1 * spacing) * spacing);
    return out;
}

std::vector<Transform<3>> FloatingBodies::placements() const {
    std::vector<Transform<3>> out;
    for (std::size_t n = 0; n < size(); ++n) out.push_back(placement(bodies_[n], states_[n]));
    return out;
}

void FloatingBodies::hurl(const Throw& how) {
    BodyState<3>& s = states_.at(static_cast<std::size_t>(how.body));
    s.velocity = how.velocity;
    s.spin = how.spin;
}

FloatingBodies::Lift FloatingBodies::lift(std::size_t n, const Water& water, const Point<3>& lower,
                                          double h) const {
    const Grid& g = water.grid();
    const Body<3>& body = bodies_[n];
    const BodyState<3>& state = states_[n];
    const Transform<3> place = placement(body, state);
    const Points& points = points_[n];
    const double share = body.mass.volume / static_cast<double>(points.inside.size());
    const auto wetness = [&](const Point<3>& x, double width) {
        const Stencil s = stencil_at(g, x);
        return std::clamp(0.5 - sample(water.phi(), g, s) / width, 0.0, 1.0);
    };
    Twist<3> sum;
    double under = 0;
    for (const Point<3>& p : points.inside) {
        const Point<3> x = place.apply(p);
        const double part = share * wetness(x - lower, points.spacing);
        under += part;
        add_force(water.gravity() * (-options_.density * part * h), x, state.position, sum);
    }
    if (under > 0) {
        const double weight = options_.density * body.mass.volume /
                              static_cast<double>(std::max<std::size_t>(1, points.around.size()));
        const double step = 1 - std::exp(-options_.drag_rate * h);
        for (const Point<3>& p : points.around) {
            const Point<3> x = place.apply(p);
            const double wet = wetness(x - lower, g.dx());
            if (wet == 0) continue;
            const Float4 u = sample(water.velocity(), g, stencil_at(g, x - lower));
            const Point<3> rest = Point<3>{{u[0], u[1], u[2]}} - velocity_at(state, x);
            add_force(rest * (weight * wet * step), x, state.position, sum);
        }
    }
    return {sum, options_.carried * options_.density * under};
}

Twist<3> FloatingBodies::drag_impulse(const Drag& drag, double h) const {
    const std::size_t n = static_cast<std::size_t>(drag.body);
    const BodyState<3>& state = states_[n];
    const Point<3> x = placement(bodies_[n], state).apply(drag.grab);
    // A critically damped spring, taken implicitly: it leads, and never shoots away.
    const double damping = 2 * std::sqrt(kPull);
    const Point<3> change = ((drag.target - x) * kPull - velocity_at(state, x) * damping) *
                            (h / (1 + h * damping + h * h * kPull));
    Twist<3> sum;
    // A pull off the centre turns a body as if half its mass were there.
    add_force(change * (0.5 * bodies_[n].mass.mass), x, state.position, sum);
    add_force(change * (0.5 * bodies_[n].mass.mass), state.position, state.position, sum);
    return sum;
}

void FloatingBodies::step(const Water& water, const Point<3>& lower,
                          const std::function<double(double, double)>& ground,
                          const std::vector<Drag>& drags, double dt) {
    if (bodies_.empty()) return;
    const Grid& g = water.grid();
    const Point<3> size = {{g.nx() * g.dx(), 0, g.nz() * g.dx()}};
    const double e = 0.5 * g.dx();
    const ContactScene<3> scene{
        [&](const Point<3>& x) {
            const Point<3> p = x - lower;
            const double here = ground(x[0], x[2]);
            const double sx = (ground(x[0] + e, x[2]) - ground(x[0] - e, x[2])) / (2 * e);
            const double sz = (ground(x[0], x[2] + e) - ground(x[0], x[2] - e)) / (2 * e);
            const double above = (x[1] - here) / std::sqrt(1 + sx * sx + sz * sz);
            return std::min({above, p[0], p[2], size[0] - p[0], size[2] - p[2]});
        },
        [](const Point<3>&) { return Point<3>{}; }};
    const Point<3> gravity = water.gravity();
    const double h = dt / options_.substeps;
    std::vector<Lift> lifts(bodies_.size());
    for (int k = 0; k < options_.substeps; ++k) {
        // Contact wants short steps; the water stands still meanwhile.
        if (k % options_.lift_every == 0)
            parallel_for(bodies_.size(), 1,
                         [&](std::size_t n) { lifts[n] = lift(n, water, lower, h); });
        for (std::size_t n = 0; n < bodies_.size(); ++n) {
            const Lift& water_part = lifts[n];
            Twist<3> impulse = outer_impulse(bodies_[n], gravity, time_, h) + water_part.impulse;
            for (const Drag& d : drags)
                if (d.body == static_cast<int>(n)) impulse += drag_impulse(d, h);
            const double mass = bodies_[n].mass.mass;
            apply_impulse(bodies_[n], impulse * (mass / (mass + water_part.carried)), states_[n]);
        }
        (void)contact_->solve(scene, h, true, states_);
        for (std::size_t n = 0; n < bodies_.size(); ++n) move_body(bodies_[n], h, states_[n]);
        time_ += h;
    }
}

void FloatingBodies::voxelise(const Grid& g, const Point<3>& lower, SolidCells& cells) const {
    cells.clear();
    for (std::size_t n = 0; n < bodies_.size(); ++n) {
        const Transform<3> place = placement(bodies_[n], states_[n]);
        const CellBox box = cells_around(g, bodies_[n], place, lower);
        for (int z = box.low[2]; z < box.high[2]; ++z)
            for (int x = box.low[0]; x < box.high[0]; ++x) {
                const int c = g.column(x, z);
                const int first = std::max(box.low[1], g.top(c)),
                          last = std::min(box.high[1], g.highest(c) + 1);
                for (int y = first; y < last; ++y) {
                    const Point<3> at = lower + Point<3>{{x + 0.5, y + 0.5, z + 0.5}} * g.dx();
                    const double d = bodies_[n].shape->distance(place.unapply(at));
                    const float s = static_cast<float>(std::clamp(0.5 - d / g.dx(), 0.0, 1.0));
                    if (s <= 0) continue;
                    const Point<3> v = velocity_at(states_[n], at);
                    cells.add(c, y - g.top(c), s,
                              Float4{static_cast<float>(v[0]), static_cast<float>(v[1]),
                                     static_cast<float>(v[2]), 0});
                }
            }
    }
    cells.close_slits();
}

std::vector<int> FloatingBodies::lowest_cells(const Grid& g, const Point<3>& lower) const {
    std::vector<int> lowest(g.columns(), kNoBody);
    for (std::size_t n = 0; n < bodies_.size(); ++n) {
        const CellBox box = cells_around(g, bodies_[n], placement(bodies_[n], states_[n]), lower);
        for (int z = box.low[2]; z < box.high[2]; ++z)
            for (int x = box.low[0]; x < box.high[0]; ++x) {
                int& y = lowest[g.column(x, z)];
                y = std::min(y, box.low[1]);
            }
    }
    return lowest;
}

}  // namespace slosh::tall
