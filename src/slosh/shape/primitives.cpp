#include "slosh/shape/primitives.h"

#include <fmt/format.h>

#include "slosh/base/error.h"

namespace slosh {

namespace {

void require(bool ok, const char* what) {
    if (!ok) throw InputError(what);
}
template <int D>
bool is_finite(const Point<D>& x) {
    for (int d = 0; d < D; ++d)
        if (!std::isfinite(x[d])) return false;
    return true;
}
void require_size(double size, const char* what) {
    if (!(std::isfinite(size) && size > 0))
        throw InputError(fmt::format("{} is {}; it must be a positive number", what, size));
}
template <int D>
Point<D> direction(const Point<D>& v, const char* what) {
    const double size = length(v);
    if (!std::isfinite(size) || size < 1e-150)
        throw InputError(fmt::format("{} has no direction; give a vector that is not zero", what));
    return v / size;
}
/// The box around two points, grown so that rounding leaves nothing outside.
template <int D>
Box<D> around(const Point<D>& a, const Point<D>& b, double by) {
    return Box<D>{min(a, b), max(a, b)}.grown(by);
}

/// Signed distance of the axis-aligned box around 0 with half sizes h, from |x| - h.
template <int N>
double box_distance(const Vec<double, N>& excess) {
    double outside = 0, largest = excess[0];
    for (int d = 0; d < N; ++d) {
        outside += std::max(excess[d], 0.0) * std::max(excess[d], 0.0);
        largest = std::max(largest, excess[d]);
    }
    return largest <= 0 ? largest : std::sqrt(outside);
}

template <int D>
struct BoxShape final : Shape<D> {
    Point<D> lo, hi;
    double rounding;
    BoxShape(const Point<D>& l, const Point<D>& h, double r) : lo(l), hi(h), rounding(r) {}
    double distance(const Point<D>& x) const override {
        Point<D> excess;  // beyond the nearer side; exact on sides that are grid lines
        for (int d = 0; d < D; ++d) excess[d] = std::max(lo[d] - x[d], x[d] - hi[d]) + rounding;
        return box_distance(excess) - rounding;
    }
    Box<D> bounds() const override { return {lo, hi}; }
};

template <int D>
struct SphereShape final : Shape<D> {
    Point<D> centre;
    double radius;
    SphereShape(const Point<D>& c, double r) : centre(c), radius(r) {}
    double distance(const Point<D>& x) const override { return length(x - centre) - radius; }
    Box<D> bounds() const override { return around(centre, centre, radius); }
};

template <int D>
struct CapsuleShape final : Shape<D> {
    Point<D> a, b;
    double radius;
    CapsuleShape(const Point<D>& p, const Point<D>& q, double r) : a(p), b(q), radius(r) {}
    double distance(const Point<D>& x) const override {
        const Point<D> along = b - a;
        const double square = dot(along, along);
        const double s = square > 0 ? std::clamp(dot(x - a, along) / square, 0.0, 1.0) : 0.0;
        return length(x - a - along * s) - radius;
    }
    Box<D> bounds() const override { return around(a, b, radius); }
};

template <int D>
struct CylinderShape final : Shape<D> {
    Point<D> a, b, axis;
    double size, radius;
    CylinderShape(const Point<D>& p, const Point<D>& q, double r)
        : a(p), b(q), axis(direction(q - p, "cylinder axis")), size(length(q - p)), radius(r) {}
    double distance(const Point<D>& x) const override {
        const double along = dot(x - a, axis);
        const double off = length(x - a - axis * along);
        return box_distance(Vec<double, 2>{std::max(-along, along - size), off - radius});
    }
    Box<D> bounds() const override {
        Box<D> box{min(a, b), max(a, b)};
        for (int d = 0; d < D; ++d) {  // half width of a disc whose normal is `axis`
            const double half = radius * std::sqrt(std::max(0.0, 1 - axis[d] * axis[d]));
            box.lo[d] -= half;
            box.hi[d] += half;
        }
        return box;
    }
};

template <int D>
struct TorusShape final : Shape<D> {
    Point<D> centre, axis;
    double major, minor;
    TorusShape(const Point<D>& c, const Point<D>& n, double R, double r)
        : centre(c), axis(n), major(R), minor(r) {}
    double distance(const Point<D>& x) const override {
        const Point<D> r = x - centre;
        if constexpr (D == 2) return std::abs(length(r) - major) - minor;
        const double along = dot(r, axis);
        return std::hypot(length(r - axis * along) - major, along) - minor;
    }
    Box<D> bounds() const override { return around(centre, centre, major + minor); }
};

template <int D>
struct SlabShape final : Shape<D> {
    Point<D> point, normal;
    double half;  ///< Half the thickness; negative for a half-space.
    SlabShape(const Point<D>& p, const Point<D>& n, double h) : point(p), normal(n), half(h) {}
    double distance(const Point<D>& x) const override {
        const double height = dot(x - point, normal);
        return half < 0 ? height : std::abs(height) - half;
    }
    Box<D> bounds() const override {
        Box<D> box = Box<D>::everywhere();
        for (int d = 0; d < D; ++d) {
            if (std::abs(normal[d]) != 1) continue;  // only then is the box bounded at all
            if (half >= 0) {
                box.lo[d] = point[d] - half;
                box.hi[d] = point[d] + half;
            } else {
                (normal[d] > 0 ? box.hi : box.lo)[d] = point[d];
            }
        }
        return box;
    }
};

template <int D>
struct PlacedShape final : Shape<D> {
    ShapePtr<D> shape;
    Transform<D> to;
    PlacedShape(ShapePtr<D> s, const Transform<D>& t) : shape(std::move(s)), to(t) {}
    double distance(const Point<D>& x) const override { return shape->distance(to.unapply(x)); }
    Box<D> bounds() const override {
        const Box<D> local = shape->bounds();
        const Box<D> all = Box<D>::everywhere();
        Box<D> box{to.translation, to.translation};
        for (int i = 0; i < D; ++i) {
            for (int j = 0; j < D; ++j) {
                const double r = to.rotation.row[i][j];
                if (r == 0) continue;
                box.lo[i] += r * (r > 0 ? local.lo[j] : local.hi[j]);
                box.hi[i] += r * (r > 0 ? local.hi[j] : local.lo[j]);
            }
        }
        return {max(box.lo, all.lo), min(box.hi, all.hi)};
    }
};

template <int D>
struct ScaledShape final : Shape<D> {
    ShapePtr<D> shape;
    double factor;
    ScaledShape(ShapePtr<D> s, double f) : shape(std::move(s)), factor(f) {}
    double distance(const Point<D>& x) const override {
        return factor * shape->distance(x / factor);
    }
    Box<D> bounds() const override {
        const Box<D> local = shape->bounds(), all = Box<D>::everywhere();
        Box<D> box{local.lo * factor, local.hi * factor};
        for (int d = 0; d < D; ++d) {  // "everywhere" stays everywhere
            if (local.lo[d] <= all.lo[d]) box.lo[d] = all.lo[d];
            if (local.hi[d] >= all.hi[d]) box.hi[d] = all.hi[d];
        }
        return box;
    }
};

}  // namespace

template <int D>
ShapePtr<D> box(const Point<D>& lo, const Point<D>& hi, double rounding) {
    require(is_finite(lo) && is_finite(hi), "box corners must be finite numbers");
    double smallest = hi[0] - lo[0];
    for (int d = 0; d < D; ++d) smallest = std::min(smallest, hi[d] - lo[d]);
    require(smallest > 0, "a box needs lower corners below its upper corners along every axis");
    require(rounding >= 0 && rounding <= smallest / 2,
            "the rounding of a box must be between 0 and half its smallest side");
    return std::make_shared<BoxShape<D>>(lo, hi, rounding);
}

template <int D>
ShapePtr<D> sphere(const Point<D>& centre, double radius) {
    require(is_finite(centre), "the centre of a sphere must be finite numbers");
    require_size(radius, "sphere radius");
    return std::make_shared<SphereShape<D>>(centre, radius);
}

template <int D>
ShapePtr<D> capsule(const Point<D>& a, const Point<D>& b, double radius) {
    require(is_finite(a) && is_finite(b), "the ends of a capsule must be finite numbers");
    require_size(radius, "capsule radius");
    return std::make_shared<CapsuleShape<D>>(a, b, radius);
}

template <int D>
ShapePtr<D> cylinder(const Point<D>& a, const Point<D>& b, double radius) {
    require(is_finite(a) && is_finite(b), "the ends of a cylinder must be finite numbers");
    require_size(radius, "cylinder radius");
    return std::make_shared<CylinderShape<D>>(a, b, radius);
}

template <int D>
ShapePtr<D> torus(const Point<D>& centre, const Point<D>& axis, double major, double minor) {
    require(is_finite(centre), "the centre of a torus must be finite numbers");
    require_size(major, "torus major radius");
    require_size(minor, "torus minor radius");
    require(minor <= major, "the minor radius of a torus must not exceed its major radius");
    const Point<D> n = D == 3 ? direction(axis, "torus axis") : axis;
    return std::make_shared<TorusShape<D>>(centre, n, major, minor);
}

template <int D>
ShapePtr<D> half_space(const Point<D>& point, const Point<D>& normal) {
    require(is_finite(point), "the point of a half-space must be finite numbers");
    return std::make_shared<SlabShape<D>>(point, direction(normal, "half-space normal"), -1);
}

template <int D>
ShapePtr<D> plane(const Point<D>& point, const Point<D>& normal, double thickness) {
    require(is_finite(point), "the point of a plane must be finite numbers");
    require_size(thickness, "plane thickness");
    return std::make_shared<SlabShape<D>>(point, direction(normal, "plane normal"), thickness / 2);
}

template <int D>
ShapePtr<D> placed(ShapePtr<D> shape, const Transform<D>& transform) {
    SLOSH_EXPECT(shape != nullptr);
    return std::make_shared<PlacedShape<D>>(std::move(shape), transform);
}

template <int D>
ShapePtr<D> scaled(ShapePtr<D> shape, double factor) {
    SLOSH_EXPECT(shape != nullptr);
    require_size(factor, "scale");
    return std::make_shared<ScaledShape<D>>(std::move(shape), factor);
}

#define INSTANTIATE(D)                                                               \
    template ShapePtr<D> box<D>(const Point<D>&, const Point<D>&, double);           \
    template ShapePtr<D> sphere<D>(const Point<D>&, double);                         \
    template ShapePtr<D> capsule<D>(const Point<D>&, const Point<D>&, double);       \
    template ShapePtr<D> cylinder<D>(const Point<D>&, const Point<D>&, double);      \
    template ShapePtr<D> torus<D>(const Point<D>&, const Point<D>&, double, double); \
    template ShapePtr<D> half_space<D>(const Point<D>&, const Point<D>&);            \
    template ShapePtr<D> plane<D>(const Point<D>&, const Point<D>&, double);         \
    template ShapePtr<D> placed<D>(ShapePtr<D>, const Transform<D>&);                \
    template ShapePtr<D> scaled<D>(ShapePtr<D>, double);
INSTANTIATE(2)
INSTANTIATE(3)
#undef INSTANTIATE

}  // namespace slosh
