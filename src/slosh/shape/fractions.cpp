#include "slosh/shape/fractions.h"

#include <algorithm>
#include <utility>

namespace slosh {

namespace {

/// Share of the edge from a towards b that has the sign of a (a and b on two sides, or one zero).
double reach(double a, double b) {
    return a / (a - b);
}

/// Area of the triangle that the zero line cuts off at a corner with its two neighbours.
double corner_triangle(double c, double n1, double n2) {
    return 0.5 * reach(c, n1) * reach(c, n2);
}

/// Open share of a tetrahedron on which phi is linear.
double open_tetrahedron(double a, double b, double c, double d) {
    // Sorted so that the open corners come first: a >= b >= c >= d.
    if (a < b) std::swap(a, b);
    if (c < d) std::swap(c, d);
    if (a < c) std::swap(a, c);
    if (b < d) std::swap(b, d);
    if (b < c) std::swap(b, c);
    if (d > 0) return 1;
    if (a <= 0) return 0;
    if (b <= 0) return reach(a, b) * reach(a, c) * reach(a, d);
    if (c > 0) return 1 - reach(d, a) * reach(d, b) * reach(d, c);
    // Two open corners: the open wedge a, ac, ad | b, bc, bd as three tetrahedra.
    const double ac = reach(a, c), ad = reach(a, d), bc = reach(b, c), bd = reach(b, d);
    return ac * ad + ac * (1 - ad) * bd + (1 - ac) * bc * bd;
}

}  // namespace

double open_segment(double a, double b) {
    if (a <= 0 && b <= 0) return 0;
    if (a > 0 && b > 0) return 1;
    return a > 0 ? reach(a, b) : reach(b, a);
}

double open_square(const double p[4]) {
    // Corners in turn around the square.
    const double c[4] = {p[0], p[1], p[3], p[2]};
    int open = 0, first = 0;
    for (int i = 0; i < 4; ++i) {
        open += c[i] > 0;
        if (c[i] > 0 && c[(i + 3) % 4] <= 0) first = i;  // an open corner after a closed one
    }
    if (open == 0) return 0;
    // Without a corner inside a solid, corners on its surface cut nothing off: so a cell in the
    // concave corner of two walls is open, though only one of its corners is.
    if (*std::min_element(c, c + 4) >= 0) return 1;
    const auto at = [&](int i) { return c[(first + i) % 4]; };
    if (open == 1) return corner_triangle(at(0), at(1), at(3));
    if (open == 3) return 1 - corner_triangle(at(3), at(2), at(0));
    if (at(1) > 0) return 0.5 * (reach(at(0), at(3)) + reach(at(1), at(2)));
    // Saddle: the two open corners are joined if the mean is open; on a tie, half of each. A
    // closed corner on the surface itself parts nothing.
    const double apart =
        corner_triangle(at(0), at(1), at(3)) + corner_triangle(at(2), at(1), at(3));
    const double joined =
        1 - corner_triangle(at(1), at(0), at(2)) - corner_triangle(at(3), at(0), at(2));
    const double mean = (c[0] + c[2]) + (c[1] + c[3]);
    if (at(1) == 0 || at(3) == 0) return joined;
    return mean > 0 ? joined : mean < 0 ? apart : 0.5 * (joined + apart);
}

double open_cube(const double p[8]) {
    const auto [low, high] = std::minmax_element(p, p + 8);
    if (*high <= 0) return 0;
    if (*low >= 0) return 1;  // as in the square
    double centre = 0;
    for (int i = 0; i < 8; ++i) centre += p[i];
    centre /= 8;
    // 24 tetrahedra: cube centre, face centre, and each of the face's four edges.
    double sum = 0;
    for (int axis = 0; axis < 3; ++axis)
        for (int side = 0; side < 2; ++side) {
            const int u = 1 << (axis + 1) % 3, v = 1 << (axis + 2) % 3, base = side << axis;
            const double ring[4] = {p[base], p[base + u], p[base + u + v], p[base + v]};
            const double face = ((ring[0] + ring[2]) + (ring[1] + ring[3])) / 4;
            for (int i = 0; i < 4; ++i)
                sum += open_tetrahedron(centre, face, ring[i], ring[(i + 1) % 4]);
        }
    return std::clamp(sum / 24, 0.0, 1.0);
}

}  // namespace slosh
