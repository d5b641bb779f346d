// A cache directory, written by one run at a time, whole after a stop at any moment.
//
//     scene.json  manifest.json  stats.jsonl  slosh.pvd
//     surface/surface.0001.ply   particles/particles.0001.ply|.vdb   volumes/volumes.0001.vdb
//     paraview/surface.0001.vtp  checkpoints/checkpoint.0001.ckpt  bodies/bodies.0001.json
//     maps/maps.0001.pfm
//
// Frame 1 is the initial state; frame f shows the time (f - 1) / fps.
//
// The order of operations, each atomic by itself (atomic_file.h) but for the append:
//
//     start     make the directory, lock it, remove temporaries, manifest.json (no frames),
//               scene.json
//     a frame   append stats.jsonl; the data files; manifest.json; slosh.pvd; the checkpoint;
//               remove checkpoints that are no longer needed
//     resume    lock, remove temporaries, find the newest whole checkpoint, of frame c; then take
//               back what is newer: stats lines after frame c, manifest.json and slosh.pvd to
//               frame c, data files and checkpoints after c
//     end       remove the lock
//
// Why a stop between any two of these is harmless: the checkpoint of frame c comes after all that
// belongs to frame c, and is only removed after a newer one is in place. So on resume the newest
// whole checkpoint vouches for everything up to its frame, and everything newer is taken back and
// written again from the same state, with the same bytes. All steps of resume may be repeated.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <string>

#include "slosh/cache/checkpoint.h"
#include "slosh/cache/lock.h"
#include "slosh/cache/manifest.h"
#include "slosh/liquid/simulation.h"

namespace slosh {

struct CheckpointPolicy {
    int every = 1;       ///< Frames from one checkpoint to the next, counted from frame 1. >= 1.
    int last_frame = 0;  ///< This frame gets one too, so that the run can be extended.
};

class RunDirectory {
public:
    /// Starts a run in a directory that is new or holds nothing of a run. InputError otherwise,
    /// saying how to go on. `about` names scene, hash, fps and grid; `scene_json` is the resolved
    /// scene, stored as it is.
    static RunDirectory open_new(const std::string& directory, const Manifest& about,
                                 const std::string& scene_json,
                                 const CheckpointPolicy& policy = {});

    /// Goes on with a run of the same scene (by hash), from its newest whole checkpoint. A run that
    /// had not got as far as a checkpoint, or a directory that is not there, starts anew.
    /// InputError if the scene has changed, or the checkpoints of a longer run are lost.
    static RunDirectory open_resume(const std::string& directory, const Manifest& about,
                                    const std::string& scene_json,
                                    const CheckpointPolicy& policy = {});

    const std::string& path() const { return path_; }
    const Manifest& manifest() const { return manifest_; }

    /// The last frame that is complete; 0 if there is none and the run is to start with frame 1.
    int done() const { return manifest_.frames; }
    /// State of frame done(), which must not be 0.
    template <int D>
    LiquidState<D> load_state() const;

    /// Keeps a line of stats.jsonl until the frame it leads to is written.
    void add_stats(const StepReport& report, int frame, std::size_t substep);

    // The steps of a frame, in this order; write_frame (frame_writer.h) calls them.
    void write_stats();
    /// Path for a data file of a frame, "<folder>/<stem>.NNNN.<extension>", its folder made.
    std::string data_file(int frame, const std::string& folder, const std::string& stem,
                          const std::string& extension);
    /// Says in manifest.json and slosh.pvd that frame `frame` is complete.
    void publish(int frame);
    bool checkpoint_due(int frame) const;
    template <int D>
    std::size_t write_checkpoint(int frame, const LiquidState<D>& state);

private:
    RunDirectory() = default;
    void start(const std::string& directory, const Manifest& about, const std::string& scene_json,
               const CheckpointPolicy& policy);
    int newest_checkpoint() const;
    void take_back_after(int frame);
    void write_index();
    void prune_checkpoints(int newest);
    std::string checkpoint_file(int frame) const;
    std::map<std::string, std::set<int>> scan() const;

    std::string path_;
    std::unique_ptr<DirectoryLock> lock_;
    Manifest manifest_;
    CheckpointPolicy policy_;
    std::string stats_;                           // lines not yet written
    std::map<std::string, std::set<int>> files_;  // frames on disk, by pattern
};

/// Frames that have a checkpoint in a cache directory, whole or not, in ascending order.
std::set<int> checkpoint_frames(const std::string& directory);

/// File of a checkpoint in a cache directory.
std::string checkpoint_path(const std::string& directory, int frame);

}  // namespace slosh
