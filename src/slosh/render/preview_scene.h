// What pictures need to know of a scene, apart from the tracer's own types.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "slosh/base/vec.h"
#include "slosh/scene/scene.h"
#include "slosh/shape/solid.h"
#include "slosh/surface/mesh.h"

namespace slosh {

enum class Shown { Glass, Opaque, Hidden };

template <int D>
struct PreviewSolid {
    Solid<D> solid;
    Shown shown = Shown::Opaque;
    Vec<float, 3> colour;  ///< Linear.
    int body = -1;         ///< Number of the body that this is: frames say where it is.
    std::shared_ptr<const SurfaceMesh> mesh;  ///< Instead of a shape; 3D only.
    bool wets = false;                        ///< Ground: darker where maps say that it is wet.
};

struct PreviewScene {
    int dim = 3;
    int up = 1;  ///< Vertical axis.
    double fps = 30;
    double dx = 0;  ///< Cell size. m.
    Box<3> domain;  ///< m
    Index<3> cells;
    bool gas = false;      ///< Frames have smoke, not a surface.
    bool spray = false;    ///< Frames have drops above the surface.
    bool maps = false;     ///< Frames have maps of foam, wetness and ripples.
    Point<3> eye, target;  ///< m
    double fov = 35;       ///< Vertical. degrees
    Index<2> size;         ///< Pixels.
    bool draw_box = false;
    std::optional<Vec<float, 3>> liquid;       ///< Colour of viscous liquid. Linear.
    std::vector<PreviewSolid<2>> flat_solids;  ///< If dim is 2.
    std::vector<PreviewSolid<3>> solids;       ///< If dim is 3.
};

PreviewScene preview_scene(const Scene& scene);
/// The scene of DIRECTORY/scene.json. InputError if it is not a run's directory.
Scene load_run_scene(const std::string& directory);

}  // namespace slosh
