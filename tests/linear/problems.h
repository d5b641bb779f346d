// Systems to solve: liquid in a sphere with a wavy surface, and variations on it.
#pragma once

#include <cmath>
#include <functional>

#include "slosh/base/hash.h"
#include "slosh/linear/system.h"

namespace slosh::test {

/// A pressure system on an n^D grid of the unit box from two level sets, negative inside: faces
/// carry the fraction that `solid` leaves open (crudely: from the level set at the face), and the
/// surface of `liquid` enters by the ghost fluid. b is that of a swirling, falling velocity.
template <int D>
BlockSystem<D> pressure_system(int n, const std::function<double(const Point<D>&)>& solid,
                               const std::function<double(const Point<D>&)>& liquid,
                               double smallest_theta = 1e-3) {
    const double h = 1.0 / n;
    const int side = (n + kSide - 1) / kSide;
    auto centre = [&](const Index<D>& c) {
        return (c.template as<double>() + Point<D>::filled(0.5)) * h;
    };
    std::vector<Index<D>> coords;
    for (int z = 0; z < (D == 3 ? side : 1); ++z)
        for (int y = 0; y < side; ++y)
            for (int x = 0; x < side; ++x) {
                Index<D> c;
                c[0] = x;
                c[1] = y;
                if constexpr (D == 3) c[2] = z;
                const Point<D> mid =
                    (c.template as<double>() + Point<D>::filled(0.5)) * (kSide * h);
                const double reach = kSide * h * std::sqrt(double(D)) / 2 * 1.5 + 2 * h;
                if (liquid(mid) < reach && -solid(mid) < reach) coords.push_back(c);
            }
    auto blocks = std::make_shared<const Blocks<D>>(std::move(coords));
    BlockSystem<D> s(blocks);
    auto open = [&](const Index<D>& c, int axis) {
        Point<D> g = centre(c);
        g[axis] -= 0.5 * h;
        return std::clamp(0.5 + solid(g) / h, 0.0, 1.0);
    };
    parallel_for(blocks->size(), 4, [&](std::size_t i) {
        const int b = static_cast<int>(i);
        const Index<D> first = blocks->first_cell(b);
        for (int o = 0; o < kBlockCells<D>; ++o) {
            const Index<D> c = first + local_cell<D>(o);
            if (!(liquid(centre(c)) < 0)) continue;
            double total = 0;
            for (int side2 = 0; side2 < 2 * D; ++side2) {
                Index<D> f = c;
                f[side2 / 2] += side2 % 2;
                total += open(f, side2 / 2);
            }
            if (total == 0) continue;
            s.unknown.block(b)[o] = 1;
        }
    });
    const double scale = 1.0;
    parallel_for(blocks->size(), 4, [&](std::size_t i) {
        const int b = static_cast<int>(i);
        const Index<D> first = blocks->first_cell(b);
        for (int o = 0; o < kBlockCells<D>; ++o) {
            if (!s.unknown.block(b)[o]) continue;
            const Index<D> c = first + local_cell<D>(o);
            const double phi = liquid(centre(c));
            double excess = 0, divergence = 0;
            for (int side2 = 0; side2 < 2 * D; ++side2) {
                const int axis = side2 / 2, up = side2 % 2;
                Index<D> face = c, other = c;
                face[axis] += up;
                other[axis] += 2 * up - 1;
                const double w = open(face, axis);
                Point<D> at = centre(face);
                at[axis] -= 0.5 * h;
                double u = axis == 1 ? -1.0 : 0.0;
                if (axis == 0) u = 0.7 * std::sin(5 * at[1]) + 0.2 * std::cos(9 * at[0]);
                if (axis == 1) u += 0.5 * std::sin(7 * at[0] + 1);
                divergence += (up ? 1 : -1) * w * u;
                if (w <= 0) continue;
                const double phi2 = liquid(centre(other));
                if (phi2 < 0) {
                    if (!up && s.unknown.get(other))
                        s.coefficient.axis(axis).block(b)[o] = static_cast<float>(w * scale);
                } else {
                    const double theta = std::max(smallest_theta, phi / (phi - phi2));
                    excess += w * scale / theta;
                }
            }
            s.excess.block(b)[o] = static_cast<float>(excess);
            s.rhs.block(b)[o] = -divergence;
        }
    });
    return s;
}

template <int D>
double sphere_solid(const Point<D>& x) {
    return 0.45 - length(x - Point<D>::filled(0.5));
}
template <int D>
double wavy_liquid(const Point<D>& x) {
    double s = x[1] - 0.5 - 0.02 * std::sin(20 * x[0]);
    if constexpr (D == 3) s -= 0.02 * std::cos(17 * x[2]);
    return s;
}
/// The sphere of radius 0.45, half full, with waves.
template <int D>
BlockSystem<D> sphere_system(int n) {
    return pressure_system<D>(n, sphere_solid<D>, wavy_liquid<D>);
}

}  // namespace slosh::test
