#include "slosh/view/stage.h"

#include <fmt/format.h>

#include <cmath>

#include "slosh/base/parallel.h"
#include "slosh/render/picture.h"
#include "slosh/render/preview_scene.h"
#include "slosh/scene/load.h"
#include "slosh/view/frame.h"

namespace slosh::view {
namespace {

/// Cells along the longest side of a solid's mesh: enough for a smooth sphere, small to send.
constexpr int kMeshCells = 72;
/// Texels a cell, of 2D solids.
constexpr double kTexels = 3;
constexpr int kMostTexels = 1024;

std::string numbers(const Point<3>& x) {
    return fmt::format("[{:.9g},{:.9g},{:.9g}]", x[0], x[1], x[2]);
}

const char* look_word(Shown shown) {
    return shown == Shown::Glass ? "glass" : shown == Shown::Opaque ? "opaque" : "hidden";
}

/// What a part is: solid or body n of the scene, or ground.
template <int D>
std::string about(const PreviewSolid<D>& s, std::size_t i) {
    const char* kind = s.body >= 0 ? "body" : i == std::size_t(-1) ? "ground" : "solid";
    return fmt::format(R"("part":"{}","index":{},"look":"{}","colour":{})", kind,
                       s.body >= 0 ? s.body : int(i), look_word(s.shown),
                       numbers(s.colour.template as<double>()));
}

std::vector<NamedMesh> meshes_of(const PreviewScene& scene) {
    std::vector<NamedMesh> meshes;
    std::vector<RenderSolid<3>> solids;
    for (std::size_t i = 0; i < scene.solids.size(); ++i) {
        const PreviewSolid<3>& s = scene.solids[i];
        if (s.shown == Shown::Hidden) continue;
        RenderSolid<3> solid(s.solid.shape, RenderLook::Opaque, s.colour, s.solid.motion.at(0));
        solid.mesh = s.mesh;
        solids.push_back(solid);
        meshes.push_back({about(s, s.mesh ? std::size_t(-1) : i), {}});
    }
    mesh_solids(solids, scene.domain, kMeshCells);
    for (std::size_t i = 0; i < solids.size(); ++i)
        if (solids[i].mesh) meshes[i].mesh = *solids[i].mesh;
    return meshes;
}

/// The distance of a 2D shape over `box`, or over its own bounds if those are smaller.
NamedField field_of(const PreviewSolid<2>& s, std::size_t index, const PreviewScene& scene) {
    NamedField out;
    out.json = about(s, index);
    Box<2> box{{scene.domain.lo[0], scene.domain.lo[1]}, {scene.domain.hi[0], scene.domain.hi[1]}};
    // A container may move against the domain: past the border goes what is at the border.
    box = box.grown(2 * scene.dx);
    const Box<2> bounds = s.solid.shape->bounds();
    bool bounded = true;
    for (int d = 0; d < 2; ++d) bounded = bounded && bounds.lo[d] > -1e20 && bounds.hi[d] < 1e20;
    if (bounded) box = bounds.grown(scene.dx);
    const Point<2> side = box.hi - box.lo;
    const double texel =
        std::max({scene.dx / kTexels, side[0] / kMostTexels, side[1] / kMostTexels});
    out.nx = std::max(2, int(std::ceil(side[0] / texel)));
    out.ny = std::max(2, int(std::ceil(side[1] / texel)));
    out.box = {{box.lo[0], box.lo[1], 0},
               {box.lo[0] + out.nx * texel, box.lo[1] + out.ny * texel, 0}};
    out.texels.resize(std::size_t(out.nx) * out.ny);
    parallel_for(std::size_t(out.ny), 16, [&](std::size_t y) {
        for (int x = 0; x < out.nx; ++x) {
            const double d = s.solid.shape->distance(
                {box.lo[0] + (x + 0.5) * texel, box.lo[1] + (double(y) + 0.5) * texel});
            out.texels[y * out.nx + x] =
                char(int(std::clamp(std::round(128 + 16 * d / texel), 0.0, 255.0)));
        }
    });
    return out;
}

std::string words(const std::vector<std::string>& list) {
    std::string out;
    for (const std::string& w : list) out += (out.empty() ? "" : ",") + json_text(w);
    return "[" + out + "]";
}

}  // namespace

Box<3> room_of(const Scene& scene) {
    const Box<3> domain{scene.lower, scene.lower + scene.cells().as<double>() * scene.dx()};
    return domain.grown(4 * scene.dx());
}

std::string encode_stage(const Scene& scene, const StageOptions& options) {
    const PreviewScene preview = preview_scene(scene);
    const Point<3> colour = scene.render.liquid_colour, sky = scene.render.background;
    const std::string json = fmt::format(
        R"("run":{},"name":{},"description":{},"dim":{},"up":{},"lo":{},"hi":{},"dx":{:.9g},)"
        R"("cells":[{},{},{}],"fps":{:.9g},"frames":{},"camera":{},"target":{},"fov":{:.6g},)"
        R"("colour":{},"sky":{},"walls":"{}","floor":{},"gas":{},"tall":{},"live":{},"sides":{},)"
        R"("tools":{},"parameters":{})",
        options.run, json_text(scene.name), json_text(scene.description), scene.dim, scene.up_axis,
        numbers(preview.domain.lo), numbers(preview.domain.hi), preview.dx, preview.cells[0],
        preview.cells[1], preview.cells[2], scene.fps, scene.frames, numbers(preview.eye),
        numbers(preview.target), preview.fov, numbers(colour), numbers(sky),
        scene.render.walls == Look::Hidden ? "hidden" : "glass", scene.render.ground, preview.gas,
        scene.tall.has_value(), options.live, words(options.sides), words(options.tools),
        parameters_json(scene));
    std::vector<NamedField> fields;
    for (std::size_t i = 0; i < preview.flat_solids.size(); ++i)
        if (preview.flat_solids[i].shown != Shown::Hidden)
            fields.push_back(field_of(preview.flat_solids[i], i, preview));
    return encode_scene(json, meshes_of(preview), fields);
}

std::string scenes_json() {
    std::string out;
    for (const BuiltinScene& s : builtin_scenes())
        out += fmt::format(R"({}{{"name":{},"description":{},"dim":{},"variants":{}}})",
                           out.empty() ? "" : ",", json_text(s.name), json_text(s.description),
                           s.dim, words(s.variants));
    return "[" + out + "]";
}

}  // namespace slosh::view
