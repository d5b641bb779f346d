#include "slosh/view/live_tall.h"

#include <cmath>

#include "slosh/scene/tall.h"
#include "slosh/scene/tall_report.h"
#include "slosh/tall/simulation.h"

namespace slosh::view {
namespace {

class LiveTall : public LiveRun {
public:
    explicit LiveTall(const Scene& scene)
        : simulation_(make_tall_setup(scene)),
          motions_(make_setup<3>(scene).solids),
          shake_(std::max({scene.size[0], scene.size[1], scene.size[2]}),
                 std::abs(scene.gravity[1].at(0))) {
        const double frame = 1 / scene.fps;
        steps_ = std::max(1, int(std::ceil(frame / scene.step.max_dt - 1e-6)));
        dt_ = frame / steps_;
    }

    bool advance(const std::function<bool()>& between, std::vector<StepReport>& steps) override {
        for (; done_ < steps_; ++done_) {
            if (!between()) return false;
            touch();
            carry();
            const tall::WaterReport step = simulation_.step(dt_);
            steps.push_back(tall_report(simulation_.water(), step, dt_));
        }
        done_ = 0;
        ++frame_;
        return true;
    }
    ShownFrame shown(bool) const override {
        ShownFrame out;
        out.number = frame_;
        out.time = simulation_.water().time();
        out.make_surface = simulation_.surface_later();
        out.bodies = simulation_.bodies().placements();
        const tall::Spray& spray = simulation_.spray();
        for (std::size_t i = 0; i < spray.size(); ++i) {
            out.points.positions.push_back(
                (spray.position[i] + simulation_.setup().lower).as<float>());
            out.points.speeds.push_back(static_cast<float>(length(spray.velocity[i])));
            out.points.densities.push_back(spray.kind[i] == tall::Drop::Mist ? 0.5f : 1.0f);
            out.points.thicknesses.push_back(0);
        }
        out.tilt = hands.tilt;
        out.shift[0] = shake_.shift(out.time);
        for (const Solid<3>& s : motions_) out.solids.push_back(s.motion.at(out.time));
        return out;
    }
    void set_walls(Separation separation, const std::string&) override {
        simulation_.set_separation(separation == Separation::Cell);
    }
    void shake() override { shake_.start(simulation_.water().time()); }

private:
    /// What somebody in the tilted and shaken container feels (liquid/touch.h).
    void carry() {
        const Mat<3> turned = rotation_matrix<3>(hands.tilt);
        const double swing = shake_.acceleration(simulation_.water().time() + 0.5 * dt_);
        simulation_.carry([=](const Point<3>& gravity) {
            return turned.transposed() * (gravity - Point<3>{{swing, 0, 0}});
        });
    }
    void touch() {
        const double least = 1.5 * simulation_.setup().dx;
        if (hands.pour)
            simulation_.pour(
                {hands.pour->at, hands.pour->velocity, std::max(hands.pour->radius, least)});
        if (hands.push)
            simulation_.push(
                {hands.push->at, hands.push->velocity, std::max(hands.push->radius, least)});
        if (hands.drag && std::size_t(hands.drag->body) < simulation_.bodies().size())
            simulation_.drag({hands.drag->body, hands.drag->grab, hands.drag->target});
    }

    tall::Simulation simulation_;
    std::vector<Solid<3>> motions_;
    Shake shake_;
    int steps_ = 1, done_ = 0, frame_ = 1;
    double dt_ = 0;
};

}  // namespace

std::unique_ptr<LiveRun> start_tall_run(const Scene& scene) {
    return std::make_unique<LiveTall>(scene);
}

}  // namespace slosh::view
