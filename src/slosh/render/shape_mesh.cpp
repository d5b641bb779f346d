#include "slosh/render/shape_mesh.h"

#include <cmath>
#include <unordered_map>

#include "slosh/base/error.h"
#include "slosh/base/parallel.h"

namespace slosh {

namespace {

constexpr int kBlock = 8;           // cells along the edge of a search block
constexpr int kNodes = kBlock + 2;  // nodes that a block samples: its cells' corners and one more

struct Lattice {
    Point<3> origin;
    double dx = 1;
    Index<3> cells;
    Point<3> node(int x, int y, int z) const {
        return origin + Point<3>{double(x), double(y), double(z)} * dx;
    }
};

/// What one block found: a vertex per crossed cell, and quads around crossed edges as the keys of
/// the four cells about the edge (which may lie in other blocks).
struct Part {
    std::vector<std::uint64_t> cell;
    std::vector<Point<3>> vertex;
    std::vector<std::array<std::uint64_t, 4>> quads;
};

std::uint64_t cell_key(const Lattice& l, int x, int y, int z) {
    return (std::uint64_t(z) * (l.cells[1] + 1) + y) * (l.cells[0] + 1) + x;
}

Point<3> gradient(const Shape<3>& s, const Point<3>& x, double h) {
    Point<3> g;
    for (int d = 0; d < 3; ++d) {
        Point<3> a = x, b = x;
        a[d] -= h;
        b[d] += h;
        g[d] = s.distance(b) - s.distance(a);
    }
    const double len = length(g);
    return len > 0 ? g / len : g;
}

/// The zero between two nodes: a few steps of regula falsi with bisection as a safeguard.
Point<3> crossing(const Shape<3>& s, Point<3> a, Point<3> b, double fa, double fb) {
    for (int i = 0; i < 6; ++i) {
        const double t = std::clamp(fa / (fa - fb), 0.1, 0.9);
        const Point<3> m = a + (b - a) * t;
        const double fm = s.distance(m);
        if (std::abs(fm) < 1e-9) return m;
        if ((fm < 0) == (fa < 0)) {
            a = m;
            fa = fm;
        } else {
            b = m;
            fb = fm;
        }
    }
    return a + (b - a) * (fa / (fa - fb));
}

/// Minimises sum (n_i . (x - p_i))^2 + r |x - mean|^2: the point where the planes meet, and the
/// mean of the crossings along directions that the planes leave free.
Point<3> meet(const std::vector<Point<3>>& p, const std::vector<Point<3>>& n,
              const Point<3>& mean) {
    double a[3][3] = {}, b[3] = {};
    for (std::size_t i = 0; i < p.size(); ++i) {
        const double off = dot(n[i], p[i] - mean);
        for (int r = 0; r < 3; ++r) {
            b[r] += n[i][r] * off;
            for (int c = 0; c < 3; ++c) a[r][c] += n[i][r] * n[i][c];
        }
    }
    for (int r = 0; r < 3; ++r) a[r][r] += 1e-3 * double(p.size());
    const Point<3> r0 = {a[0][0], a[0][1], a[0][2]}, r1 = {a[1][0], a[1][1], a[1][2]},
                   r2 = {a[2][0], a[2][1], a[2][2]}, rhs = {b[0], b[1], b[2]};
    const double det = dot(r0, cross(r1, r2));
    // Cramer's rule; the matrix is symmetric, so rows are columns.
    return mean +
           Point<3>{dot(rhs, cross(r1, r2)), dot(r0, cross(rhs, r2)), dot(r0, cross(r1, rhs))} /
               det;
}

/// Vertices and quads of the block whose lowest cell is `first`.
Part contour_block(const Shape<3>& shape, const Lattice& l, const Index<3>& first) {
    Part part;
    const Point<3> middle =
        l.node(first[0], first[1], first[2]) + Point<3>::filled(0.5 * kNodes * l.dx);
    if (std::abs(shape.distance(middle)) > 0.87 * kNodes * l.dx) return part;

    double f[kNodes][kNodes][kNodes];
    for (int z = 0; z < kNodes; ++z)
        for (int y = 0; y < kNodes; ++y)
            for (int x = 0; x < kNodes; ++x) {
                f[z][y][x] = shape.distance(l.node(first[0] + x, first[1] + y, first[2] + z));
            }
    const auto value = [&](const Index<3>& i) { return f[i[2]][i[1]][i[0]]; };
    const auto at = [&](const Index<3>& i) {
        return l.node(first[0] + i[0], first[1] + i[1], first[2] + i[2]);
    };

    std::vector<Point<3>> points, normals;
    for (int z = 0; z < kBlock; ++z)
        for (int y = 0; y < kBlock; ++y)
            for (int x = 0; x < kBlock; ++x) {
                const Index<3> cell = {x, y, z};
                bool inside = true;
                for (int d = 0; d < 3; ++d) inside = inside && first[d] + cell[d] < l.cells[d];
                if (!inside) continue;
                points.clear();
                normals.clear();
                Point<3> mean;
                for (int axis = 0; axis < 3; ++axis)
                    for (int k = 0; k < 4; ++k) {
                        Index<3> i = cell;
                        i[(axis + 1) % 3] += k & 1;
                        i[(axis + 2) % 3] += k >> 1;
                        const Index<3> j = i + unit<3>(axis);
                        if ((value(i) < 0) == (value(j) < 0)) continue;
                        points.push_back(crossing(shape, at(i), at(j), value(i), value(j)));
                        normals.push_back(gradient(shape, points.back(), 1e-3 * l.dx));
                        mean += points.back();
                    }
                if (points.empty()) continue;
                mean = mean / double(points.size());
                Point<3> v = meet(points, normals, mean);
                const Point<3> lo = at(cell), hi = lo + Point<3>::filled(l.dx);
                for (int d = 0; d < 3; ++d) v[d] = std::clamp(v[d], lo[d], hi[d]);
                part.cell.push_back(cell_key(l, first[0] + x, first[1] + y, first[2] + z));
                part.vertex.push_back(v);
            }

    // A crossed edge along `axis` from node i has the four cells below it in the other two axes.
    for (int z = 0; z < kBlock; ++z)
        for (int y = 0; y < kBlock; ++y)
            for (int x = 0; x < kBlock; ++x)
                for (int axis = 0; axis < 3; ++axis) {
                    const Index<3> i = {x, y, z}, j = i + unit<3>(axis);
                    if ((value(i) < 0) == (value(j) < 0)) continue;
                    const int u = (axis + 1) % 3, v = (axis + 2) % 3;
                    Index<3> c = first + i;
                    if (c[u] == 0 || c[v] == 0 || c[u] >= l.cells[u] || c[v] >= l.cells[v] ||
                        c[axis] >= l.cells[axis])
                        continue;  // the rim of the region
                    std::array<std::uint64_t, 4> quad;
                    for (int k = 0; k < 4; ++k) {
                        Index<3> q = c;
                        q[u] -= k == 1 || k == 2 ? 0 : 1;
                        q[v] -= k >= 2 ? 0 : 1;
                        quad[k] = cell_key(l, q[0], q[1], q[2]);
                    }
                    if (value(i) >= 0) std::swap(quad[1], quad[3]);
                    part.quads.push_back(quad);
                }
    return part;
}

}  // namespace

SurfaceMesh mesh_shape(const Shape<3>& shape, const Box<3>& region, double dx) {
    SLOSH_EXPECT(dx > 0);
    Lattice l{.origin = region.lo, .dx = dx, .cells = {}};
    Index<3> blocks;
    for (int d = 0; d < 3; ++d) {
        l.cells[d] = std::max(1, static_cast<int>(std::ceil((region.hi[d] - region.lo[d]) / dx)));
        blocks[d] = l.cells[d] / kBlock + 1;  // one more node than cells
    }
    const std::size_t count = std::size_t(blocks[0]) * blocks[1] * blocks[2];
    std::vector<Part> parts(count);
    parallel_for(count, 8, [&](std::size_t b) {
        const int bx = int(b % blocks[0]), by = int(b / blocks[0] % blocks[1]),
                  bz = int(b / blocks[0] / blocks[1]);
        parts[b] = contour_block(shape, l, Index<3>{bx, by, bz} * kBlock);
    });

    // Join the parts in block order.
    SurfaceMesh mesh;
    std::unordered_map<std::uint64_t, std::uint32_t> vertex_of;
    for (const Part& part : parts)
        for (std::size_t i = 0; i < part.cell.size(); ++i) {
            vertex_of.emplace(part.cell[i], std::uint32_t(mesh.vertices.size()));
            mesh.vertices.push_back(part.vertex[i].as<float>());
        }
    for (const Part& part : parts)
        for (const auto& quad : part.quads) {
            std::uint32_t v[4];
            Point<3> p[4];
            bool whole = true;  // not so only if a distance was no bound and a block was skipped
            for (int k = 0; k < 4 && whole; ++k) {
                const auto found = vertex_of.find(quad[k]);
                whole = found != vertex_of.end();
                if (!whole) break;
                v[k] = found->second;
                p[k] = mesh.vertices[v[k]].as<double>();
            }
            if (!whole) continue;
            // The better diagonal lies on the surface: this keeps it along a sharp edge.
            const bool other = std::abs(shape.distance((p[1] + p[3]) * 0.5)) <
                               std::abs(shape.distance((p[0] + p[2]) * 0.5));
            const int s = other ? 1 : 0;
            mesh.elements.push_back({v[s], v[s + 1], v[s + 2]});
            mesh.elements.push_back({v[s], v[s + 2], v[(s + 3) % 4]});
        }
    return mesh;
}

}  // namespace slosh
