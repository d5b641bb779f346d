// A simulation's state on disk, restored bit for bit.
//
// The file is a header (magic, version, what is inside, a checksum of the header itself), the
// states of the bodies, and the particle arrays, packed as codec.h says. Everything is
// little-endian.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "slosh/liquid/simulation.h"

namespace slosh {

/// What a checkpoint says of itself.
struct CheckpointInfo {
    int dim = 0;
    int frame = 0;            ///< The frame whose state this is; 1 is the initial state.
    double time = 0;          ///< s
    std::uint64_t steps = 0;  ///< Substeps taken.
    std::uint64_t particles = 0;
    bool affine = false;  ///< Whether the particles carry APIC matrices.
    bool gas = false;     ///< Whether they carry smoke and temperature.
    std::uint64_t scene_hash = 0;
    std::size_t bytes = 0;  ///< Of the file.
};

/// Writes a checkpoint; it appears whole or not at all. Returns its bytes.
template <int D>
std::size_t save_checkpoint(const std::string& path, const LiquidState<D>& state, int frame,
                            std::uint64_t scene_hash);

/// Reads the whole file and checks every checksum. InputError if anything is wrong.
CheckpointInfo check_checkpoint(const std::string& path);

/// The state as it was saved. InputError if the file is damaged or of another dimension.
template <int D>
LiquidState<D> load_checkpoint(const std::string& path, CheckpointInfo* info = nullptr);

}  // namespace slosh
