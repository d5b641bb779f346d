// Where the velocity that is carried into solids must not lead away from them.
#pragma once

#include "slosh/liquid/setup.h"
#include "slosh/shape/solid_field.h"

namespace slosh {

/// How liquid lets go of walls, if it does of any.
template <int D>
Separation separation_of(const LiquidSetup<D>& setup);

/// Where the scene's solids and bodies differ (Solid::walls), marks the cells whose nearest solid
/// is a sticky one; an empty field otherwise. `placed` are the scene's bodies.
template <int D>
Field<std::uint8_t, D> mark_sticky_solids(const LiquidSetup<D>& setup, const SolidGrid<D>& solids,
                                          double time, const std::vector<PlacedBody<D>>& placed,
                                          const SolidFields<D>& fields);

/// Adds the cells where liquid is pressed against its wall: those within two cells of a constrained
/// cell that is not active, but not of an active one. There the wall's normal velocity is known
/// to be that of the liquid; everywhere else liquid may be leaving. (Were outward motion left alone
/// at every wall, noise would only ever lead away from walls, and liquid at rest would swell.)
template <int D>
void mark_pressed(const Field<std::uint8_t, D>& constrained, const Field<std::uint8_t, D>& active,
                  const SolidFields<D>& fields, Field<std::uint8_t, D>& sticky);

}  // namespace slosh
