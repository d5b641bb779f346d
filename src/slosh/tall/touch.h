// What a hand, or an event of a scene, does to running tall-cell water. Points are in the world.
//
//     Simulation water(setup);
//     water.push({.at = {{2, 1, 2}}, .velocity = {{3, 0, 0}}, .radius = 0.5});
//     water.pour({.at = {{2, 3, 2}}, .velocity = {{0, -2, 0}}, .radius = 0.3});  // this step only
//     const int box = water.add_body(body_of<3>(shape, 400));
//     water.drag({.body = box, .grab = {}, .target = {{1, 2, 1}}});              // this step only
//     (void)water.step(1.0 / 30);
#pragma once

#include "slosh/base/vec.h"

namespace slosh::tall {

/// Water that is poured from a ball during the next step.
struct Pour {
    Point<3> at;          ///< m
    Point<3> velocity;    ///< m/s
    double radius = 0.5;  ///< m
};

/// Draws the velocity of water in a ball towards `velocity`: wholly at its centre, not at all at
/// its rim.
struct Push {
    Point<3> at;          ///< m
    Point<3> velocity;    ///< m/s
    double radius = 0.5;  ///< m
};

/// Raises (or digs) a round hill: by `height` at its middle, by nothing at its rim.
struct Raise {
    double x = 0, z = 0;  ///< m
    double radius = 1;    ///< m
    double height = 0;    ///< m
};

/// A spring from a point of a body to a point of the world, during the next step.
struct Drag {
    int body = 0;
    Point<3> grab;    ///< In the frame of the body's shape. m
    Point<3> target;  ///< m
};

/// Gives a body a velocity.
struct Throw {
    int body = 0;
    Point<3> velocity;  ///< Of its centre of mass. m/s
    Point<3> spin;      ///< rad/s
};

/// Height that a Raise gives the ground at (x, z). m
double raised(const Raise& raise, double x, double z);

}  // namespace slosh::tall
