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

/// Cells along a side of a lump: where no surface runs, a lump counts as one box.
constexpr int kLump = 8;

/// A grid of cells of size h.
template <int D>
struct Cells {
    Point<D> lower, h;
    Index<D> count;
};

/// What lies inside of the cells [low, high): all of it, if the surface is out of reach of the
/// middle; cell by cell, if there is but one; else as much as its halves hold.
template <int D>
void add_cells(const Shape<D>& shape, const Cells<D>& cells, const Index<D>& low,
               const Index<D>& high, Moments<D>& m) {
    Point<D> corner0, size;
    double volume = 1;
    bool one = true;
    for (int d = 0; d < D; ++d) {
        corner0[d] = cells.lower[d] + low[d] * cells.h[d];
        size[d] = (high[d] - low[d]) * cells.h[d];
        volume *= size[d];
        one = one && high[d] == low[d] + 1;
    }
    const Point<D> centre = corner0 + size * 0.5;
    const double middle = shape.distance(centre), reach = 0.5 * length(size);
    if (middle > reach) return;
    if (middle > -reach) {
        if (!one) {
            for (int part = 0; part < 1 << D; ++part) {
                Index<D> from = low, to = high;
                bool empty = false;
                for (int d = 0; d < D; ++d) {
                    const int half = low[d] + (high[d] - low[d] + 1) / 2;
                    ((part >> d & 1) ? from : to)[d] = half;
                    empty = empty || from[d] == to[d];
                }
                if (!empty) add_cells(shape, cells, from, to, m);
            }
            return;
        }
        double corner[1 << D];
        for (int c = 0; c < 1 << D; ++c) {
            Point<D> x = corner0;
            for (int d = 0; d < D; ++d) x[d] += (c >> d & 1) * size[d];
            corner[c] = shape.distance(x);
        }
        volume *= 1 - open_cell<D>(corner);
    }
    m.volume += volume;
    m.first += centre * volume;
    for (int r = 0; r < D; ++r) {
        m.second.row[r] += centre * (volume * centre[r]);
        m.second.row[r][r] += volume * size[r] * size[r] / 12;
    }
}

/// On cells that fill the bounds exactly, so that a box along the axes comes out as it is.
template <int D>
Moments<D> moments(const Shape<D>& shape, const Box<D>& box, int cells) {
    const Point<D> size = box.hi - box.lo;
    double longest = 0;
    for (int d = 0; d < D; ++d) longest = std::max(longest, size[d]);
    Cells<D> grid;
    grid.lower = box.lo;
    Index<D> lumps;
    std::size_t count = 1;
    for (int d = 0; d < D; ++d) {
        grid.count[d] = std::max(1, static_cast<int>(std::ceil(cells * size[d] / longest - 1e-9)));
        grid.h[d] = size[d] / grid.count[d];
        lumps[d] = (grid.count[d] + kLump - 1) / kLump;
        count *= static_cast<std::size_t>(lumps[d]);
    }
    std::vector<Moments<D>> parts(count);
    parallel_for(count, 1, [&](std::size_t n) {
        Index<D> low, high;
        std::size_t rest = n;
        for (int d = 0; d < D; ++d) {
            low[d] = static_cast<int>(rest % lumps[d]) * kLump;
            high[d] = std::min(low[d] + kLump, grid.count[d]);
            rest /= static_cast<std::size_t>(lumps[d]);
        }
        add_cells(shape, grid, low, high, parts[n]);
    });
    Moments<D> sum;
    for (const Moments<D>& p : parts) sum.add(p);
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
