// Writes one frame of a liquid into a cache directory.
#pragma once

#include <cstddef>

#include "slosh/cache/run_directory.h"
#include "slosh/liquid/simulation.h"

namespace slosh {

enum class ParticleFormat { None, Ply, Vdb };

/// Which files a frame has.
struct OutputChoices {
    bool surface = true;                             ///< surface/surface.NNNN.ply
    ParticleFormat particles = ParticleFormat::Ply;  ///< particles/particles.NNNN.ply or .vdb
    bool volumes = false;  ///< volumes/volumes.NNNN.vdb; a gas: with velocity.
    /// paraview/surface.NNNN.vtp (particles if there is no surface; smoke.NNNN.vti of a gas) and
    /// slosh.pvd.
    bool paraview = true;
};

/// What writing a frame took.
struct FrameReport {
    std::size_t bytes = 0;     ///< Data files and checkpoint.
    double wall = 0, cpu = 0;  ///< s
};

/// Stats, data files, manifest and .pvd, then the checkpoint if one is due or the run is
/// `stopping` after this frame. On return the frame is on disk for good. Throws ResourceError if
/// the disk is full; the directory can then still be resumed.
template <int D>
FrameReport write_frame(RunDirectory& run, int frame, const LiquidFrame<D>& shown,
                        const LiquidState<D>& state, const GridGeometry<D>& grid,
                        const OutputChoices& choices = {}, bool stopping = false);

}  // namespace slosh
