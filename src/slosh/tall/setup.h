// All that a tall-cell simulation is made of, as plain data. Scene files are turned into this.
#pragma once

#include <functional>
#include <vector>

#include "slosh/base/vec.h"
#include "slosh/tall/bodies.h"
#include "slosh/tall/spray.h"
#include "slosh/tall/wave_texture.h"

namespace slosh::tall {

/// A * sin(kx x + kz z + phase), added to the height of a layer.
struct GroundWave {
    double height = 0;      ///< A. m
    double kx = 0, kz = 0;  ///< rad/m
    double phase = 0;       ///< rad
};

/// A layer of ground: with (a, b) = (x, z) less its position and r their length, it is
///     y + slope_x a + slope_z b + curve_x a^2 + curve_z b^2 - cone r + sum of waves
/// high, and is not there for r > radius. Waves count from the origin.
struct GroundLayer {
    Point<3> position;                ///< m
    double slope_x = 0, slope_z = 0;  ///< m/m
    double curve_x = 0, curve_z = 0;  ///< 1/m
    double cone = 0;                  ///< m/m
    double radius = 1e30;             ///< m
    std::vector<GroundWave> waves;
};

/// Water that is poured while `start <= t < end`.
struct Inflow {
    /// Distance at a point and time, negative inside. m
    std::function<double(const Point<3>&, double)> distance;
    std::function<Point<3>(double)> velocity;  ///< By time. m/s
    double start = 0, end = 1e30;              ///< s
};

/// A side of the domain that swings like a piston, with the velocity speed * sin(2 pi t / period).
/// The domain stays: water passes the side as it would follow the piston.
struct WaveMaker {
    int side = 0;                  ///< 0 ... 3: x-, x+, z-, z+.
    double speed = 0;              ///< m/s
    double period = 1;             ///< s
    double start = 0, end = 1e30;  ///< s
};

/// Pushes in every step while `start <= t < end`.
struct PushEvent {
    Push push;
    double start = 0, end = 1e30;  ///< s
};
/// The ground rises evenly from `start` to `end`.
struct RaiseEvent {
    Raise raise;
    double start = 0, end = 1;  ///< s
};
struct ThrowEvent {
    Throw how;
    double time = 0;  ///< s
};

struct Setup {
    int nx = 0, nz = 0;  ///< Columns.
    int rows = 32;       ///< Regular cells a column.
    double dx = 1;       ///< m
    Point<3> lower;      ///< Corner of the domain; all points below are in the world. m
    std::vector<GroundLayer> ground;
    std::function<double(const Point<3>&)> water;       ///< Distance at the start. m
    std::function<Point<3>(const Point<3>&)> velocity;  ///< At the start; may be empty. m/s
    std::function<double(double)> gravity;              ///< Downwards, by time. m/s^2
    std::vector<Inflow> inflows;
    std::vector<WaveMaker> wave_makers;
    std::vector<Body<3>> bodies;
    BodyOptions body_options;
    SprayOptions spray;
    RippleOptions ripples;
    std::vector<PushEvent> push_events;
    std::vector<RaiseEvent> raise_events;
    std::vector<ThrowEvent> throw_events;
    std::vector<Raise> raises;  ///< Of the ground so far: first those of the events.
    WaterOptions options;
};

/// Height of the highest layer at (x, z), at least that of the floor, and what was raised. m
double ground_height(const Setup& setup, double x, double z);

}  // namespace slosh::tall
