#include "slosh/shape/mesh_text.h"

namespace slosh {

namespace {

using Point2 = Vec<double, 2>;

double turn(const Point2& a, const Point2& b, const Point2& c) {
    return (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]);
}

/// The polygon seen along its normal, counter-clockwise.
std::vector<Point2> flattened(const std::vector<std::uint32_t>& corners, const TriangleMesh& mesh) {
    Point<3> normal;  // Newell: twice the area, by the sum over edges
    for (std::size_t i = 0; i < corners.size(); ++i)
        normal +=
            cross(mesh.vertices[corners[i]] - mesh.vertices[corners[0]],
                  mesh.vertices[corners[(i + 1) % corners.size()]] - mesh.vertices[corners[0]]);
    int axis = 0;
    for (int d = 1; d < 3; ++d)
        if (std::abs(normal[d]) > std::abs(normal[axis])) axis = d;
    const int u = (axis + 1) % 3, v = (axis + 2) % 3;
    std::vector<Point2> flat;
    for (const auto c : corners) {
        const Point<3>& p = mesh.vertices[c];
        flat.push_back(normal[axis] >= 0 ? Point2{p[u], p[v]} : Point2{p[v], p[u]});
    }
    return flat;
}

}  // namespace

void add_polygon(const std::vector<std::uint32_t>& corners, TriangleMesh& mesh) {
    if (corners.size() < 3) return;  // points and lines
    const std::vector<Point2> flat = flattened(corners, mesh);
    std::vector<std::size_t> left(corners.size());
    for (std::size_t i = 0; i < left.size(); ++i) left[i] = i;
    const auto is_ear = [&](std::size_t i) {
        const std::size_t n = left.size();
        const std::size_t ia = left[(i + n - 1) % n], ib = left[i], ic = left[(i + 1) % n];
        const Point2 &a = flat[ia], &b = flat[ib], &c = flat[ic];
        if (turn(a, b, c) <= 0) return false;
        for (const std::size_t k : left) {
            if (k == ia || k == ib || k == ic) continue;
            const Point2& p = flat[k];
            if (turn(a, b, p) >= 0 && turn(b, c, p) >= 0 && turn(c, a, p) >= 0) return false;
        }
        return true;
    };
    while (left.size() > 3) {
        std::size_t ear = 0;
        // Very large or twisted polygons are cut like a fan: no ear, or too long to look for one.
        if (corners.size() <= 2000) {
            while (ear < left.size() && !is_ear(ear)) ++ear;
            if (ear == left.size()) ear = 1;
        } else {
            ear = 1;
        }
        const std::size_t n = left.size();
        mesh.triangles.push_back(
            {corners[left[(ear + n - 1) % n]], corners[left[ear]], corners[left[(ear + 1) % n]]});
        left.erase(left.begin() + static_cast<std::ptrdiff_t>(ear));
    }
    mesh.triangles.push_back({corners[left[0]], corners[left[1]], corners[left[2]]});
}

}  // namespace slosh
