#include "slosh/rigid/mass.h"

#include "slosh/base/error.h"
#include "slosh/base/parallel.h"
#include "slosh/shape/fractions.h"

namespace slosh {

namespace {

/// Volume, first and second moments about the origin.
template <int D>
struct Moments {
    double volume = 0;
    Point<D> first;
    Mat<D> second;

    void add(const Moments& o, double factor = 1) {
        volume += factor * o.volume;
        first += o.first * factor;
        for (int i = 0; i < D; ++i) second.row[i] += o.second.row[i] * factor;
    }
};

template <int D>
double open_cell(const double* p) {
    if constexpr (D == 2)
        return open_square(p);
    else
        return open_cube(p);
}

/// One slab of cells across the last axis.
template <int D>
Moments<D> slab_moments(const Shape<D>& shape, const Point<D>& lower, const Point<D>& h,
                        const Index<D>& cells, int slab) {
    Moments<D> m;
    Index<D> i;
    i[D - 1] = slab;
    double size = 1;
    for (int d = 0; d < D; ++d) size *= h[d];
    const auto add_cell = [&] {
        Point<D> corner0 = lower;
        for (int d = 0; d < D; ++d) corner0[d] += i[d] * h[d];
        const Point<D> centre = corner0 + h * 0.5;
        const double middle = shape.distance(centre), reach = 0.5 * length(h);
        if (middle > reach) return;
        double inside = 1;
        if (middle > -reach) {
            double corner[1 << D];
            for (int c = 0; c < 1 << D; ++c) {
                Point<D> x = corner0;
                for (int d = 0; d < D; ++d) x[d] += (c >> d & 1) * h[d];
                corner[c] = shape.distance(x);
            }
            inside = 1 - open_cell<D>(corner);
        }
        const double v = inside * size;
        m.volume += v;
        m.first += centre * v;
        for (int r = 0; r < D; ++r) {
            m.second.row[r] += centre * (v * centre[r]);
            m.second.row[r][r] += v * h[r] * h[r] / 12;
        }
    };
    for (i[0] = 0; i[0] < cells[0]; ++i[0]) {
        if constexpr (D == 2)
            add_cell();
        else
            for (i[1] = 0; i[1] < cells[1]; ++i[1]) add_cell();
    }
    return m;
}

/// On cells that fill the bounds exactly, so that a box along the axes comes out as it is.
template <int D>
Moments<D> moments(const Shape<D>& shape, const Box<D>& box, int cells) {
    const Point<D> size = box.hi - box.lo;
    double longest = 0;
    for (int d = 0; d < D; ++d) longest = std::max(longest, size[d]);
    Index<D> n;
    Point<D> h;
    for (int d = 0; d < D; ++d) {
        n[d] = std::max(1, static_cast<int>(std::ceil(cells * size[d] / longest - 1e-9)));
        h[d] = size[d] / n[d];
    }
    std::vector<Moments<D>> slabs(n[D - 1]);
    parallel_for(slabs.size(), 1, [&](std::size_t s) {
        slabs[s] = slab_moments(shape, box.lo, h, n, static_cast<int>(s));
    });
    Moments<D> sum;
    for (const Moments<D>& s : slabs) sum.add(s);
    return sum;
}

}  // namespace

template <int D>
MassProperties<D> mass_properties(const Shape<D>& shape, double density,
                                  const MassOptions& options) {
    const Box<D> box = shape.bounds();
    for (int d = 0; d < D; ++d)
        if (!(box.hi[d] - box.lo[d] < 1e20))
            throw InputError("a body needs a shape with an end on every side");
    Moments<D> m;
    m.add(moments(shape, box, 2 * options.cells), 4.0 / 3);
    m.add(moments(shape, box, options.cells), -1.0 / 3);
    if (!(m.volume > 0)) throw InputError("the shape of a body holds no volume");

    MassProperties<D> out;
    out.volume = m.volume;
    out.mass = density * m.volume;
    out.centre = m.first / m.volume;
    // About the centre; then I = trace(S) 1 - S.
    Mat<D> s = m.second;
    for (int i = 0; i < D; ++i) s.row[i] -= out.centre * (m.volume * out.centre[i]);
    double trace = 0;
    for (int i = 0; i < D; ++i) trace += s.row[i][i];
    out.inertia.row[2][2] = density * trace;
    if constexpr (D == 3)
        for (int i = 0; i < 3; ++i) {
            out.inertia.row[i] = s.row[i] * -density;
            out.inertia.row[i][i] += density * trace;
        }
    return out;
}

template MassProperties<2> mass_properties<2>(const Shape<2>&, double, const MassOptions&);
template MassProperties<3> mass_properties<3>(const Shape<3>&, double, const MassOptions&);

}  // namespace slosh
