// Tall-cell water with what drives it over time: inflows, wave makers, changing gravity.
#pragma once

#include <memory>

#include "slosh/surface/mesh.h"
#include "slosh/tall/setup.h"

namespace slosh::tall {

class Simulation {
public:
    explicit Simulation(Setup setup);

    const Setup& setup() const { return setup_; }
    const Water& water() const { return *water_; }

    /// One step, driven by what the setup says of the time it starts at.
    WaterReport step(double dt);

    /// The closed surface of the water, cut at the ground and at the sides, in world coordinates.
    SurfaceMesh surface() const;

private:
    Setup setup_;
    std::unique_ptr<Water> water_;
};

/// The ground of a setup as a mesh: its upper side, and skirts down to the domain's floor.
SurfaceMesh ground_mesh(const Setup& setup);

}  // namespace slosh::tall
