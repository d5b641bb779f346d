// What Contact keeps (internal to contact_*.cpp).
#pragma once

#include "slosh/rigid/contact.h"

namespace slosh {

template <int D>
struct Contact<D>::Impl {
    explicit Impl(const std::vector<Body<D>>& list) : bodies(list) {}
    std::vector<Body<D>> bodies;
    std::vector<std::vector<Point<D>>> points;  ///< On each surface, from the centre of mass.
    std::vector<double> reach;                  ///< Of the farthest of them. m
    std::vector<Box<D>> bounds;                 ///< Of each shape, in its own frame.
    std::vector<Box<D>> around;                 ///< The same from the centre of mass.
};

}  // namespace slosh
