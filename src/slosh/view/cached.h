// The frames of a run's directory, read when they are asked for.
#pragma once

#include <string>

#include "slosh/cache/manifest.h"
#include "slosh/render/preview_scene.h"
#include "slosh/scene/scene.h"
#include "slosh/view/frame.h"

namespace slosh::view {

class CachedRun {
public:
    /// InputError if it is not a run's directory.
    explicit CachedRun(std::string directory);

    const Scene& scene() const { return scene_; }
    /// Frames 1 to this are there; looks again now and then, since a run may be under way.
    int frames() const;
    /// InputError if a file is missing.
    ShownFrame frame(int number, bool points) const;

private:
    std::string file(const char* folder, int number, const char* extension) const;
    std::string directory_;
    Scene scene_;
    PreviewScene preview_;
    mutable int frames_ = 0;
    mutable double looked_ = 0;  // wall clock, s
};

}  // namespace slosh::view
