// Where cells are in space. Cell (i,j,k) has its lower corner at origin + (i,j,k) dx, its centre
// half a cell further; the face of component d sits half a cell back from the centre along d; node
// (i,j,k) is the cell's lower corner.
//
// *Grid coordinates* are (x - origin) / dx: in them cell i spans [i, i+1].
#pragma once

#include "slosh/base/vec.h"

namespace slosh {

template <int D>
struct GridGeometry {
    Point<D> origin;  ///< Lower corner of cell 0. m.
    double dx = 1;    ///< Cell size. m.
    Index<D> cells;   ///< Cells of the domain along each axis.

    Point<D> to_grid(const Point<D>& x) const { return (x - origin) / dx; }
    Point<D> to_world(const Point<D>& g) const { return origin + g * dx; }
    Point<D> node(const Index<D>& i) const { return to_world(i.template as<double>()); }
    Point<D> centre(const Index<D>& i) const {
        return to_world(i.template as<double>() + Point<D>::filled(0.5));
    }
    Point<D> face(int axis, const Index<D>& i) const {
        Point<D> g = i.template as<double>() + Point<D>::filled(0.5);
        g[axis] -= 0.5;
        return to_world(g);
    }
    Point<D> upper() const { return to_world(cells.template as<double>()); }
};

}  // namespace slosh
