// Scenes into simulations.
#include <fmt/format.h>

#include "slosh/base/error.h"
#include "slosh/rigid/dynamics.h"
#include "slosh/rigid/mass.h"
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

/// The shape of thing `i` of a list, errors told with its place in the scene: what is wrong with a
/// mesh shows only here, when lines and columns are gone.
template <int D>
ShapePtr<D> shape_of(const char* list, std::size_t i, const SceneShape& shape, double dx) {
    try {
        return make_shape<D>(shape, dx);
    } catch (const InputError& e) {
        throw InputError(fmt::format("$.{}[{}].shape: {}", list, i, e.what()));
    }
}

template <int D>
Motion<D> make_motion(const SceneMotion& m) {
    std::vector<Key<D>> keys;
    for (const SceneKey& k : m.keys) keys.push_back({k.time, first<D>(k.position), k.rotation});
    return Motion<D>(std::move(keys), m.smooth);
}

/// Rows and columns of `m` scaled so that its diagonal becomes `wanted`.
Mat<3> with_diagonal(Mat<3> m, const Point<3>& wanted, int first) {
    double factor[3] = {1, 1, 1};
    for (int k = first; k < 3; ++k) factor[k] = std::sqrt(wanted[k] / m.row[k][k]);
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j) m.row[i][j] *= factor[i] * factor[j];
    return m;
}

template <int D>
GasSetup<D> make_gas(const SceneGas& g, double dx) {
    GasSetup<D> gas{.sources = {},
                    .ambient = g.ambient,
                    .heat_lift = g.heat_lift,
                    .smoke_weight = g.smoke_weight,
                    .cooling = g.cooling,
                    .smoke_decay = g.smoke_decay};
    for (std::size_t i = 0; i < g.sources.size(); ++i) {
        const SceneGasSource& s = g.sources[i];
        gas.sources.push_back({shape_of<D>("gas.sources", i, s.shape, dx),
                               make_motion<D>(s.motion),
                               s.smoke,
                               s.temperature,
                               {},
                               s.start,
                               s.end});
        if (s.velocity) gas.sources.back().velocity = first<D>(*s.velocity);
    }
    return gas;
}

/// The frame of a body's shape is the world's at the start.
template <int D>
Body<D> make_body(const SceneBody& b, std::size_t i, double dx) {
    Body<D> body;
    body.name = b.name;
    body.shape = shape_of<D>("bodies", i, b.shape, dx);
    try {
        body.mass = mass_properties(*body.shape, b.density);
    } catch (const InputError& e) {
        throw InputError(fmt::format("$.bodies[{}].shape: {}", i, e.what()));
    }
    if (b.mass > 0) {
        const double factor = b.mass / body.mass.mass;
        body.mass.mass = b.mass;
        for (Point<3>& row : body.mass.inertia.row) row *= factor;
    }
    if (b.inertia[2] > 0)
        body.mass.inertia = with_diagonal(body.mass.inertia, b.inertia, D == 2 ? 2 : 0);
    body.start.position = body.mass.centre;
    body.start.velocity = first<D>(b.velocity);
    body.start.spin = b.spin;
    body.walls = b.walls;
    body.slip_length = b.slip_length;
    body.linear_damping = b.linear_damping;
    body.angular_damping = b.angular_damping;
    body.friction = b.friction;
    body.restitution = b.restitution;
    for (const std::string& word : b.locked) {
        const bool turn = word[0] == 'r';
        body.locked[turn ? D + word[1] - (D == 2 ? 'z' : 'x') : word[0] - 'x'] = true;
    }
    if (b.joint.type != JointKind::None) {
        body.joint.kind = b.joint.type;
        body.joint.at = first<D>(b.joint.position);
        if (length(b.joint.axis) > 0) body.joint.axis = b.joint.axis / length(b.joint.axis);
        obey_joint(body, body.start);
    }
    for (const SceneBodyForce& f : b.forces)
        body.forces.push_back({first<D>(f.force), f.torque, f.start, f.end});
    return body;
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
    setup.viscosity = scene.viscosity;
    setup.step = scene.step;

    for (std::size_t i = 0; i < scene.solids.size(); ++i) {
        const SceneSolid& s = scene.solids[i];
        setup.solids.push_back({s.name, shape_of<D>("solids", i, s.shape, dx),
                                make_motion<D>(s.motion), s.walls, s.slip_length});
    }
    for (std::size_t i = 0; i < scene.bodies.size(); ++i)
        setup.bodies.push_back(make_body<D>(scene.bodies[i], i, dx));
    for (std::size_t i = 0; i < scene.initial.size(); ++i) {
        const SceneLiquid& l = scene.initial[i];
        setup.liquid.push_back({shape_of<D>("initial", i, l.shape, dx), first<D>(l.velocity),
                                l.spin, first<D>(l.centre), l.viscosity});
    }
    for (std::size_t i = 0; i < scene.inflows.size(); ++i) {
        const SceneInflow& s = scene.inflows[i];
        Inflow<D> inflow{shape_of<D>("inflows", i, s.shape, dx),
                         make_motion<D>(s.motion),
                         {},
                         s.start,
                         s.end,
                         s.viscosity};
        for (int d = 0; d < D; ++d) inflow.velocity[d] = s.velocity[d];
        setup.inflows.push_back(std::move(inflow));
    }
    for (std::size_t i = 0; i < scene.drains.size(); ++i) {
        const SceneDrain& s = scene.drains[i];
        setup.drains.push_back(
            {shape_of<D>("drains", i, s.shape, dx), make_motion<D>(s.motion), s.start, s.end});
    }
    if (scene.gas) setup.gas = make_gas<D>(*scene.gas, dx);
    for (const SceneProbe& p : scene.probes) setup.probes.push_back(first<D>(p.position));
    return setup;
}

template ShapePtr<2> make_shape<2>(const SceneShape&, double);
template ShapePtr<3> make_shape<3>(const SceneShape&, double);
template LiquidSetup<2> make_setup<2>(const Scene&);
template LiquidSetup<3> make_setup<3>(const Scene&);

}  // namespace slosh
