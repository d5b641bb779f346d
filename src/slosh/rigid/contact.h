// Contact: where bodies touch each other and the scene, and what that does to their velocities.
//
// *Finding.* The surface of each body is sampled by points. A point that lies inside, or within a
// margin of, another body or a wall, by that one's distance, is a contact; its normal is the
// distance's gradient. So every shape that has a distance can touch every other, convex or not, and
// nothing has to be known of the scene's walls but their distance. Points that touch with nearly
// the same normal are thinned to the few that span them.
//
// *Solving.* Bullet's sequential impulses, with Coulomb friction and restitution. Penetration is
// undone by moving bodies apart, which gives them no speed. Bullet's own memory of contacts is not
// used: a step depends on the states alone, so that a run can be cut and go on with the same bits.
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "slosh/rigid/body.h"

namespace slosh {

/// The scene without its bodies, for contact.
template <int D>
struct ContactScene {
    std::function<double(const Point<D>&)> distance;    ///< m; negative inside solids.
    std::function<Point<D>(const Point<D>&)> velocity;  ///< Of the nearest solid. m/s
};

template <int D>
struct ContactPoint {
    int body, other;  ///< `other` is -1 for the scene.
    Point<D> x;       ///< On the surface of `other`'s opponent, world. m
    Point<D> normal;  ///< Unit, from `other` towards `body`.
    double gap = 0;   ///< Distance left; negative where they overlap. m
};

/// Points on a shape's surface at most about `spacing` apart, corners and edges among them.
template <int D>
std::vector<Point<D>> surface_points(const Shape<D>& shape, double spacing);

template <int D>
class Contact {
public:
    /// `points`: along the longest side of each body.
    explicit Contact(const std::vector<Body<D>>& bodies, int points = D == 2 ? 32 : 12);
    ~Contact();

    /// Points of contact within `margin` metres.
    std::vector<ContactPoint<D>> find(const std::vector<BodyState<D>>& states,
                                      const ContactScene<D>& scene, double margin) const;

    /// Changes velocities (and, if `separate`, positions, by what undoes overlap) so that nothing
    /// that touches closes further over dt. Returns the number of contact points.
    std::size_t solve(const ContactScene<D>& scene, double dt, bool separate,
                      std::vector<BodyState<D>>& states) const;

private:
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

extern template class Contact<2>;
extern template class Contact<3>;

}  // namespace slosh
