#include "slosh/tall/simulation.h"

#include <cmath>
#include <numbers>

#include "slosh/base/error.h"

namespace slosh::tall {

namespace {

/// Share of gravity that always pulls down.
constexpr double kMostLean = 1.0 / 3;

}  // namespace

double raised(const Raise& r, double x, double z) {
    const double away = std::hypot(x - r.x, z - r.z) / r.radius;
    return away < 1 ? 0.5 * r.height * (1 + std::cos(std::numbers::pi * away)) : 0.0;
}

double ground_height(const Setup& setup, double x, double z) {
    double most = setup.lower[1];
    for (const GroundLayer& l : setup.ground) {
        const double a = x - l.position[0], b = z - l.position[2], r = std::hypot(a, b);
        if (r > l.radius) continue;
        double h = l.position[1] + l.slope_x * a + l.slope_z * b + l.curve_x * a * a +
                   l.curve_z * b * b - l.cone * r;
        for (const GroundWave& w : l.waves) h += w.height * std::sin(w.kx * x + w.kz * z + w.phase);
        most = std::max(most, h);
    }
    for (const Raise& r : setup.raises) most += raised(r, x, z);
    return std::max(most, setup.lower[1]);
}

/// Heights of the ground at the columns, and rounded to whole cells for the water.
Terrain Simulation::lay_ground() {
    Terrain whole;
    whole.reserve(static_cast<std::size_t>(setup_.nx) * setup_.nz);
    ground_.clear();
    for (int z = 0; z < setup_.nz; ++z)
        for (int x = 0; x < setup_.nx; ++x) {
            const double height = (ground_height(setup_, setup_.lower[0] + (x + 0.5) * setup_.dx,
                                                 setup_.lower[2] + (z + 0.5) * setup_.dx) -
                                   setup_.lower[1]) /
                                  setup_.dx;
            ground_.push_back(static_cast<float>(height));
            whole.push_back(static_cast<int>(std::floor(height + 0.5)));
        }
    return whole;
}

Simulation::Simulation(Setup setup)
    : setup_(std::move(setup)), spray_(setup_.spray), ripples_(setup_.ripples) {
    const Point<3> lower = setup_.lower;
    if (setup_.gravity) setup_.options.gravity = setup_.gravity(0);
    setup_.raises.assign(setup_.raise_events.size(), Raise{});
    water_ = std::make_unique<Water>(
        setup_.nx, setup_.rows, setup_.nz, setup_.dx, lay_ground(),
        [&](const Point<3>& p) { return setup_.water(p + lower); }, setup_.options);
    if (setup_.velocity)
        water_->set_velocity([&](const Point<3>& p) { return setup_.velocity(p + lower); });
    bodies_ = std::make_unique<FloatingBodies>(setup_.bodies, setup_.body_options);
    water_->place_bodies = [this](const Grid& g, SolidCells& cells) {
        bodies_->voxelise(g, setup_.lower, cells);
    };
    water_->body_depths = [this](const Grid& g) {
        return bodies_->size() > 0 ? bodies_->lowest_cells(g, setup_.lower) : std::vector<int>{};
    };
}

void Simulation::push(const Push& how) {
    water_->push(how.at - setup_.lower, how.radius, how.velocity);
}

void Simulation::raise(const Raise& how) {
    setup_.raises.push_back(how);
    water_->set_terrain(lay_ground());
}

void Simulation::drag(const Drag& how) {
    SLOSH_EXPECT(how.body >= 0 && how.body < static_cast<int>(bodies_->size()));
    drags_.push_back(how);
}

WaterReport Simulation::step(double dt) {
    const double t = water_->time();
    const Point<3> lower = setup_.lower;
    Point<3> pull = {{0, -(setup_.gravity ? setup_.gravity(t) : setup_.options.gravity), 0}};
    if (carried_) {
        const double upright = kMostLean * pull[1];
        pull = carried_(pull);
        pull[1] = std::min(pull[1], upright);
    }
    water_->set_gravity(pull);
    run_events(t, dt);
    water_->sources.clear();
    for (const Inflow& i : setup_.inflows)
        if (t >= i.start && t < i.end)
            water_->sources.push_back(
                {[&i, lower, t](const Point<3>& p) { return i.distance(p + lower, t); },
                 i.velocity(t)});
    for (const Pour& p : pours_)
        water_->sources.push_back(
            {[p, lower](const Point<3>& x) { return length(x + lower - p.at) - p.radius; },
             p.velocity});
    std::fill(std::begin(water_->solids.wall), std::end(water_->solids.wall), 0.0f);
    for (const WaveMaker& w : setup_.wave_makers)
        if (t >= w.start && t < w.end)
            water_->solids.wall[w.side] += static_cast<float>(
                w.speed * std::sin(2 * std::numbers::pi * (t - w.start) / w.period));
    const double wall = wall_seconds(), cpu = cpu_seconds();
    bodies_->step(
        *water_, lower, [this](double x, double z) { return ground_height(setup_, x, z); }, drags_,
        dt);
    const double body_wall = wall_seconds() - wall, body_cpu = cpu_seconds() - cpu;
    pours_.clear();
    drags_.clear();
    StageTimes spray;
    {
        StageTimer timer(spray, "spray");
        spray_.seed(*water_, dt);
    }
    WaterReport report = water_->step(dt);
    {
        StageTimer timer(spray, "spray");
        spray_.advance(*water_, dt);
        ripples_.advance(*water_, dt);
    }
    if (bodies_->size() > 0) report.times.add("bodies", body_wall, body_cpu);
    report.times.add(spray);
    return report;
}

void Simulation::run_events(double t, double dt) {
    for (const PushEvent& e : setup_.push_events)
        if (t >= e.start && t < e.end) push(e.push);
    for (const RaiseEvent& e : setup_.raise_events)
        if (t + dt > e.start && t < e.end) {
            // One hill that grows, not one for each step.
            const std::size_t n = static_cast<std::size_t>(&e - setup_.raise_events.data());
            setup_.raises[n] = e.raise;
            setup_.raises[n].height *= (std::min(t + dt, e.end) - e.start) / (e.end - e.start);
            water_->set_terrain(lay_ground());
        }
    for (const ThrowEvent& e : setup_.throw_events)
        if (e.time >= t && e.time < t + dt) bodies_->hurl(e.how);
}

}  // namespace slosh::tall
