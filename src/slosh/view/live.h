// A simulation that goes on while somebody watches and touches it.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "slosh/liquid/simulation.h"
#include "slosh/scene/scene.h"
#include "slosh/view/frame.h"

namespace slosh::view {

/// What hands do at the moment, in world coordinates (m, m/s); in 2D z does not count.
struct Hands {
    struct Drag {
        int body = 0;
        Point<3> grab;  ///< In the frame of the body's shape.
        Point<3> target;
    };
    struct Jet {
        Point<3> at, velocity;
        double radius = 0;
    };
    std::optional<Drag> drag;
    std::optional<Jet> pour, push;
    Point<3> tilt;  ///< Of the container, a rotation vector. degrees
};

/// A container that swings to and fro for a moment.
class Shake {
public:
    /// As wide as suits a container of this size under this gravity (m, m/s^2).
    Shake(double size, double gravity);
    void start(double time) { start_ = time; }
    double shift(double time) const;         ///< m
    double acceleration(double time) const;  ///< m/s^2

private:
    double width_, pace_, start_ = -1e30;
};

class LiveRun {
public:
    virtual ~LiveRun() = default;

    /// One frame further. `between` is called before each step and may change `hands`; if it says
    /// false the frame is left as far as it got, and this returns false.
    virtual bool advance(const std::function<bool()>& between, std::vector<StepReport>& steps) = 0;
    virtual ShownFrame shown(bool points) const = 0;

    /// Where liquid may let go, and by which solver, from the next step on. The pair must be one
    /// that scenes allow.
    virtual void set_walls(Separation separation, const std::string& solver) = 0;
    virtual void shake() = 0;

    Hands hands;
};

/// The run that a scene describes, at its start.
std::unique_ptr<LiveRun> start_live_run(const Scene& scene);
/// What hands can do in a scene: "drag", "pour", "push", "tilt" (and shake).
std::vector<std::string> tools_of(const Scene& scene);

/// Particles are shown up to this number; of more, an even choice.
constexpr std::size_t kMostPoints = 60000;
/// Whether the particle `id`, one of `count`, belongs to the choice: always or never.
inline bool shows_particle(std::uint32_t id, std::size_t count) {
    return double(id * 2654435761u) * double(count) < double(kMostPoints) * 4294967296.0;
}

/// A motion in the plane as one in space.
template <int D>
Transform<3> in_space(const Transform<D>& t) {
    Transform<3> r;
    for (int i = 0; i < D; ++i) {
        r.translation[i] = t.translation[i];
        for (int j = 0; j < D; ++j) r.rotation.row[i][j] = t.rotation.row[i][j];
    }
    return r;
}

}  // namespace slosh::view
