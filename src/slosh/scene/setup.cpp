// Scenes into simulations.
#include "slosh/base/error.h"
#include "slosh/scene/mesh.h"
#include "slosh/scene/scene.h"
#include "slosh/shape/csg.h"
#include "slosh/shape/primitives.h"

namespace slosh {
namespace {

template <int D>
Point<D> first(const Point<3>& x) {
    Point<D> r;
    for (int d = 0; d < D; ++d) r[d] = x[d];
    return r;
}

template <int D>
std::vector<ShapePtr<D>> make_shapes(const std::vector<SceneShape>& shapes, double dx) {
    std::vector<ShapePtr<D>> all;
    for (const SceneShape& s : shapes) all.push_back(make_shape<D>(s, dx));
    return all;
}

/// The shape around its own origin.
template <int D>
ShapePtr<D> make_local(const SceneShape& s, double dx) {
    const Point<D> origin{}, from = first<D>(s.from), to = first<D>(s.to);
    const Point<D> normal = first<D>(s.normal);
    switch (s.kind) {
        case ShapeKind::Sphere:
            return sphere<D>(origin, s.radius);
        case ShapeKind::Box:
            return box<D>(from, to, s.round);
        case ShapeKind::Capsule:
            return capsule<D>(from, to, s.radius);
        case ShapeKind::Cylinder:
            return cylinder<D>(from, to, s.radius);
        case ShapeKind::Torus:
            return torus<D>(origin, normal, s.radius, s.tube);
        case ShapeKind::HalfSpace:
            return half_space<D>(origin, normal);
        case ShapeKind::Plane:
            return plane<D>(origin, normal, s.thickness);
        case ShapeKind::Union:
            return unite<D>(make_shapes<D>(s.shapes, dx));
        case ShapeKind::Intersection:
            return intersect<D>(make_shapes<D>(s.shapes, dx));
        case ShapeKind::Difference:
            return subtract<D>(make_shape<D>(s.shapes.at(0), dx),
                               unite<D>(make_shapes<D>(s.minus, dx)));
        case ShapeKind::Shell:
            return shell<D>(make_shape<D>(s.shapes.at(0), dx), s.thickness, s.side);
        case ShapeKind::Invert:
            return invert<D>(make_shape<D>(s.shapes.at(0), dx));
        case ShapeKind::Mesh:
            if constexpr (D == 3) {
                const double voxel = s.voxel > 0 ? s.voxel : 0.5 * dx;
                return mesh_shape(scene_mesh(s.file),
                                  {.voxel = voxel, .open_mesh_thickness = s.sheet});
            }
            break;
    }
    throw InputError("a mesh needs a 3D scene");
}

template <int D>
Motion<D> make_motion(const SceneMotion& m) {
    std::vector<Key<D>> keys;
    for (const SceneKey& k : m.keys) keys.push_back({k.time, first<D>(k.position), k.rotation});
    return Motion<D>(std::move(keys), m.smooth);
}

}  // namespace

template <int D>
ShapePtr<D> make_shape(const SceneShape& s, double dx) {
    // Inside a scaled shape a cell of the grid looks that much smaller or larger.
    ShapePtr<D> shape = make_local<D>(s, dx / s.scale);
    if (s.scale != 1) shape = scaled<D>(std::move(shape), s.scale);
    if (s.position == Point<3>{} && s.rotation == Point<3>{}) return shape;
    return placed<D>(std::move(shape), {rotation_matrix<D>(s.rotation), first<D>(s.position)});
}

template <int D>
LiquidSetup<D> make_setup(const Scene& scene) {
    SLOSH_EXPECT(scene.dim == D);
    LiquidSetup<D> setup;
    const double dx = scene.dx();
    setup.grid.origin = first<D>(scene.lower);
    setup.grid.dx = dx;
    for (int d = 0; d < D; ++d) {
        setup.grid.cells[d] = scene.cells()[d];
        setup.gravity[d] = scene.gravity[d];
    }
    for (const std::string& side : scene.open_sides)
        setup.open_side[2 * (side[0] - 'x') + (side[1] == '+')] = true;
    setup.density = scene.density;
    setup.step = scene.step;

    for (const SceneSolid& s : scene.solids)
        setup.solids.push_back({s.name, make_shape<D>(s.shape, dx), make_motion<D>(s.motion)});
    for (const SceneLiquid& l : scene.initial)
        setup.liquid.push_back(
            {make_shape<D>(l.shape, dx), first<D>(l.velocity), l.spin, first<D>(l.centre)});
    for (const SceneInflow& i : scene.inflows) {
        Inflow<D> inflow{make_shape<D>(i.shape, dx), make_motion<D>(i.motion), {}, i.start, i.end};
        for (int d = 0; d < D; ++d) inflow.velocity[d] = i.velocity[d];
        setup.inflows.push_back(std::move(inflow));
    }
    for (const SceneDrain& d : scene.drains)
        setup.drains.push_back(
            {make_shape<D>(d.shape, dx), make_motion<D>(d.motion), d.start, d.end});
    return setup;
}

template ShapePtr<2> make_shape<2>(const SceneShape&, double);
template ShapePtr<3> make_shape<3>(const SceneShape&, double);
template LiquidSetup<2> make_setup<2>(const Scene&);
template LiquidSetup<3> make_setup<3>(const Scene&);

}  // namespace slosh
