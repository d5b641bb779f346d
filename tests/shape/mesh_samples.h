// Small closed meshes, and the text of mesh files that hold them.
#pragma once

#include <cmath>
#include <numbers>

#include "slosh/shape/triangle_mesh.h"

namespace slosh {

/// A ball by rings of longitude and latitude; `flip` turns it inside out.
inline TriangleMesh uv_sphere(const Point<3>& centre, double radius, int n, bool flip = false) {
    TriangleMesh mesh;
    mesh.name = "ball";
    const auto at = [&](int ring, int step) {
        const double theta = std::numbers::pi * ring / n, phi = std::numbers::pi * step / n;
        return centre + Point<3>{std::sin(theta) * std::cos(phi), std::sin(theta) * std::sin(phi),
                                 std::cos(theta)} *
                            radius;
    };
    mesh.vertices = {at(0, 0), at(n, 0)};
    mesh.vertices[1] = centre - Point<3>{0, 0, radius};
    for (int ring = 1; ring < n; ++ring)
        for (int step = 0; step < 2 * n; ++step) mesh.vertices.push_back(at(ring, step));
    const auto index = [&](int ring, int step) -> std::uint32_t {
        if (ring == 0) return 0;
        if (ring == n) return 1;
        return static_cast<std::uint32_t>(2 + (ring - 1) * 2 * n + step % (2 * n));
    };
    for (int ring = 0; ring < n; ++ring)
        for (int step = 0; step < 2 * n; ++step) {
            const auto a = index(ring, step), b = index(ring + 1, step),
                       c = index(ring + 1, step + 1), d = index(ring, step + 1);
            // At the poles one of the two triangles of a quad is left.
            if (ring + 1 < n) mesh.triangles.push_back({a, b, c});
            if (ring > 0) mesh.triangles.push_back({a, c, d});
        }
    if (flip)
        for (auto& t : mesh.triangles) std::swap(t[1], t[2]);
    return mesh;
}

/// Adds the triangles of another mesh.
inline void append(TriangleMesh& mesh, const TriangleMesh& more) {
    const auto first = static_cast<std::uint32_t>(mesh.vertices.size());
    mesh.vertices.insert(mesh.vertices.end(), more.vertices.begin(), more.vertices.end());
    for (const auto& t : more.triangles)
        mesh.triangles.push_back({t[0] + first, t[1] + first, t[2] + first});
}

/// The axis-aligned box from lo to hi.
inline TriangleMesh box_mesh(const Point<3>& lo, const Point<3>& hi) {
    TriangleMesh mesh;
    mesh.name = "box";
    for (int c = 0; c < 8; ++c)
        mesh.vertices.push_back(
            {c & 1 ? hi[0] : lo[0], c & 2 ? hi[1] : lo[1], c & 4 ? hi[2] : lo[2]});
    const std::uint32_t quads[6][4] = {{0, 4, 6, 2}, {1, 3, 7, 5}, {0, 1, 5, 4},
                                       {2, 6, 7, 3}, {0, 2, 3, 1}, {4, 5, 7, 6}};
    for (const auto& q : quads) {
        mesh.triangles.push_back({q[0], q[1], q[2]});
        mesh.triangles.push_back({q[0], q[2], q[3]});
    }
    return mesh;
}

}  // namespace slosh
