// Carries what is known in the liquid outwards: the level set into solids, the velocity into air
// and solids.
#pragma once

#include <cstdint>
#include <vector>

#include "slosh/grid/field.h"

namespace slosh {

/// How far inside solids velocities are read, in cells: particles stay out of solids, so
/// interpolation reaches one cell into them; one more for slopes, and one to spare.
constexpr float kDeepestRead = 3;

/// Continues phi into cells whose centre is solid, `layers` cells deep, so that no air exists
/// inside walls [projected multigrid sec. 3.2]. The surface goes on straight: a cell takes the
/// linear continuation from known cells on the outward side of the wall. A solid-centred cell that
/// touches liquid and no air is liquid whatever the continuation says.
/// `solid` is the solid's distance at cell centres in cells, negative inside.
template <int D>
void extend_into_solids(Field<float, D>& phi, const Field<float, D>& solid, int layers = 2);

/// Spreads u outwards from the faces that `known` marks (1; 0 elsewhere) by `layers` layers: a face
/// gets the mean of its known neighbours of the layer before, and is marked. Given the solids'
/// distance at nodes in cells, faces further inside than kDeepestRead get none.
template <int D>
void extend_velocity(FaceField<float, D>& u, FaceField<std::uint8_t, D>& known, int layers,
                     const Field<float, D>* solid = nullptr);

/// At faces inside solids (open == 0), up to two cells deep at least, removes from u the part of u
/// - u_solid along the solid's normal; with `only_inward`, only motion into the solid, except at
/// the lower faces of the cells that `sticky` marks. `solid` is the solid's distance at nodes in
/// cells, negative inside; `open` the faces' open fractions; `solid_velocity` null means zero.
/// `kinds` (may be null) is 0 for blocks without a face inside a solid.
template <int D>
void constrain_velocity(FaceField<float, D>& u, const Field<float, D>& solid,
                        const FaceField<float, D>& open, const FaceField<float, D>* solid_velocity,
                        bool only_inward, const Field<std::uint8_t, D>* sticky = nullptr,
                        const std::vector<std::uint8_t>* kinds = nullptr);

}  // namespace slosh
