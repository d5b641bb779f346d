// Rigid motion by keyframes: where a shape is at a time, and how fast its points move.
#pragma once

#include <vector>

#include "slosh/base/vec.h"

namespace slosh {

/// A rigid transform: world = rotation * local + translation.
template <int D>
struct Transform {
    Mat<D> rotation = Mat<D>::identity();
    Point<D> translation;

    Point<D> apply(const Point<D>& local) const { return rotation * local + translation; }
    Point<D> unapply(const Point<D>& world) const {
        return rotation.transposed() * (world - translation);
    }
};

/// One keyframe. In 2D only rotation[2] counts (degrees, counter-clockwise); in 3D the rotation
/// vector is axis times angle in degrees.
template <int D>
struct Key {
    double time = 0;    ///< s
    Point<D> position;  ///< m
    Point<3> rotation;  ///< degrees
};

/// The rotation matrix of a rotation vector as in Key; exactly the identity for zero.
template <int D>
Mat<D> rotation_matrix(const Point<3>& degrees);

/// Mean velocity (m/s) over a step of dt, in which a body goes from `start` to `end`, of its
/// material point that is at world point x at the start: the displacement really made over dt.
template <int D>
Point<D> mean_velocity(const Transform<D>& start, const Transform<D>& end, const Point<D>& x,
                       double dt) {
    return (end.apply(start.unapply(x)) - x) / dt;
}

/// Piecewise motion through keys sorted by time; constant before the first and after the last.
/// Positions are interpolated linearly or by a cubic (`smooth`: it starts and ends at rest).
/// If all keys turn about one axis (always so in 2D), angles are interpolated like positions, so
/// that keys of 0 and 720 degrees make two turns; else rotations take the shortest arc.
template <int D>
class Motion {
public:
    Motion() = default;
    /// Throws InputError unless all numbers are finite and times increase.
    explicit Motion(std::vector<Key<D>> keys, bool smooth = false);

    bool moving() const { return keys_.size() > 1; }
    Transform<D> at(double time) const;
    /// Velocity (m/s) of the material point that is at world point x at `time`, as the mean over
    /// [time, time + dt]: the displacement really made in the step, divided by dt.
    Point<D> velocity(const Point<D>& x, double time, double dt) const;

private:
    std::vector<Key<D>> keys_;
    bool smooth_ = false;
    bool one_axis_ = true;  // all rotation vectors are parallel
};

extern template class Motion<2>;
extern template class Motion<3>;

}  // namespace slosh
