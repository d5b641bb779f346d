// A video of frames that were shown, made by the renderer.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "slosh/scene/scene.h"
#include "slosh/view/server.h"

namespace slosh::view {

/// The bytes of an MP4 of `frames` (frame.h) of `scene`, small and quick as the preview of a run.
/// `progress` is told how many frames are done; if it says false, this stops and returns nothing.
/// ResourceError without ffmpeg or disk.
std::string make_film(const Scene& scene, const std::vector<MessagePtr>& frames,
                      const std::function<bool(int done)>& progress);

}  // namespace slosh::view
