// Tall-cell water with what drives it over time: inflows, wave makers, changing gravity.
#pragma once

#include <functional>
#include <memory>

#include "slosh/surface/maps.h"
#include "slosh/surface/mesh.h"
#include "slosh/tall/bodies.h"
#include "slosh/tall/setup.h"

namespace slosh::tall {

class Simulation {
public:
    explicit Simulation(Setup setup);
    Simulation(Simulation&&) = delete;  // the water asks it for the bodies

    const Setup& setup() const { return setup_; }
    const Water& water() const { return *water_; }

    /// One step, driven by what the setup says of the time it starts at, and by what was asked
    /// since the last one. Bodies move first, then the water around them.
    WaterReport step(double dt);

    // What a hand does (touch.h). Pouring and dragging last for the next step.
    void pour(const Pour& how) { pours_.push_back(how); }
    void push(const Push& how);
    void raise(const Raise& how);
    /// Turns gravity into what is felt in a container that leans or is shaken. Tall cells stand
    /// upright: of its downward part at least a third stays.
    void carry(std::function<Point<3>(const Point<3>& gravity)> felt) {
        carried_ = std::move(felt);
    }
    void drag(const Drag& how);
    void set_separation(bool on) { water_->set_separation(on); }
    void hurl(const Throw& how) { bodies_->hurl(how); }
    int add_body(const Body<3>& body) { return bodies_->add(body); }

    const FloatingBodies& bodies() const { return *bodies_; }
    const Spray& spray() const {
        return spray_;
    }  ///< Positions are in the domain: add setup().lower.

    /// The closed surface of the water, cut at the sides and under the ground, in world
    /// coordinates.
    SurfaceMesh surface() const { return surface_later()(); }
    /// Makes that surface as the water is now; may be called while the simulation goes on.
    std::function<SurfaceMesh()> surface_later() const;
    /// Foam, wetness and ripples, as they are now.
    SurfaceMaps maps() const;

private:
    void run_events(double t, double dt);
    Terrain lay_ground();

    Setup setup_;
    std::vector<float> ground_;  ///< Over the domain's floor, at each column. Cells
    std::unique_ptr<Water> water_;
    std::unique_ptr<FloatingBodies> bodies_;
    Spray spray_;
    WaveTexture ripples_;
    std::vector<Pour> pours_;
    std::vector<Drag> drags_;
    std::function<Point<3>(const Point<3>&)> carried_;
    mutable std::shared_ptr<Velocity> shown_velocity_;  // room of surface_later()
};

/// The ground of a setup as a mesh: its upper side, and skirts down to the domain's floor.
SurfaceMesh ground_mesh(const Setup& setup);

}  // namespace slosh::tall
