#include "slosh/shape/triangle_mesh.h"

#include <algorithm>
#include <cstring>
#include <unordered_map>

#include "slosh/base/hash.h"

namespace slosh {

Box<3> TriangleMesh::bounds() const {
    Box<3> box = Box<3>::nowhere();
    for (const auto& v : vertices) box = {min(box.lo, v), max(box.hi, v)};
    return box;
}

void weld(TriangleMesh& mesh) {
    struct Same {
        const std::vector<Point<3>>* points;
        bool operator()(std::uint32_t a, std::uint32_t b) const {
            return (*points)[a] == (*points)[b];
        }
    };
    struct Hash {
        const std::vector<Point<3>>* points;
        std::size_t operator()(std::uint32_t i) const {
            const Point<3> p = (*points)[i] + Point<3>{};  // turns -0 into 0, which compares equal
            return hash_bytes(&p, sizeof p);
        }
    };
    std::vector<Point<3>> kept;
    std::vector<std::uint32_t> to(mesh.vertices.size());
    std::unordered_map<std::uint32_t, std::uint32_t, Hash, Same> seen(
        mesh.vertices.size(), Hash{&mesh.vertices}, Same{&mesh.vertices});
    for (std::uint32_t i = 0; i < mesh.vertices.size(); ++i) {
        const auto [it, is_new] = seen.try_emplace(i, static_cast<std::uint32_t>(kept.size()));
        if (is_new) kept.push_back(mesh.vertices[i]);
        to[i] = it->second;
    }
    for (auto& t : mesh.triangles)
        for (auto& corner : t) corner = to[corner];
    std::erase_if(mesh.triangles,
                  [](const auto& t) { return t[0] == t[1] || t[1] == t[2] || t[2] == t[0]; });
    mesh.vertices = std::move(kept);
}

std::size_t boundary_edges(const TriangleMesh& mesh) {
    std::vector<std::uint64_t> edges;
    edges.reserve(mesh.triangles.size() * 3);
    for (const auto& t : mesh.triangles)
        for (int i = 0; i < 3; ++i) {
            const std::uint64_t a = t[i], b = t[(i + 1) % 3];
            edges.push_back(std::min(a, b) << 32 | std::max(a, b));
        }
    std::sort(edges.begin(), edges.end());
    std::size_t odd = 0;
    for (std::size_t i = 0; i < edges.size();) {
        std::size_t j = i;
        while (j < edges.size() && edges[j] == edges[i]) ++j;
        odd += (j - i) % 2;
        i = j;
    }
    return odd;
}

}  // namespace slosh
