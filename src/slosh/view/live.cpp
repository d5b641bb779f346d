#include "slosh/view/live.h"

#include <cmath>
#include <numbers>

#include "slosh/liquid/touch.h"
#include "slosh/view/live_tall.h"

namespace slosh::view {

namespace {

constexpr double kShakeSeconds = 1.2;
constexpr double kShakeWidth = 0.03;  ///< Of the container's size.
constexpr double kShakeForce = 0.75;  ///< Of gravity, at the most.

template <int D>
Point<D> first(const Point<3>& x) {
    Point<D> r;
    for (int d = 0; d < D; ++d) r[d] = x[d];
    return r;
}
template <int D>
class LiveLiquid : public LiveRun {
public:
    explicit LiveLiquid(const Scene& scene)
        : fps_(scene.fps),
          simulation_([&] {
              LiquidSetup<D> setup = make_setup<D>(scene);
              setup.step.history = true;
              return setup;
          }()),
          shake_(
              std::max({scene.size[0], scene.size[1], D == 3 ? scene.size[2] : 0}),
              std::hypot(scene.gravity[0].at(0), scene.gravity[1].at(0), scene.gravity[2].at(0))) {
        const LiquidSetup<D>& setup = simulation_.setup();
        for (int d = 0; d < D; ++d) gravity_[d] = setup.gravity[d];
        own_inflows_ = setup.inflows.size();
        for (const Body<D>& body : setup.bodies) own_forces_.push_back(body.forces);
    }

    bool advance(const std::function<bool()>& between, std::vector<StepReport>& steps) override {
        const double to = frame_ / fps_, nothing = 1e-9 / fps_;
        for (double left; (left = to - simulation_.state().time) > nothing;) {
            if (!between()) return false;
            simulation_.touch([&](LiquidSetup<D>& setup, LiquidState<D>& state) {
                touch(setup, state, std::min(left, simulation_.next_dt(left)));
            });
            steps.push_back(simulation_.step(left));
        }
        ++frame_;
        return true;
    }

    ShownFrame shown(bool points) const override {
        const LiquidSetup<D>& setup = simulation_.setup();
        LiquidFrame<D> frame = simulation_.frame(false);
        ShownFrame out;
        out.number = frame_;
        out.time = simulation_.state().time;
        out.surface = std::move(frame.surface);
        out.surface.dim = D;
        for (const Transform<D>& t : frame.bodies) out.bodies.push_back(in_space(t));
        for (const Solid<D>& s : setup.solids)
            out.solids.push_back(in_space(s.motion.at(out.time)));
        out.tilt = hands.tilt;
        out.shift[0] = shake_.shift(out.time);
        if (setup.gas)
            add_smoke(out.points);
        else if (points)
            add_points(frame.level_set.blocks_ptr(), out.points);
        return out;
    }

    void set_walls(Separation separation, const std::string& solver) override {
        simulation_.touch([&](LiquidSetup<D>& setup, LiquidState<D>&) {
            setup.step.separation = separation;
            setup.step.solver = solver;
        });
    }
    void shake() override { shake_.start(simulation_.state().time); }

private:
    void touch(LiquidSetup<D>& setup, LiquidState<D>& state, double dt) const {
        // What somebody in the tilted and shaken container feels (liquid/touch.h).
        Point<D> felt;
        for (int d = 0; d < D; ++d) felt[d] = gravity_[d].at(state.time);
        felt[0] -= shake_.acceleration(state.time + 0.5 * dt);
        felt = rotation_matrix<D>(hands.tilt).transposed() * felt;
        for (int d = 0; d < D; ++d) setup.gravity[d] = Curve(felt[d]);

        setup.inflows.erase(setup.inflows.begin() + std::ptrdiff_t(own_inflows_),
                            setup.inflows.end());
        if (hands.pour && !full())
            setup.inflows.push_back(pouring<D>(first<D>(hands.pour->at),
                                               first<D>(hands.pour->velocity),
                                               std::max(hands.pour->radius, 1.5 * setup.grid.dx)));
        for (std::size_t n = 0; n < setup.bodies.size(); ++n)
            setup.bodies[n].forces = own_forces_[n];
        if (hands.drag) {
            Body<D>& body = setup.bodies.at(std::size_t(hands.drag->body));
            body.forces.push_back(spring_force(body, state.bodies.at(std::size_t(hands.drag->body)),
                                               first<D>(hands.drag->grab),
                                               first<D>(hands.drag->target), setup.density, dt));
        }
        if (hands.push)
            push_particles(setup.grid, first<D>(hands.push->at), first<D>(hands.push->velocity),
                           std::max(hands.push->radius, 1.5 * setup.grid.dx), state.particles);
    }

    /// Liquid pressed into a full and closed box has nowhere to go.
    bool full() const {
        const LiquidSetup<D>& setup = simulation_.setup();
        double cells = 1;
        for (int d = 0; d < D; ++d) cells *= setup.grid.cells[d];
        return double(simulation_.state().particles.size()) >
               0.7 * cells * std::pow(setup.step.particles_per_axis, D);
    }

    Vec<float, 3> world(const Particles<D>& p, std::size_t i) const {
        const GridGeometry<D>& grid = simulation_.setup().grid;
        Vec<float, 3> x;
        for (int d = 0; d < D; ++d) x[d] = float(grid.origin[d] + grid.dx * double(p.x[d][i]));
        return x;
    }
    static float speed(const Particles<D>& p, std::size_t i) {
        float square = 0;
        for (int d = 0; d < D; ++d) square += p.v[d][i] * p.v[d][i];
        return std::sqrt(square);
    }

    void add_points(const BlocksPtr<D>& blocks, ShownPoints& out) const {
        const Particles<D>& p = simulation_.state().particles;
        const double due = std::pow(simulation_.setup().step.particles_per_axis, D);
        Field<float, D> count(blocks);
        const auto cell = [&](std::size_t i) { return floor(p.position(i)); };
        for (std::size_t i = 0; i < p.size(); ++i) {
            const Index<D> at = cell(i);
            const int b = blocks->find(block_of<D>(at));
            if (b < blocks->size()) count.block(b)[cell_offset(local_of(at))] += 1;
        }
        for (std::size_t i = 0; i < p.size(); ++i) {
            if (!shows_particle(p.id[i], p.size())) continue;
            out.positions.push_back(world(p, i));
            out.speeds.push_back(speed(p, i));
            out.densities.push_back(float(count.get(cell(i)) / due));
            out.thicknesses.push_back(
                thickness(p.viscous() ? p.viscosity[i] : simulation_.setup().viscosity));
        }
    }

    void add_smoke(ShownPoints& out) const {
        const Particles<D>& p = simulation_.state().particles;
        constexpr float kThin = 0.02f;  // less is not seen
        std::size_t seen = 0;
        for (const float s : p.smoke) seen += s > kThin;
        for (std::size_t i = 0; i < p.size(); ++i) {
            if (p.smoke[i] <= kThin || !shows_particle(p.id[i], seen)) continue;
            out.positions.push_back(world(p, i));
            out.speeds.push_back(speed(p, i));
            out.densities.push_back(p.smoke[i]);
            out.thicknesses.push_back(0);
        }
    }

    double fps_;
    int frame_ = 1;
    LiquidSimulation<D> simulation_;
    Shake shake_;
    Curve gravity_[D];  // the scene's own, as are these
    std::size_t own_inflows_ = 0;
    std::vector<std::vector<BodyForce<D>>> own_forces_;
};

}  // namespace

Shake::Shake(double size, double gravity) : width_(kShakeWidth * size) {
    pace_ = std::sqrt(kShakeForce * std::max(gravity, 1.0) / width_);
}

/// Swells and dies down, so that it begins and ends at rest.
double Shake::shift(double time) const {
    const double t = time - start_;
    if (t <= 0 || t >= kShakeSeconds) return 0;
    const double swell = std::sin(std::numbers::pi * t / kShakeSeconds);
    return width_ * swell * swell * std::sin(pace_ * t);
}

double Shake::acceleration(double time) const {
    const double h = 1e-4;
    return (shift(time + h) - 2 * shift(time) + shift(time - h)) / (h * h);
}

std::vector<std::string> tools_of(const Scene& scene) {
    std::vector<std::string> words{"push", "tilt"};
    if (!scene.gas) words.push_back("pour");
    if (!scene.bodies.empty()) words.push_back("drag");
    return words;
}

std::unique_ptr<LiveRun> start_live_run(const Scene& scene) {
    if (scene.tall) return start_tall_run(scene);
    if (scene.dim == 2) return std::make_unique<LiveLiquid<2>>(scene);
    return std::make_unique<LiveLiquid<3>>(scene);
}

}  // namespace slosh::view
