#include "slosh/tall/simulation.h"

#include <cmath>
#include <numbers>

namespace slosh::tall {

namespace {

/// Solid cells of every column: the ground rounded to whole cells.
Terrain whole_cells(const Setup& s) {
    Terrain t;
    t.reserve(static_cast<std::size_t>(s.nx) * s.nz);
    for (int z = 0; z < s.nz; ++z)
        for (int x = 0; x < s.nx; ++x) {
            const double height = ground_height(s.ground, s.lower[0] + (x + 0.5) * s.dx,
                                                s.lower[2] + (z + 0.5) * s.dx, s.lower[1]) -
                                  s.lower[1];
            t.push_back(static_cast<int>(std::floor(height / s.dx + 0.5)));
        }
    return t;
}

}  // namespace

double ground_height(const std::vector<GroundLayer>& layers, double x, double z, double lowest) {
    double most = lowest;
    for (const GroundLayer& l : layers) {
        const double a = x - l.position[0], b = z - l.position[2], r = std::hypot(a, b);
        if (r > l.radius) continue;
        double h = l.position[1] + l.slope_x * a + l.slope_z * b + l.curve_x * a * a +
                   l.curve_z * b * b - l.cone * r;
        for (const GroundWave& w : l.waves) h += w.height * std::sin(w.kx * x + w.kz * z + w.phase);
        most = std::max(most, h);
    }
    return most;
}

Simulation::Simulation(Setup setup) : setup_(std::move(setup)) {
    const Point<3> lower = setup_.lower;
    if (setup_.gravity) setup_.options.gravity = setup_.gravity(0);
    water_ = std::make_unique<Water>(
        setup_.nx, setup_.rows, setup_.nz, setup_.dx, whole_cells(setup_),
        [&](const Point<3>& p) { return setup_.water(p + lower); }, setup_.options);
    if (setup_.velocity)
        water_->set_velocity([&](const Point<3>& p) { return setup_.velocity(p + lower); });
}

WaterReport Simulation::step(double dt) {
    const double t = water_->time();
    const Point<3> lower = setup_.lower;
    if (setup_.gravity) water_->set_gravity(setup_.gravity(t));
    water_->sources.clear();
    for (const Inflow& i : setup_.inflows)
        if (t >= i.start && t < i.end)
            water_->sources.push_back(
                {[&i, lower, t](const Point<3>& p) { return i.distance(p + lower, t); },
                 i.velocity(t)});
    std::fill(std::begin(water_->solids.wall), std::end(water_->solids.wall), 0.0f);
    for (const WaveMaker& w : setup_.wave_makers)
        if (t >= w.start && t < w.end)
            water_->solids.wall[w.side] += static_cast<float>(
                w.speed * std::sin(2 * std::numbers::pi * (t - w.start) / w.period));
    return water_->step(dt);
}

}  // namespace slosh::tall
