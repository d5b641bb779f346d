// Mass properties of a shape, by adding up the cells of a fine grid over its bounds; where no
// surface runs, many cells at once.
//
// A cell counts by the volume that lies inside, from distances at its corners as the pressure solve
// has it (shape/fractions.h). The error of that falls with the square of the cell size, so two
// grids, one twice as fine as the other, are combined to remove it.
#pragma once

#include "slosh/rigid/body.h"

namespace slosh {

struct MassOptions {
    int cells = 48;  ///< Of the coarser grid, along the longest side of the bounds.
};

/// Properties at a uniform density (kg/m^3). InputError if the shape is unbounded or holds nothing.
template <int D>
MassProperties<D> mass_properties(const Shape<D>& shape, double density,
                                  const MassOptions& options = {});

/// A body of uniform density (kg/m^3), where its shape is, at rest.
template <int D>
Body<D> body_of(ShapePtr<D> shape, double density) {
    Body<D> body;
    body.shape = std::move(shape);
    body.mass = mass_properties(*body.shape, density);
    body.start.position = body.mass.centre;
    return body;
}

}  // namespace slosh
