// libFuzzer target: any bytes as a scene file. Only InputError may come out, its text one line; a
// scene that is accepted must write itself, read itself back alike, and give finite distances.
// Bytes after the first NUL are a --set override. The disk is never touched.
// ./test --fuzz runs it.
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "slosh/base/error.h"
#include "slosh/scene/load.h"

using namespace slosh;

namespace {

bool has_mesh(const SceneShape& shape) {
    if (shape.kind == ShapeKind::Mesh) return true;
    for (const auto* children : {&shape.shapes, &shape.minus})
        for (const SceneShape& child : *children)
            if (has_mesh(child)) return true;
    return false;
}

bool has_mesh(const Scene& scene) {
    bool any = false;
    for (const auto& x : scene.initial) any |= has_mesh(x.shape);
    for (const auto& x : scene.inflows) any |= has_mesh(x.shape);
    for (const auto& x : scene.drains) any |= has_mesh(x.shape);
    for (const auto& x : scene.solids) any |= has_mesh(x.shape);
    return any;
}

void require(bool good) {
    if (!good) std::abort();
}

template <int D>
void try_setup(const Scene& scene) {
    const LiquidSetup<D> setup = make_setup<D>(scene);
    require(setup.grid.dx > 0 && std::isfinite(setup.grid.dx));
    for (int d = 0; d < D; ++d) require(std::isfinite(setup.gravity[d].at(0.1)));
    for (const Point<D>& x : {setup.grid.origin, setup.grid.upper(), Point<D>{}}) {
        for (const auto& l : setup.liquid) require(std::isfinite(l.shape->distance(x)));
        for (const auto& s : setup.solids) {
            require(std::isfinite(s.distance(x, s.motion.at(0.1))));
            require(std::isfinite(s.motion.velocity(x, 0.1, 0.01)[0]));
        }
    }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string_view all(reinterpret_cast<const char*>(data), size);
    const std::size_t nul = all.find('\0');
    std::vector<std::string> overrides;
    if (nul != std::string_view::npos) overrides.emplace_back(all.substr(nul + 1));
    try {
        const Scene scene =
            read_scene(all.substr(0, nul), "fuzz.json", "", overrides, {.files = false});
        const std::string text = resolved_json(scene);
        require(resolved_json(read_scene(text, "again.json", "", {}, {.files = false})) == text);
        if (has_mesh(scene)) return 0;
        if (scene.dim == 2)
            try_setup<2>(scene);
        else
            try_setup<3>(scene);
    } catch (const InputError& e) {
        require(std::string_view(e.what()).find('\n') == std::string_view::npos);
    }
    return 0;
}
