#include "slosh/shape/motion.h"

#include <fmt/format.h>

#include <numbers>

#include "slosh/base/error.h"

namespace slosh {

namespace {

constexpr double kRadians = std::numbers::pi / 180;

struct Quaternion {
    double w = 1;
    Point<3> v;
};

Quaternion quaternion(const Point<3>& degrees) {
    const double angle = length(degrees) * kRadians;
    if (angle == 0) return {};
    return {std::cos(angle / 2), degrees * (std::sin(angle / 2) * kRadians / angle)};
}

Mat<3> matrix(const Quaternion& q) {
    const double x = q.v[0], y = q.v[1], z = q.v[2], w = q.w;
    Mat<3> m;
    m.row[0] = {1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)};
    m.row[1] = {2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)};
    m.row[2] = {2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)};
    return m;
}

/// From a to b at constant rate along the shorter of the two arcs.
Quaternion slerp(const Quaternion& a, Quaternion b, double s) {
    double cosine = a.w * b.w + dot(a.v, b.v);
    if (cosine < 0) {
        b = {-b.w, -b.v};
        cosine = -cosine;
    }
    // Near zero angle the weights' quotient is 0/0; there the chord is the arc.
    double wa = 1 - s, wb = s;
    if (cosine < 1 - 1e-12) {
        const double angle = std::acos(cosine);
        wa = std::sin((1 - s) * angle) / std::sin(angle);
        wb = std::sin(s * angle) / std::sin(angle);
    }
    Quaternion q{wa * a.w + wb * b.w, a.v * wa + b.v * wb};
    const double size = std::sqrt(q.w * q.w + dot(q.v, q.v));
    return {q.w / size, q.v / size};
}

/// Cubic through key values; the slope at an inner key is that between its neighbours, zero at
/// the ends, where the motion stops.
template <class Value>
auto cubic(std::size_t i, std::size_t last, double s, const Value& value, const auto& time) {
    using V = decltype(value(i));
    const auto slope = [&](std::size_t k) {
        if (k == 0 || k == last) return V{};
        return (value(k + 1) - value(k - 1)) / (time(k + 1) - time(k - 1));
    };
    const double span = time(i + 1) - time(i), s2 = s * s, s3 = s2 * s;
    return value(i) * (2 * s3 - 3 * s2 + 1) + slope(i) * ((s3 - 2 * s2 + s) * span) +
           value(i + 1) * (3 * s2 - 2 * s3) + slope(i + 1) * ((s3 - s2) * span);
}

bool parallel(const Point<3>& a, const Point<3>& b) {
    return length(cross(a, b)) <= 1e-9 * length(a) * length(b);
}

template <class T, int N>
bool is_finite(const Vec<T, N>& x) {
    for (int d = 0; d < N; ++d)
        if (!std::isfinite(x[d])) return false;
    return true;
}

}  // namespace

template <>
Mat<2> rotation_matrix<2>(const Point<3>& degrees) {
    const double c = std::cos(degrees[2] * kRadians), s = std::sin(degrees[2] * kRadians);
    Mat<2> m;
    m.row[0] = {c, -s};
    m.row[1] = {s, c};
    return m;
}
template <>
Mat<3> rotation_matrix<3>(const Point<3>& degrees) {
    return matrix(quaternion(degrees));
}

template <int D>
Motion<D>::Motion(std::vector<Key<D>> keys, bool smooth) : keys_(std::move(keys)), smooth_(smooth) {
    Point<3> longest;
    for (std::size_t i = 0; i < keys_.size(); ++i) {
        Key<D>& key = keys_[i];
        if (!std::isfinite(key.time) || !is_finite(key.position) || !is_finite(key.rotation))
            throw InputError(fmt::format("keyframe {} holds a number that is not finite", i));
        if (i > 0 && !(key.time > keys_[i - 1].time))
            throw InputError(
                fmt::format("keyframe {} at {} s does not come after the one at {} s; "
                            "times must increase",
                            i, key.time, keys_[i - 1].time));
        if constexpr (D == 2) key.rotation[0] = key.rotation[1] = 0;
        if (length(key.rotation) > length(longest)) longest = key.rotation;
    }
    for (const Key<D>& key : keys_) one_axis_ = one_axis_ && parallel(key.rotation, longest);
}

template <int D>
Transform<D> Motion<D>::at(double time) const {
    if (keys_.empty()) return {};
    const auto still = [](const Key<D>& key) {
        return Transform<D>{rotation_matrix<D>(key.rotation), key.position};
    };
    if (time <= keys_.front().time) return still(keys_.front());
    if (time >= keys_.back().time) return still(keys_.back());

    std::size_t i = 0;
    while (time >= keys_[i + 1].time) ++i;
    const Key<D>&a = keys_[i], &b = keys_[i + 1];
    const double s = (time - a.time) / (b.time - a.time);

    const auto between = [&](auto member) {
        const auto value = [&](std::size_t k) { return keys_[k].*member; };
        if (!smooth_) return value(i) * (1 - s) + value(i + 1) * s;
        const auto at_key = [&](std::size_t k) { return keys_[k].time; };
        return cubic(i, keys_.size() - 1, s, value, at_key);
    };
    Transform<D> t;
    t.translation = between(&Key<D>::position);
    if (one_axis_) {
        t.rotation = rotation_matrix<D>(between(&Key<D>::rotation));
    } else if constexpr (D == 3) {
        const double eased = smooth_ ? s * s * (3 - 2 * s) : s;
        t.rotation = matrix(slerp(quaternion(a.rotation), quaternion(b.rotation), eased));
    }
    return t;
}

template <int D>
Point<D> Motion<D>::velocity(const Point<D>& x, double time, double dt) const {
    if (!moving()) return {};
    return mean_velocity(at(time), at(time + dt), x, dt);
}

template class Motion<2>;
template class Motion<3>;

}  // namespace slosh
