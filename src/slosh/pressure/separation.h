// Which pressures must not be negative: the set S of cells whose liquid may leave a wall.
#pragma once

#include "slosh/linear/cut_edge.h"
#include "slosh/pressure/assemble.h"

namespace slosh {

/// Where liquid lets go of walls.
enum class Separation {
    Off,   ///< Nowhere: walls are sticky, the pressure solve is linear.
    Cell,  ///< In liquid cells touched by solid (some face less than fully open) [fast LCP ch. 4].
    Node,  ///< In liquid cells whose centre is solid [projected multigrid sec. 3.1].
    Edge,  ///< Where the line between two cells' centres crosses the wall [the same].
};

/// Marks S (1; 0 elsewhere) among the unknowns of `system`. A wall along grid faces has no unknowns
/// behind it: there the pressure at the wall is that of the liquid cell before it, which so belongs
/// to S for Node and Edge too. The rest of Edge is find_cut_edges().
template <int D>
void mark_constrained(const BlockSystem<D>& system, const SolidFields<D>& solid,
                      Separation separation, Field<std::uint8_t, D>& constrained);

/// For Edge: the edges between unknowns on whose line the wall lies.
template <int D>
std::vector<CutEdge> find_cut_edges(const BlockSystem<D>& system, const SolidFields<D>& solid);

/// Puts right the velocity of faces whose edge is cut, after subtract_gradient(): there the liquid
/// side's pressure falls to zero at the wall.
template <int D>
void subtract_cut_gradient(const std::vector<CutEdge>& edges,
                           const std::vector<std::uint8_t>& released, const Field<double, D>& q,
                           FaceField<float, D>& u);

}  // namespace slosh
