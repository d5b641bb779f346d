// Scenes back into text, and their hash.
#include <fmt/format.h>

#include <cmath>

#include "slosh/base/hash.h"
#include "slosh/scene/scene.h"
#include "slosh/scene/tables.h"

namespace slosh {

double Scene::dx() const {
    double longest = 0;
    for (int d = 0; d < dim; ++d) longest = std::max(longest, size[d]);
    return longest / resolution;
}

Index<3> Scene::cells() const {
    Index<3> n{{1, 1, 1}};
    // The small slack keeps 0.3/0.1 from becoming 4 cells by round-off.
    for (int d = 0; d < dim; ++d)
        n[d] = std::max(1, static_cast<int>(std::ceil(size[d] / dx() - 1e-6)));
    return n;
}

std::uint64_t scene_hash(const Scene& scene) {
    return hash_bytes(write_json_compact(scene_table().write(scene, {scene.dim, true})));
}

std::string resolved_json(const Scene& scene) {
    const Json keys = scene_table().write(scene, {scene.dim, false});
    Json j = Json::object();
    j.set("version", 1);
    j.set("hash", fmt::format("{:016x}", scene_hash(scene)));
    for (const Json::Member& m : keys.members)
        if (!(scene.gas && m.key == "liquid")) j.set(m.key, m.value);
    return write_json(j);
}

}  // namespace slosh
