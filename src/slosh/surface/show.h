// A level set made to be looked at: smoother than the simulation's own, finer if wished, and cut
// cleanly at container walls.
//
// The moments behind level_set.h are evaluated with a wider kernel and between cell centres; then
// noise that sampling leaves is smoothed away where the liquid is thick, and not where it is a drop
// or a sheet, which smoothing would eat; last the solids are cut out.
#pragma once

#include "slosh/grid/field.h"
#include "slosh/grid/geometry.h"
#include "slosh/particles/particles.h"

namespace slosh {

struct ShowOptions {
    int refine = 2;              ///< Cells of the result per grid cell and axis: 1 or 2.
    int particles_per_cell = 8;  ///< Of liquid at rest. 8 in 3D, 4 in 2D by default seeding.
    int smoothing = 8;  ///< Passes at refine 2; a quarter at 1. More: calmer, rounder. >= 0.
    float drop = 0.5f;  ///< Radius of a lone particle's ball, if the grid can show it. Grid cells.
    /// How far liquid reaches into solids. Grid cells. A small gap, as here, keeps a renderer from
    /// meeting two surfaces in one place.
    float overlap = -0.08f;
};

/// The grid that show_level_set's result lives on.
template <int D>
GridGeometry<D> shown_grid(const GridGeometry<D>& grid, const ShowOptions& options) {
    GridGeometry<D> g = grid;
    g.dx /= options.refine;
    g.cells = g.cells * options.refine;
    return g;
}

/// phi at the centres of the shown grid's cells, in its cells, negative inside; its own topology.
/// `solid` (or null) is the solid's distance at the simulation grid's nodes, in grid cells, on a
/// topology that should hold the particles' blocks and their neighbours.
template <int D>
Field<float, D> show_level_set(const Particles<D>& particles, const ParticleBlocks<D>& blocks,
                               const ShowOptions& options, const Field<float, D>* solid = nullptr);

}  // namespace slosh
