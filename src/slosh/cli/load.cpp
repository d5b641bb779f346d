#include "slosh/cli/load.h"

namespace slosh::cli {

Scene load_with_flags(const std::string& name, std::vector<std::string> set,
                      std::optional<int> frames, std::optional<int> resolution) {
    if (resolution) set.push_back("resolution=" + std::to_string(*resolution));
    if (frames) set.push_back("frames=" + std::to_string(*frames));
    return load_scene(name, set);
}

}  // namespace slosh::cli
