// All that a liquid simulation is made of, as plain data. Scene files are turned into this.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "slosh/gas/setup.h"
#include "slosh/grid/geometry.h"
#include "slosh/particles/particles.h"
#include "slosh/pressure/separation.h"
#include "slosh/rigid/body.h"
#include "slosh/shape/fractions.h"
#include "slosh/shape/solid.h"
#include "slosh/viscosity/volumes.h"

namespace slosh {

/// A number that may change over time: linear between keys, constant outside.
struct Curve {
    std::vector<double> times, values;
    Curve(double value = 0) : times{0}, values{value} {}
    Curve(std::vector<double> t, std::vector<double> v)
        : times(std::move(t)), values(std::move(v)) {}
    double at(double time) const;
};

/// In the place of a viscosity: that of the scene.
inline constexpr double kSceneViscosity = -1;

/// How bodies and viscous stress act on each other.
enum class Coupling {
    Strong,  ///< In one solve.
    Weak,    ///< First the liquid, with the bodies moving as they do, then the bodies.
    OneWay,  ///< Bodies drag the liquid and do not feel it.
};

/// How particles are kept evenly spread.
enum class PositionCorrection {
    Grid,     ///< By a displacement on the pressure's matrix, in every step (density_correction.h).
    Density,  ///< By density constraints between particles, once a frame (particles/spacing.h).
    Both,     ///< Grid and density.
    Distance,  ///< By distance constraints between particles, once a frame; for comparison.
    Off,
};

/// Liquid that is there at the start.
template <int D>
struct InitialLiquid {
    ShapePtr<D> shape;  ///< World frame.
    Point<D> velocity;  ///< m/s
    Point<3> spin;      ///< Angular velocity about the origin of `centre`. rad/s (2D: z only).
    Point<D> centre;    ///< m
    double viscosity = kSceneViscosity;  ///< kg/(m s)
};

/// A shape that is kept full of new liquid while `start <= t < end`.
template <int D>
struct Inflow {
    ShapePtr<D> shape;  ///< Local frame of `motion`.
    Motion<D> motion;
    Curve velocity[D];                   ///< m/s
    double start = 0, end = 1e30;        ///< s
    double viscosity = kSceneViscosity;  ///< kg/(m s)
};

/// A shape in which particles are removed while `start <= t < end`.
template <int D>
struct Drain {
    ShapePtr<D> shape;
    Motion<D> motion;
    double start = 0, end = 1e30;  ///< s
};

struct StepOptions {
    Transfer transfer = Transfer::Apic;
    double flip_blend = 0.97;   ///< Share of FLIP in `flip` (the rest PIC). [0, 1].
    double affine_time = 0.25;  ///< APIC: time in which the particles' velocity gradients relax by
                                ///< 1/e. Keeps sampling noise from stirring liquid at rest; waves
                                ///< and vortices that the grid resolves do not feel it. s.
    int advection_order = 2;    ///< Runge-Kutta order of particle paths: 2 or 3.
    Fractions fractions = Fractions::Area;
    Separation separation = Separation::Cell;  ///< Where liquid may let go of walls.
    std::string solver = "auto";               ///< A solver word (lcp/solve.h).
    double tolerance = 1e-6;                   ///< Relative residual of the pressure solve.
    int max_iterations = 200;                  ///< Of the pressure solve.
    double cfl = 4;                            ///< Cells a particle may cross in a substep.
    double fall = 0.125;         ///< Cells that gravity alone may move liquid in a substep.
    double max_dt = 1e30;        ///< s
    double min_dt = 1e-7;        ///< s; below this the run stops with an error.
    int particles_per_axis = 2;  ///< Seeds per cell and axis: 2 gives 8 a cell in 3D, 4 in 2D.
    double jitter = 0.8;         ///< Of the seed spacing. [0, 1].
    PositionCorrection position_correction = PositionCorrection::Grid;
    double spacing_tolerance =
        0.1;                   ///< Of the constraints: greatest density over the rest's, less one.
    double spacing_scale = 5;  ///< How much further they move particles far from solids. >= 1.
    std::uint64_t seed = 1;
    bool history = false;  ///< Reports hold the residual after each iteration. Not of scenes.
    VolumeKind volumes = VolumeKind::Consistent;  ///< Of the viscous step's samples.
    Coupling coupling = Coupling::Strong;         ///< Of viscous stress and bodies.
    std::string viscosity_solver = "auto";        ///< auto or mic (viscosity/solve.h).
    double viscosity_tolerance = 1e-7;            ///< Relative error of the viscous solve.
    int viscosity_passes = 3;  ///< Times that viscosity and pressure are solved in turn. >= 1.
    double slip_length = 0;    ///< At all solids that have none of their own. 0: no slip. m.
};

template <int D>
struct LiquidSetup {
    GridGeometry<D> grid;
    bool open_side[2 * D] =
        {};  ///< Side 2d is the lower, 2d+1 the upper one along d: open or wall.
    std::vector<Solid<D>> solids;
    std::vector<Body<D>> bodies;     ///< Rigid bodies that move with the liquid.
    std::optional<GasSetup<D>> gas;  ///< Given: the whole domain outside of solids is gas.
    std::vector<InitialLiquid<D>> liquid;
    std::vector<Inflow<D>> inflows;
    std::vector<Drain<D>> drains;
    Curve gravity[D];              ///< m/s^2
    double density = 1000;         ///< kg/m^3
    double viscosity = 0;          ///< Dynamic; of liquid that has none of its own. kg/(m s)
    std::vector<Point<D>> probes;  ///< World points whose pressure every step reports. m.
    StepOptions step;
};

}  // namespace slosh
