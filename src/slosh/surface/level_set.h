// The liquid's level set from its particles, at cell centres, in cells, negative inside.
//
// As in [Zhu and Bridson 2005] phi measures how far a point is from the weighted mean of the
// particles around it; we turn that distance into a height over the surface by the profile of a
// flat half space (moments.h) instead of subtracting a radius. A flat surface so comes out at its
// place with slope one, holes between particles close by themselves, and a lone particle is a
// small ball.
//
// Near solids the particles end at the wall as if the liquid did. There the mean of the particles
// is compared with the mean of the kernel's open part, so that a wall is not taken for a surface
// and a surface keeps its direction up to the wall.
#pragma once

#include "slosh/grid/field.h"
#include "slosh/particles/particles.h"

namespace slosh {

struct LevelSetOptions {
    int particles_per_cell = 8;  ///< Of liquid at rest. 8 in 3D, 4 in 2D by default seeding.
    float thin = 0.4f;  ///< Radius of a lone particle's ball; more particles, up to its own. Cells.
    float tap = 0.5f;   ///< Kernel one cell off, of its peak. [0.1, 0.5]; larger is smoother.
    float far = 3;      ///< Value (negative inside) where nothing is near. Cells.
    float drop = 0.3f;  ///< Depth of the cell of a particle that no liquid is next to. Cells.
};

/// Fills phi. Its topology must hold every block of `blocks` and all neighbours of those.
/// `solid` (or null) is the solid's distance at cell centres in cells, negative inside, on the same
/// topology.
template <int D>
void level_set_from_particles(const Particles<D>& particles, const ParticleBlocks<D>& blocks,
                              const LevelSetOptions& options, const Field<float, D>* solid,
                              Field<float, D>& phi);
template <int D>
void level_set_from_particles(const Particles<D>& particles, const ParticleBlocks<D>& blocks,
                              const LevelSetOptions& options, Field<float, D>& phi) {
    level_set_from_particles<D>(particles, blocks, options, nullptr, phi);
}

}  // namespace slosh
