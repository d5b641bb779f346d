#include "slosh/shape/csg.h"

#include <fmt/format.h>

#include "slosh/base/error.h"

namespace slosh {

namespace {

template <int D>
struct UnionShape final : Shape<D> {
    std::vector<ShapePtr<D>> parts;
    explicit UnionShape(std::vector<ShapePtr<D>> p) : parts(std::move(p)) {}
    double distance(const Point<D>& x) const override {
        double d = parts[0]->distance(x);
        for (std::size_t i = 1; i < parts.size(); ++i) d = std::min(d, parts[i]->distance(x));
        return d;
    }
    Box<D> bounds() const override {
        Box<D> box = parts[0]->bounds();
        for (const auto& part : parts) {
            const Box<D> b = part->bounds();
            box = {min(box.lo, b.lo), max(box.hi, b.hi)};
        }
        return box;
    }
};

template <int D>
struct IntersectionShape final : Shape<D> {
    std::vector<ShapePtr<D>> parts;
    explicit IntersectionShape(std::vector<ShapePtr<D>> p) : parts(std::move(p)) {}
    double distance(const Point<D>& x) const override {
        double d = parts[0]->distance(x);
        for (std::size_t i = 1; i < parts.size(); ++i) d = std::max(d, parts[i]->distance(x));
        return d;
    }
    Box<D> bounds() const override {
        Box<D> box = Box<D>::everywhere();
        for (const auto& part : parts) {
            const Box<D> b = part->bounds();
            box = {max(box.lo, b.lo), min(box.hi, b.hi)};
        }
        return box;
    }
};

template <int D>
struct InverseShape final : Shape<D> {
    ShapePtr<D> shape;
    explicit InverseShape(ShapePtr<D> s) : shape(std::move(s)) {}
    double distance(const Point<D>& x) const override { return -shape->distance(x); }
    Box<D> bounds() const override { return Box<D>::everywhere(); }
};

template <int D>
struct ShellShape final : Shape<D> {
    ShapePtr<D> shape;
    double middle, half;  ///< Solid where |distance - middle| <= half.
    ShellShape(ShapePtr<D> s, double m, double h) : shape(std::move(s)), middle(m), half(h) {}
    double distance(const Point<D>& x) const override {
        return std::abs(shape->distance(x) - middle) - half;
    }
    Box<D> bounds() const override {
        // A distance that is only a bound grows a corner by more than the offset itself.
        const double outward = std::max(0.0, middle + half) * std::sqrt(double(D));
        const Box<D> all = Box<D>::everywhere(), box = shape->bounds().grown(outward);
        return {max(box.lo, all.lo), min(box.hi, all.hi)};
    }
};

}  // namespace

template <int D>
ShapePtr<D> unite(std::vector<ShapePtr<D>> parts) {
    if (parts.empty()) throw InputError("a union needs at least one shape");
    for (const auto& part : parts) SLOSH_EXPECT(part != nullptr);
    if (parts.size() == 1) return parts[0];
    return std::make_shared<UnionShape<D>>(std::move(parts));
}

template <int D>
ShapePtr<D> intersect(std::vector<ShapePtr<D>> parts) {
    if (parts.empty()) throw InputError("an intersection needs at least one shape");
    for (const auto& part : parts) SLOSH_EXPECT(part != nullptr);
    if (parts.size() == 1) return parts[0];
    return std::make_shared<IntersectionShape<D>>(std::move(parts));
}

template <int D>
ShapePtr<D> invert(ShapePtr<D> shape) {
    SLOSH_EXPECT(shape != nullptr);
    // Twice inverted is the shape itself, with its bounds.
    if (const auto* inverse = dynamic_cast<const InverseShape<D>*>(shape.get()))
        return inverse->shape;
    return std::make_shared<InverseShape<D>>(std::move(shape));
}

template <int D>
ShapePtr<D> subtract(ShapePtr<D> a, ShapePtr<D> b) {
    return intersect<D>({std::move(a), invert<D>(std::move(b))});
}

template <int D>
ShapePtr<D> shell(ShapePtr<D> shape, double thickness, ShellSide side) {
    SLOSH_EXPECT(shape != nullptr);
    if (!(std::isfinite(thickness) && thickness > 0))
        throw InputError(
            fmt::format("shell thickness is {}; it must be a positive number", thickness));
    const double half = thickness / 2;
    const double middle = side == ShellSide::Inward ? -half : side == ShellSide::Outward ? half : 0;
    return std::make_shared<ShellShape<D>>(std::move(shape), middle, half);
}

#define INSTANTIATE(D)                                           \
    template ShapePtr<D> unite<D>(std::vector<ShapePtr<D>>);     \
    template ShapePtr<D> intersect<D>(std::vector<ShapePtr<D>>); \
    template ShapePtr<D> subtract<D>(ShapePtr<D>, ShapePtr<D>);  \
    template ShapePtr<D> invert<D>(ShapePtr<D>);                 \
    template ShapePtr<D> shell<D>(ShapePtr<D>, double, ShellSide);
INSTANTIATE(2)
INSTANTIATE(3)
#undef INSTANTIATE

}  // namespace slosh
