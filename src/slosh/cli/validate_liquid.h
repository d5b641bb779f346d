// Whole particle runs for validation: set-ups in code, a runner, and column heights.
#pragma once

#include <functional>

#include "slosh/liquid/simulation.h"

namespace slosh::cli {

/// A shape given by a formula that is negative inside. Only its sign is used (seeding).
template <int D>
class FormulaShape : public Shape<D> {
public:
    FormulaShape(std::function<double(const Point<D>&)> f, Box<D> box)
        : f_(std::move(f)), box_(box) {}
    double distance(const Point<D>& x) const override { return f_(x); }
    Box<D> bounds() const override { return box_; }

private:
    std::function<double(const Point<D>&)> f_;
    Box<D> box_;
};

template <int D>
ShapePtr<D> formula_shape(std::function<double(const Point<D>&)> f) {
    return std::make_shared<FormulaShape<D>>(std::move(f), Box<D>::everywhere());
}

/// A closed box of `cells` cells of size dx at the origin, with gravity along -y.
template <int D>
LiquidSetup<D> closed_box(const Index<D>& cells, double dx) {
    LiquidSetup<D> setup;
    setup.grid = {.origin = {}, .dx = dx, .cells = cells};
    setup.gravity[1] = Curve(-9.81);
    return setup;
}

/// Runs to `end` seconds in substeps of at most setup.step.max_dt, calling `look` after each.
template <int D>
void run_to(LiquidSimulation<D>& simulation, double end,
            const std::function<void(const StepReport&)>& look) {
    while (simulation.state().time < end - 1e-9)
        look(simulation.step(end - simulation.state().time));
}

/// Mean position (world, m) of all particles.
template <int D>
Point<D> centre_of_mass(const LiquidSimulation<D>& simulation) {
    const auto& p = simulation.state().particles;
    Point<D> sum;
    for (std::size_t i = 0; i < p.size(); ++i) sum += p.position(i);
    return simulation.setup().grid.to_world(sum / static_cast<double>(p.size()));
}

/// Depth of liquid at (x[, z]) from the number of particles in the column of one cell around it.
template <int D>
double column_depth(const LiquidSimulation<D>& simulation, const Point<D>& at) {
    const auto& setup = simulation.setup();
    const auto& p = simulation.state().particles;
    const Point<D> g = setup.grid.to_grid(at);
    std::size_t count = 0;
    for (std::size_t i = 0; i < p.size(); ++i) {
        bool in = true;
        for (int d = 0; d < D; ++d)
            if (d != 1) in &= std::abs(p.x[d][i] - g[d]) < 0.5 + 0.5;
        count += in;
    }
    double area = 1;  // of the column, in cells
    for (int d = 0; d < D; ++d)
        if (d != 1) area *= 2;
    return static_cast<double>(count) / (area * std::pow(setup.step.particles_per_axis, D)) *
           setup.grid.dx;
}

}  // namespace slosh::cli
