// An edge between two unknowns that a wall crosses, where it may be cut.
#pragma once

#include <vector>

namespace slosh {

/// The lower face of a cell along an axis joins it to its lower neighbour; the wall crosses the
/// line between the two centres.
struct CutEdge {
    int block, offset, axis;
    bool liquid_below;  ///< Whether the lower of the two cells is the one outside the solid.
    float theta;        ///< Share of the way from the liquid cell's centre to the wall. (0, 1).
};

}  // namespace slosh
