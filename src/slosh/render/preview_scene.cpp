#include "slosh/render/preview_scene.h"

#include <filesystem>

#include "slosh/base/error.h"
#include "slosh/scene/load.h"
#include "slosh/scene/tables.h"
#include "slosh/scene/tall.h"
#include "slosh/tall/simulation.h"

namespace slosh {
namespace {

template <int D>
std::vector<PreviewSolid<D>> preview_solids(const Scene& scene) {
    const LiquidSetup<D> setup = make_setup<D>(scene);
    std::vector<PreviewSolid<D>> solids;
    for (std::size_t i = 0; i < scene.solids.size(); ++i) {
        const SceneSolid& given = scene.solids[i];
        PreviewSolid<D> solid;
        solid.solid = setup.solids[i];
        solid.shown = given.look == Look::Glass    ? Shown::Glass
                      : given.look == Look::Hidden ? Shown::Hidden
                                                   : Shown::Opaque;
        solid.colour = given.colour.as<float>();
        solids.push_back(solid);
    }
    for (std::size_t i = 0; i < scene.bodies.size(); ++i) {
        PreviewSolid<D> body;
        body.solid.shape = setup.bodies[i].shape;
        body.colour = scene.bodies[i].colour.as<float>();
        body.body = static_cast<int>(i);
        solids.push_back(body);
    }
    return solids;
}

}  // namespace

Scene load_run_scene(const std::string& directory) {
    const std::string file = directory + "/scene.json";
    if (!std::filesystem::exists(file))
        throw InputError(directory + " is not the directory of a run (no scene.json in it)");
    return load_scene(file);
}

PreviewScene preview_scene(const Scene& scene) {
    PreviewScene preview;
    preview.dim = scene.dim;
    preview.up = scene.up_axis;
    preview.fps = scene.fps;
    preview.dx = scene.dx();
    preview.domain = {scene.lower, scene.lower + scene.cells().as<double>() * scene.dx()};
    preview.cells = scene.cells();
    preview.gas = scene.gas.has_value();
    preview.spray = scene.tall && scene.tall->spray;
    preview.maps = scene.tall && (scene.tall->spray || scene.tall->ripples > 0);
    preview.eye = scene.render.camera;
    preview.target = scene.render.target;
    preview.fov = scene.render.fov;
    preview.size = scene.render.size;
    preview.draw_box = scene.render.walls != Look::Hidden;
    if (is_viscous(scene) && !(scene.render.liquid_colour == SceneRender{}.liquid_colour))
        preview.liquid = scene.render.liquid_colour.as<float>();
    if (scene.dim == 2)
        preview.flat_solids = preview_solids<2>(scene);
    else
        preview.solids = preview_solids<3>(scene);
    if (scene.tall && !scene.tall->terrain.empty()) {
        PreviewSolid<3> ground;
        ground.mesh =
            std::make_shared<const SurfaceMesh>(tall::ground_mesh(make_tall_setup(scene)));
        ground.colour = {{0.46f, 0.40f, 0.29f}};  // sand
        ground.wets = true;
        preview.solids.push_back(ground);
    }
    return preview;
}

}  // namespace slosh
