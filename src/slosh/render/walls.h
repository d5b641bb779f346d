// Water against walls. A surface made from particles is bumpy where it touches a wall, and now a
// hair in front of the wall, now behind it. Behind real glass there are no such bumps. So the water
// is laid flat against walls: vertices that touch one move to a small gap in front of it, and
// normals there are the wall's.
#pragma once

#include <vector>

#include "slosh/render/stage.h"
#include "slosh/shape/motion.h"
#include "slosh/shape/shape.h"

namespace slosh {

/// Unit gradient of a distance by differences over h metres.
Point<3> slope(const Shape<3>& shape, const Point<3>& x, double h);

class Walls {
public:
    /// The sides of the domain are walls. `contact` (m) is how near to a wall water touches it.
    Walls(const Stage& stage, const Box<3>& domain, double contact)
        : stage_(stage), domain_(domain), contact_(contact) {}
    /// A solid; its shape must outlive this. `step` (m) as in slope().
    void add(const Shape<3>* shape, const Transform<3>& transform, double step) {
        solids_.push_back({shape, transform, step});
    }

    /// Lays vertices x (stage coordinates) with outward normals n against the walls.
    void settle(std::vector<Vec3>& x, const std::vector<Vec3>& n) const;
    /// The normal n of the water's surface at p, or the wall's where it touches one.
    Vec3 normal(const Vec3& p, Vec3 n) const;

private:
    struct Solid {
        const Shape<3>* shape;
        Transform<3> transform;
        double step;
    };
    bool is_near(double distance) const;
    /// Calls body(distance in m, unit vector in the world from the wall into the open) for every
    /// wall near world point x; the body may move x.
    template <class Body>
    void each_wall_near(Point<3>& x, const Body& body) const;

    Stage stage_;
    Box<3> domain_;
    double contact_;
    std::vector<Solid> solids_;
};

}  // namespace slosh
