// Rigid bodies in tall-cell water: volume of solid, after [CM11, sec. 3.9.1].
//
// Water and bodies take turns. To the water a body is a solid fraction of cells that moves. To a
// body water is lift and drag, and mass that it carries along:
//
//     lift   rho g times the volume under water, at its centre
//     drag   rho V / n * rate * (u - v) at each of n points around the body, u a cell outside
//
// Volumes are sums over points inside the body, each counting by how deep it lies in the level set
// that goes on through the body; for a flat surface that is exact, and so is the draft of a body
// at rest. The paper weighs voxels instead, which a body that turns sees change.
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "slosh/rigid/contact.h"
#include "slosh/rigid/dynamics.h"
#include "slosh/tall/touch.h"
#include "slosh/tall/water.h"

namespace slosh::tall {

struct BodyOptions {
    double density = 1000;   ///< Of the water. kg/m^3
    double drag_rate = 2.5;  ///< 1/s
    double carried = 0.5;    ///< Share of the displaced water that moves with a body.
    int substeps = 4;        ///< Of contact and motion, in a step of the water. >= 1.
    int lift_every = 2;      ///< Substeps from one look at the water to the next. >= 1.
    int contact_points = 8;  ///< That may touch, along the longest side of a body. >= 2.
};

class FloatingBodies {
public:
    FloatingBodies(std::vector<Body<3>> bodies, const BodyOptions& options = {});

    int add(const Body<3>& body);
    std::size_t size() const { return bodies_.size(); }
    const std::vector<Body<3>>& bodies() const { return bodies_; }
    const std::vector<BodyState<3>>& states() const { return states_; }
    std::vector<Transform<3>> placements() const;

    void hurl(const Throw& how);
    /// Moves all bodies over dt; `lower` is the corner of the water's domain in the world, `ground`
    /// its terrain. `drags` pull while it does.
    void step(const Water& water, const Point<3>& lower,
              const std::function<double(double, double)>& ground, const std::vector<Drag>& drags,
              double dt);

    /// Where the bodies are, in cells of a grid.
    void voxelise(const Grid& grid, const Point<3>& lower, SolidCells& cells) const;
    /// Lowest world cell of the bodies over each column, or kNoBody.
    std::vector<int> lowest_cells(const Grid& grid, const Point<3>& lower) const;

private:
    /// Points of a body, in the frame of its shape.
    struct Points {
        std::vector<Point<3>> inside, around;
        double spacing = 0;  ///< Of those inside. m
    };
    static Points points_of(const Body<3>& body);
    /// All of a body but its contact.
    void append(const Body<3>& body);
    /// What water does to a body over h seconds, and the mass of it that goes along.
    struct Lift {
        Twist<3> impulse;
        double carried = 0;  ///< kg
    };
    Lift lift(std::size_t n, const Water& water, const Point<3>& lower, double h) const;
    Twist<3> drag_impulse(const Drag& drag, double h) const;

    BodyOptions options_;
    std::vector<Body<3>> bodies_;
    std::vector<BodyState<3>> states_;
    std::vector<Points> points_;
    std::unique_ptr<Contact<3>> contact_;
    double time_ = 0;
};

}  // namespace slosh::tall
