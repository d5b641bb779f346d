// What a scene will need, before anything runs: `slosh check`.
//
// Shapes are sampled on a coarse grid, so counts are good to a few per cent and the guess of time
// to a factor of two or so.
#pragma once

#include <string>
#include <vector>

#include "slosh/scene/scene.h"

namespace slosh {

/// Costs on our kind of machine (2 cores of a Xeon), by `slosh run --no-video` of sphere and
/// dambreak_box at 32 and 64 (40 frames), fountain at 32 and 48, circle at 64 and 128, wall_splash
/// at 128 (60 frames): particles, blocks and CPU seconds from stats.jsonl, memory and all CPU
/// seconds from `time`, disk from `du`. The machine was busy, so half the CPU time of 2 threads
/// stands for the clock's. Against these runs the estimate is good to a factor of 1.8 for time, 1.2
/// for memory and 1.3 for disk, or 1.6 where a splash makes most of the surface (wall_splash,
/// dambreak_box at 64).
struct CostTable {
    double ns_per_particle = 200;  ///< CPU time a substep: transfer, move, sort, level set.
    double ns_per_cell = 270;      ///< CPU time a substep and cell in blocks: pressure, the rest.
    double seconds_per_frame = 0.004;  ///< Wall time for meshing and writing.
    double mean_spread = 1.4;          ///< Blocks over a run against those at the start: mean ...
    double peak_spread = 1.6;          ///< ... and peak.
    double bytes_per_particle = 140;   ///< State, and the copy that sorting makes.
    double bytes_per_cell = 235;       ///< Fields and multigrid, per cell in blocks.
    double base_bytes = 44e6;          ///< The program itself.
    double bytes_per_surface_cell = 200;  ///< Surface files and ParaView's: 95 and 105.
    double bytes_per_stats_line = 1350;
    double ns_per_tall_cell = 200;     ///< CPU time a step of tall-cell water, per stored cell.
    double bytes_per_tall_cell = 260;  ///< Its fields and multigrid.
    double packed = 0.8;               ///< Size of a checkpoint against its raw particles.
};

struct SceneEstimate {
    double dx = 0;   ///< m
    Index<3> cells;  ///< Of the domain.
    double domain_cells = 0;
    double volume = 0;                ///< Liquid at the start. m^3 (2D: m^2)
    double liquid_cells = 0;          ///< At the start.
    double blocks = 0;                ///< Of the grid of the first step.
    double particles = 0;             ///< At the start.
    double peak_particles = 0;        ///< With what inflows add, as far as the domain holds it.
    double memory_bytes = 0;          ///< At the peak.
    double disk_bytes_per_frame = 0;  ///< Checkpoints left out.
    double checkpoint_bytes = 0;      ///< Each.
    double disk_bytes = 0;            ///< Whole run, with the two checkpoints that are kept.
    double substeps_per_frame = 0;
    double seconds_per_frame = 0;       ///< Wall time, mean over the run.
    double seconds = 0;                 ///< Whole run.
    std::vector<std::string> warnings;  ///< One line each: what, where, what to do.
};

/// `threads` 0: as many as loops use now.
SceneEstimate estimate_scene(const Scene& scene, int threads = 0, const CostTable& costs = {});

}  // namespace slosh
