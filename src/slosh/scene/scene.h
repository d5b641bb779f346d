// A scene: what a scene file says, resolved to plain data. The dimension is known at run time;
// in 2D the third component of every vector is zero, and rotations and spins are about z.
//
// SI units throughout: metres, seconds, kilograms. Angles are degrees. The tables in tables.cpp
// give meaning, unit, range and default of every key; docs/scenes.md is made from them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "slosh/base/vec.h"
#include "slosh/liquid/setup.h"
#include "slosh/shape/csg.h"

namespace slosh {

enum class ShapeKind {
    Sphere,
    Box,
    Capsule,
    Cylinder,
    Torus,
    HalfSpace,
    Plane,
    Union,
    Intersection,
    Difference,
    Shell,
    Invert,
    Mesh
};

/// A node of a shape tree. Which members count depends on `kind`. The shape is made around its own
/// origin, then scaled, turned and moved to `position`.
struct SceneShape {
    ShapeKind kind = ShapeKind::Sphere;
    Point<3> position;  ///< m
    Point<3> rotation;  ///< Axis times angle. degrees
    double scale = 1;

    double radius = 0;                   ///< Sphere, capsule, cylinder, ring of a torus. m
    double tube = 0;                     ///< Torus: radius of the tube. m
    double round = 0;                    ///< Box: radius of the edges. m
    double thickness = 0;                ///< Shell, plane. m
    ShellSide side = ShellSide::Inward;  ///< Shell.
    Point<3> from, to;                   ///< Box: corners. Capsule, cylinder: ends of the axis. m
    Point<3> normal{{0, 1, 0}};      ///< Half-space, plane; axis of a torus. Any length but zero.
    std::vector<SceneShape> shapes;  ///< Union, intersection; base of difference, shell, invert.
    std::vector<SceneShape> minus;   ///< Difference: what is cut away.

    std::string file;             ///< Mesh: absolute path, or "builtin:NAME".
    std::uint64_t file_hash = 0;  ///< Mesh: hash of the file's bytes.
    double voxel = 0;             ///< Mesh: sampling distance. m. 0: half a cell.
    double sheet = 0;             ///< Mesh: thickness given to a mesh with holes. m. 0: refuse it.
};

struct SceneKey {
    double time = 0;    ///< s
    Point<3> position;  ///< m
    Point<3> rotation;  ///< degrees
};

struct SceneMotion {
    std::vector<SceneKey> keys;  ///< Sorted by time. Empty: stays where it is.
    bool smooth = false;
};

struct SceneLiquid {
    SceneShape shape;
    Point<3> velocity;                   ///< m/s
    Point<3> spin;                       ///< rad/s
    Point<3> centre;                     ///< Of the spin. m
    double viscosity = kSceneViscosity;  ///< kg/(m s)
};

struct SceneInflow {
    std::string name;
    SceneShape shape;
    SceneMotion motion;
    Curve velocity[3];                   ///< m/s
    double start = 0, end = 1e30;        ///< s
    double viscosity = kSceneViscosity;  ///< kg/(m s)
};

struct SceneDrain {
    std::string name;
    SceneShape shape;
    SceneMotion motion;
    double start = 0, end = 1e30;  ///< s
};

/// How pictures show a thing.
enum class Look { Glass, Opaque, Hidden };

struct SceneSolid {
    std::string name;
    SceneShape shape;
    SceneMotion motion;
    SolidWalls walls = SolidWalls::Scene;
    double slip_length = -1;  ///< m. Negative: that of the scene.
    Look look = Look::Glass;
    Point<3> colour{{0.75, 0.72, 0.68}};  ///< Linear red, green, blue in [0, 1].
};

struct SceneBodyForce {
    Point<3> force;                ///< N
    Point<3> torque;               ///< N m
    double start = 0, end = 1e30;  ///< s
};

/// What ties a body to the world.
struct SceneBodyJoint {
    JointKind type = JointKind::None;
    Point<3> position;         ///< m
    Point<3> axis{{0, 0, 0}};  ///< Any length; 0: z.
};

struct SceneBody {
    std::string name;
    SceneShape shape;
    double density = 500;                            ///< kg/m^3
    double mass = 0;                                 ///< kg. 0: from the density.
    Point<3> inertia;                                ///< kg m^2. 0: from the shape.
    Point<3> velocity;                               ///< m/s
    Point<3> spin;                                   ///< rad/s
    double linear_damping = 0, angular_damping = 0;  ///< 1/s
    std::vector<std::string> locked;                 ///< "x", "y", "z", "rx", "ry", "rz".
    SceneBodyJoint joint;                            ///< In the place of `locked`.
    std::vector<SceneBodyForce> forces;
    double friction = 0.5, restitution = 0.2;
    SolidWalls walls = SolidWalls::Scene;
    double slip_length = -1;              ///< m. Negative: that of the scene.
    Point<3> colour{{0.85, 0.45, 0.15}};  ///< Linear red, green, blue in [0, 1].
};

struct SceneGasSource {
    std::string name;
    SceneShape shape;
    SceneMotion motion;
    double smoke = 1;
    double temperature = 293;          ///< K
    std::optional<Point<3>> velocity;  ///< m/s
    double start = 0, end = 1e30;      ///< s
};

/// See GasSetup.
struct SceneGas {
    std::vector<SceneGasSource> sources;
    double ambient = 293;       ///< K
    double heat_lift = 0.0034;  ///< 1/K
    double smoke_weight = 0;
    double cooling = 0, smoke_decay = 0;  ///< 1/s
};

/// See tall::GroundWave.
struct SceneGroundWave {
    double height = 0;                  ///< m
    double length_x = 0, length_z = 0;  ///< m; 0: does not change along that axis.
    double phase = 0;                   ///< degrees
};

/// See tall::GroundLayer.
struct SceneGround {
    Point<3> position;                ///< m
    double slope_x = 0, slope_z = 0;  ///< m/m
    double curve_x = 0, curve_z = 0;  ///< 1/m
    double cone = 0;                  ///< m/m
    double radius = 1e30;             ///< m
    std::vector<SceneGroundWave> waves;
};

struct SceneWaveMaker {
    int side = 0;                  ///< 0 ... 3: x-, x+, z-, z+.
    double speed = 0, period = 1;  ///< m/s, s
    double start = 0, end = 1e30;  ///< s
};

/// Events of tall-cell water; see tall/touch.h.
struct ScenePush {
    Point<3> position, velocity;   ///< m, m/s
    double radius = 1;             ///< m
    double start = 0, end = 1e30;  ///< s
};
struct SceneRaise {
    Point<3> position;          ///< m; y does not count.
    double radius = 1;          ///< m
    double height = 0;          ///< m
    double start = 0, end = 1;  ///< s
};
struct SceneThrow {
    std::string body;
    Point<3> velocity, spin;  ///< m/s, degrees/s
    double time = 0;          ///< s
};

/// Water on tall cells in the place of particles.
struct SceneTall {
    int rows = 32;
    int surface = 1;                        ///< Cells of the surface along one of the simulation.
    int under = 8, over = 8, max_step = 4;  ///< Cells; see tall::RemeshOptions.
    int v_cycles = 2;
    int redistance_every = 10;  ///< Steps.
    std::vector<SceneGround> terrain;
    double volume_time = 0.1;  ///< s
    bool thickening = true, spray = true;
    double ripples = 0;  ///< m/s
    std::vector<SceneWaveMaker> wave_makers;
    std::vector<ScenePush> pushes;
    std::vector<SceneRaise> raises;
    std::vector<SceneThrow> throws;
};

/// A point whose pressure is reported at every step.
struct SceneProbe {
    std::string name;
    Point<3> position;  ///< m
};

enum class ParticleFiles { None, Ply, Vdb };

struct SceneOutput {
    bool surface = true;
    ParticleFiles particles = ParticleFiles::None;
    bool volumes = false;
    int checkpoint_every = 10;  ///< Frames. 0: only at the end.
};

/// Hints for pictures and the live page.
struct SceneRender {
    Point<3> camera;            ///< m
    Point<3> target;            ///< m
    double fov = 35;            ///< Vertical. degrees
    Index<2> size{{960, 720}};  ///< Pixels.
    Point<3> background{{0.80, 0.87, 0.95}};
    Point<3> liquid_colour{{0.10, 0.42, 0.75}};
    Look walls = Look::Hidden;  ///< The sides of the domain.
    bool ground = true;         ///< A floor under the domain.
};

struct Scene {
    std::string name = "unnamed", description;
    int dim = 3;
    int up_axis = 1;           ///< 1: y, 2: z.
    Point<3> lower;            ///< Lower corner of the domain. m
    Point<3> size{{1, 1, 1}};  ///< Asked for; whole cells may make it a little larger. m
    int resolution = 64;       ///< Cells along the longest side.
    double fps = 30;
    int frames = 150;
    Curve gravity[3];              ///< m/s^2
    std::string liquid = "water";  ///< Preset.
    double density = 1000;         ///< kg/m^3
    double viscosity = 0;          ///< Dynamic. kg/(m s)
    std::vector<SceneLiquid> initial;
    std::vector<SceneInflow> inflows;
    std::vector<SceneDrain> drains;
    std::vector<SceneSolid> solids;
    std::vector<SceneBody> bodies;
    std::optional<SceneGas> gas;
    std::optional<SceneTall> tall;
    std::vector<SceneProbe> probes;
    std::vector<std::string> open_sides;  ///< "x-", "x+", "y-", ...
    StepOptions step;
    SceneOutput output;
    SceneRender render;

    double dx() const;       ///< Cell size. m
    Index<3> cells() const;  ///< Whole cells along each axis (2D: 1 along z).
};

/// Fully resolved, canonical text: every key present, numbers in shortest exact form. Loading it
/// gives the same scene back. Its key "hash" is scene_hash() in hexadecimal.
std::string resolved_json(const Scene& scene);

/// Hash of all that decides the states of a simulation: not names, frame count, looks or outputs;
/// the bytes of mesh files are in, their names are not.
std::uint64_t scene_hash(const Scene& scene);

/// The simulation that a scene describes. Reads mesh files. D must be scene.dim.
template <int D>
LiquidSetup<D> make_setup(const Scene& scene);

/// A shape tree as a distance. `dx` is the cell size that meshes are sampled for.
template <int D>
ShapePtr<D> make_shape(const SceneShape& shape, double dx);

}  // namespace slosh
