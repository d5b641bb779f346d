// What a scene will need, before anything runs: `slosh check`.
//
// Shapes are sampled on a coarse grid, so counts are good to a few per cent and the guess of time
// to a factor of two or so.
#pragma once

#include <string>
#include <vector>

#include "slosh/scene/scene.h"

namespace slosh {

/// Costs measured on our kind of machine (2 cores of a Xeon); a table to be calibrated.
struct CostTable {
    double ns_per_particle = 150;  ///< CPU time a substep: transfer, move, sort, level set.
    double ns_per_cell = 300;   ///< CPU time a substep and cell in blocks: pressure and the rest.
    double ms_per_substep = 2;  ///< Wall time a substep that does not depend on the size.
    double bytes_per_particle = 140;  ///< State, and the copy that sorting makes.
    double bytes_per_cell = 160;      ///< Fields and multigrid, per cell in blocks.
    double base_bytes = 40e6;         ///< The program itself.
};

struct SceneEstimate {
    double dx = 0;   ///< m
    Index<3> cells;  ///< Of the domain.
    double domain_cells = 0;
    double volume = 0;                ///< Liquid at the start. m^3 (2D: m^2)
    double liquid_cells = 0;          ///< At the start.
    double blocks = 0;                ///< At the start.
    double particles = 0;             ///< At the start.
    double peak_particles = 0;        ///< With what inflows add, as far as the domain holds it.
    double memory_bytes = 0;          ///< At the peak.
    double disk_bytes_per_frame = 0;  ///< Checkpoints left out.
    double checkpoint_bytes = 0;      ///< Each.
    double disk_bytes = 0;            ///< Whole run; checkpoints replace each other.
    double substeps_per_frame = 0;
    double seconds_per_frame = 0;       ///< Wall time, mean over the run.
    double seconds = 0;                 ///< Whole run.
    std::vector<std::string> warnings;  ///< One line each: what, where, what to do.
};

/// `threads` 0: as many as loops use now.
SceneEstimate estimate_scene(const Scene& scene, int threads = 0, const CostTable& costs = {});

}  // namespace slosh
