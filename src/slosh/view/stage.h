// What is sent of a scene once: its solids and bodies, where to look from, and what can be set.
#pragma once

#include <string>
#include <vector>

#include "slosh/scene/scene.h"

namespace slosh::view {

/// A box around the domain with room for splashes: what positions of frames are measured in.
Box<3> room_of(const Scene& scene);

struct StageOptions {
    int run = 0;                     ///< Frames of the same number belong to it.
    bool live = true;                ///< Computed while it is watched.
    std::vector<std::string> sides;  ///< What each side of the view shows, in a word or two.
    std::vector<std::string> tools;  ///< See tools_of().
};
/// The bytes that describe `scene` (frame.h).
std::string encode_stage(const Scene& scene, const StageOptions& options);

/// Keys that a viewer may set, as a JSON list: path, unit, meaning, range (in the words of the JSON
/// Schema) and value, all from the tables that scene files are read by.
std::string parameters_json(const Scene& scene);
/// Whether `path` is one of them.
bool is_parameter(const Scene& scene, const std::string& path);

/// The built-in scenes, as a JSON list.
std::string scenes_json();

}  // namespace slosh::view
