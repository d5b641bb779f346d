// The bodies of one step: predicted, coupled to the pressure, moved.
//
// Contact is solved twice. Before the pressure, with the liquid's force of the last step: a body
// that rests on the floor then enters the pressure solve at rest, not falling, and the liquid
// around it is left in peace. After the pressure, with the force it really had: what still closes
// is stopped, and overlap is undone.
#pragma once

#include "slosh/liquid/setup.h"
#include "slosh/particles/obstacle.h"
#include "slosh/rigid/contact.h"
#include "slosh/rigid/coupling.h"

namespace slosh {

template <int D>
class StepBodies {
public:
    /// Bodies where they are at `time`, with the velocity that weight, their own forces and
    /// contact (if given) would give them over dt. The references must outlive this.
    StepBodies(const LiquidSetup<D>& setup, const std::vector<BodyState<D>>& states,
               const Point<D>& gravity, double time, double dt, const Contact<D>* contact = nullptr,
               const ContactScene<D>& scene = {});

    bool empty() const { return states_.empty(); }
    /// For the grid of the solve.
    std::vector<PlacedBody<D>> placed() const;

    /// Couples the bodies to `system`, whose matrix and right-hand side are those of the liquid
    /// between bodies of the predicted velocity.
    void couple(const std::vector<BodyFace>& faces, BlockSystem<D>& system);
    /// The bodies as the pressure q would leave them.
    std::vector<BodyState<D>> after_pressure(const Field<double, D>& q) const;
    /// Changes the twists that the pressure starts from, as they were predicted, by what viscosity
    /// does over the step.
    void push(const std::vector<Twist<D>>& change);
    /// Brings bodies of other twists than those that the grid has seen into a right-hand side.
    void renew_rhs(const std::vector<BodyState<D>>& states, BlockSystem<D>& system) const;
    /// Takes the pressure's impulse, then moves.
    void finish(const Field<double, D>& q);
    void move();

    const std::vector<BodyState<D>>& states() const { return states_; }
    /// Points that touched something.
    std::size_t contacts() const { return contacts_; }
    /// Of the liquid on each body, over the step. N s, N m s.
    const std::vector<Twist<D>>& impulses() const { return impulses_; }

private:
    const LiquidSetup<D>& setup_;
    Point<D> gravity_;
    double dt_;
    std::vector<BodyState<D>> states_;
    const Contact<D>* contact_;
    ContactScene<D> scene_;
    std::size_t contacts_ = 0;
    LowRank<D> fluxes_;
    std::vector<Twist<D>> placed_;     // twists that the grid has seen
    std::vector<Twist<D>> predicted_;  // before pressure and viscosity
    std::vector<Twist<D>> viscous_;    // impulses of the viscous stress
    std::vector<Twist<D>> impulses_;   // of pressure and viscous stress
    std::vector<Twist<D>> excess_;     // of which the fractions' error in buoyancy
};

extern template class StepBodies<2>;
extern template class StepBodies<3>;

/// All bodies as the grid sees them.
template <int D>
std::vector<PlacedBody<D>> placed_bodies(const LiquidSetup<D>& setup,
                                         const std::vector<BodyState<D>>& states);

/// The solids and closed sides that bodies meet at the end of a step.
template <int D>
ContactScene<D> contact_scene(const LiquidSetup<D>& setup, const SolidGrid<D>& solids, double time,
                              double dt);

/// A body about to touch squeezes liquid out through what is left of a face, a thousandth perhaps,
/// at thousands of metres a second: right for the pressure, which minds the flux alone, but no
/// speed for particles. Faces that are less than a quarter open go no faster than the fastest of
/// the others.
template <int D>
void limit_slits(const FaceField<float, D>& open, const FaceField<std::uint8_t, D>& known,
                 FaceField<float, D>& velocity);

/// Solids, closed sides and bodies at the end of a step as they are, for particles near bodies. The
/// references must outlive it.
template <int D>
ExactSolids<D> exact_solids(const LiquidSetup<D>& setup, const SolidGrid<D>& solids, double time,
                            const std::vector<BodyState<D>>& states);

/// Distance to the nearest body; 1e30 if there is none. m
template <int D>
double body_distance(const LiquidSetup<D>& setup, const std::vector<BodyState<D>>& states,
                     const Point<D>& world);

}  // namespace slosh
