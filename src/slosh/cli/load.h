// A scene with the flags that `run` and `check` share laid over it.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "slosh/scene/load.h"

namespace slosh::cli {

/// --resolution and --frames are short for --set resolution=N and --set frames=N, and win.
Scene load_with_flags(const std::string& name, std::vector<std::string> set,
                      std::optional<int> frames, std::optional<int> resolution);

}  // namespace slosh::cli
