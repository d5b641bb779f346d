#include <algorithm>
#include <cstdio>
#include <string>

#include "slosh/cli/commands.h"
#include "slosh/scene/load.h"

namespace slosh::cli {

int scenes(const std::string& name) {
    if (!name.empty()) {
        const std::string_view text = builtin_scene_text(name);
        std::fwrite(text.data(), 1, text.size(), stdout);
        if (text.empty() || text.back() != '\n') std::putchar('\n');
        return 0;
    }
    std::size_t width = 0;
    for (const BuiltinScene& scene : builtin_scenes()) width = std::max(width, scene.name.size());
    for (const BuiltinScene& scene : builtin_scenes()) {
        std::printf("%-*s  %dD  %s\n", int(width), scene.name.c_str(), scene.dim,
                    scene.description.c_str());
        for (const std::string& variant : scene.variants)
            std::printf("%-*s      %s:%s\n", int(width), "", scene.name.c_str(), variant.c_str());
    }
    std::printf(
        "\nslosh run NAME runs one; slosh scenes NAME prints its file, to copy and change.\n");
    return 0;
}

}  // namespace slosh::cli
