// Which pressures must not be negative: the set S of cells whose liquid may leave a wall.
#pragma once

#include "slosh/pressure/assemble.h"

namespace slosh {

/// Where liquid lets go of walls.
enum class Separation {
    Off,   ///< Nowhere: walls are sticky, the pressure solve is linear.
    Cell,  ///< In liquid cells touched by solid (some face less than fully open) [fast LCP ch. 4].
    Node,  ///< In liquid cells whose centre is solid [projected multigrid sec. 3.1].
    Edge,  ///< Where the line between two cells' centres crosses the wall [the same].
};

/// Marks S (1; 0 elsewhere) among the unknowns of `system`, for Cell and Node.
template <int D>
void mark_constrained(const BlockSystem<D>& system, const SolidFields<D>& solid,
                      Separation separation, Field<std::uint8_t, D>& constrained);

}  // namespace slosh
