// Reading a field between cells. Positions are in cells; the centre of cell (x, y, z) is at (x, y,
// z).
#pragma once

#include <cmath>

#include "slosh/tall/velocity.h"

namespace slosh::tall {

/// Where a point lies: four columns, a height in each, and weights.
struct Stencil {
    int column[4];
    float weight[4];
    int y;     ///< World cell below the point.
    float up;  ///< Share of the cell above it.

    /// Clamped to the domain sideways: a wall shows what lies before it.
    Stencil(const Grid& g, float px, float py, float pz) {
        px = std::clamp(px, 0.0f, static_cast<float>(g.nx() - 1));
        pz = std::clamp(pz, 0.0f, static_cast<float>(g.nz() - 1));
        const float fx = std::floor(px), fy = std::floor(py), fz = std::floor(pz);
        const int x = static_cast<int>(fx), z = static_cast<int>(fz);
        const float ax = px - fx, az = pz - fz;
        const int dx = x + 1 < g.nx() ? g.step_x() : 0, dz = z + 1 < g.nz() ? g.step_z() : 0;
        column[0] = g.column(x, z);
        column[1] = column[0] + dx;
        column[2] = column[0] + dz;
        column[3] = column[2] + dx;
        weight[0] = (1 - ax) * (1 - az);
        weight[1] = ax * (1 - az);
        weight[2] = (1 - ax) * az;
        weight[3] = ax * az;
        y = static_cast<int>(fy);
        up = py - fy;
    }
};

/// Calls visit(weight, lower, upper, up) for the two values around the point in each column.
template <class T, class Visit>
inline void visit_stencil(const Columns<T>& f, const Grid& g, const Stencil& s,
                          const Visit& visit) {
    for (int k = 0; k < 4; ++k) {
        const int c = s.column[k], i = s.y - g.top(c);
        if (i >= -Grid::kBelow && i + 1 < g.length() + Grid::kBelow) {
            const T* p = f.at(c) + i;
            visit(s.weight[k], p[0], p[1]);
        } else {
            visit(s.weight[k], f.value(g, c, s.y, Under::Bottom),
                  f.value(g, c, s.y + 1, Under::Bottom));
        }
    }
}

template <class T>
inline T sample(const Columns<T>& f, const Grid& g, const Stencil& s) {
    T sum{};
    visit_stencil(f, g, s,
                  [&](float w, const T& a, const T& b) { sum += w * (a + s.up * (b - a)); });
    return sum;
}

/// The smallest box of values that contains those used.
template <class T>
struct Bounds {
    T low, high;
};
inline Bounds<Float4> sample_bounds(const Velocity& f, const Grid& g, const Stencil& s) {
    Bounds<Float4> box{Float4{} + 1e30f, Float4{} - 1e30f};
    visit_stencil(f, g, s, [&](float w, const Float4& a, const Float4& b) {
        if (w <= 0) return;
        box.low = a < box.low ? a : box.low;
        box.low = b < box.low ? b : box.low;
        box.high = a > box.high ? a : box.high;
        box.high = b > box.high ? b : box.high;
    });
    return box;
}

}  // namespace slosh::tall
