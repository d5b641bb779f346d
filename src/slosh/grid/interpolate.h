// Multilinear interpolation of fields at points given in grid coordinates.
#pragma once

#include "slosh/grid/field.h"

namespace slosh {

/// Value at grid point g of a field whose sample of cell i sits at i + shift.
template <int D>
double interpolate(Accessor<float, D>& f, const Point<D>& g, const Point<D>& shift) {
    Point<D> s = g - shift;
    const Index<D> base = floor(s);
    const Point<D> t = s - base.template as<double>();
    double sum = 0;
    for (int corner = 0; corner < kChildren<D>; ++corner) {
        double w = 1;
        Index<D> i = base;
        for (int d = 0; d < D; ++d) {
            const int up = corner >> d & 1;
            w *= up ? t[d] : 1 - t[d];
            i[d] += up;
        }
        if (w > 0) sum += w * f(i);
    }
    return sum;
}

/// Cell-centred field at a grid point.
template <int D>
double interpolate_cells(Accessor<float, D>& f, const Point<D>& g) {
    return interpolate(f, g, Point<D>::filled(0.5));
}

/// Reads a staggered velocity at arbitrary points.
template <int D>
class VelocitySampler {
public:
    explicit VelocitySampler(const FaceField<float, D>& u)
        : VelocitySampler(u, std::make_index_sequence<D>{}) {}
    Point<D> operator()(const Point<D>& g) {
        Point<D> v;
        for (int d = 0; d < D; ++d) {
            Point<D> shift = Point<D>::filled(0.5);
            shift[d] = 0;
            v[d] = interpolate(axis_[d], g, shift);
        }
        return v;
    }

private:
    template <std::size_t... I>
    VelocitySampler(const FaceField<float, D>& u, std::index_sequence<I...>)
        : axis_{Accessor<float, D>(u.axis(static_cast<int>(I)))...} {}
    Accessor<float, D> axis_[D];
};

}  // namespace slosh
