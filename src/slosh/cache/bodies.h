// Bodies of a frame on disk: bodies/bodies.NNNN.json.
//
//     {"time": 0.1, "bodies": [{"rotation": [[..], ..], "translation": [..],
//                               "position": [..], "velocity": [..], "spin": [..]}, ..]}
//
// in the scene's order. A point x of a body's mesh (bodies/body_N.ply, N from 0, written once: the
// body at the start) is at rotation x + translation; `position` and `velocity` are the centre of
// mass'.
#pragma once

#include <string>
#include <vector>

#include "slosh/liquid/simulation.h"

namespace slosh {

/// Returns the bytes written. The file appears whole or not at all.
template <int D>
std::size_t write_bodies(const std::string& path, double time,
                         const std::vector<Transform<D>>& placements,
                         const std::vector<BodyState<D>>& states);

/// Where the bodies' shapes are. InputError if the file is not what write_bodies() makes.
template <int D>
std::vector<Transform<D>> read_bodies(const std::string& path);

}  // namespace slosh
