#include "slosh/shape/mesh_inside.h"

#include <algorithm>

namespace slosh {

namespace {

/// On which side of the edge a-b (in the yz plane) the node (y, z) lies: twice the signed area.
/// Both triangles of an edge get the same answer up to sign, and it is never zero for an edge of
/// non-zero length: a node exactly on the edge counts as shifted by an infinitely small step in y,
/// and a smaller one in z. So each line passes exactly one of the triangles that meet in an edge.
double side_of(const Point<3>& a, const Point<3>& b, double y, double z) {
    const bool swapped = b[1] < a[1] || (b[1] == a[1] && b[2] < a[2]);
    const Point<3>&p = swapped ? b : a, &q = swapped ? a : b;
    double area = (q[1] - p[1]) * (z - p[2]) - (q[2] - p[2]) * (y - p[1]);
    if (area == 0) area = q[2] != p[2] ? (p[2] - q[2]) * 1e-300 : (q[1] - p[1]) * 1e-300;
    return swapped ? -area : area;
}

/// Whether every edge is run through as often one way as the other.
bool consistently_oriented(const TriangleMesh& mesh) {
    std::vector<std::pair<std::uint64_t, int>> edges;
    for (const auto& t : mesh.triangles)
        for (int i = 0; i < 3; ++i) {
            const std::uint64_t a = t[i], b = t[(i + 1) % 3];
            edges.emplace_back(std::min(a, b) << 32 | std::max(a, b), a < b ? 1 : -1);
        }
    std::sort(edges.begin(), edges.end());
    for (std::size_t i = 0; i < edges.size();) {
        int sum = 0;
        const std::uint64_t edge = edges[i].first;
        for (; i < edges.size() && edges[i].first == edge; ++i) sum += edges[i].second;
        if (sum != 0) return false;
    }
    return true;
}

}  // namespace

MeshInside::MeshInside(const TriangleMesh& mesh, const Point<3>& origin, double voxel,
                       const Index<3>& lo, const Index<3>& hi)
    : lo_(lo), size_(hi - lo + Index<3>::filled(1)), by_parity_(!consistently_oriented(mesh)) {
    // Twice through all triangles: count the cuts of each line, then file them.
    const auto for_each_cut = [&](const auto& body) {
        for (const auto& t : mesh.triangles) {
            Point<3> p[3];
            for (int i = 0; i < 3; ++i) p[i] = (mesh.vertices[t[i]] - origin) / voxel;
            const auto low = [&](int d) { return std::min({p[0][d], p[1][d], p[2][d]}); };
            const auto high = [&](int d) { return std::max({p[0][d], p[1][d], p[2][d]}); };
            const int j1 = static_cast<int>(std::floor(high(1))),
                      k1 = static_cast<int>(std::floor(high(2)));
            for (int k = static_cast<int>(std::ceil(low(2))); k <= k1; ++k)
                for (int j = static_cast<int>(std::ceil(low(1))); j <= j1; ++j) {
                    const double a = side_of(p[1], p[2], j, k), b = side_of(p[2], p[0], j, k),
                                 c = side_of(p[0], p[1], j, k);
                    if ((a > 0) != (b > 0) || (b > 0) != (c > 0) || a == 0 || b == 0 || c == 0)
                        continue;
                    const double x = (a * p[0][0] + b * p[1][0] + c * p[2][0]) / (a + b + c);
                    body(static_cast<std::size_t>(j - lo_[1]) +
                             static_cast<std::size_t>(k - lo_[2]) * size_[1],
                         Cut{x, a > 0 ? 1 : -1});
                }
        }
    };
    const std::size_t lines = static_cast<std::size_t>(size_[1]) * size_[2];
    first_.assign(lines + 1, 0);
    for_each_cut([&](std::size_t line, const Cut&) { ++first_[line + 1]; });
    for (std::size_t i = 0; i < lines; ++i) first_[i + 1] += first_[i];
    cuts_.resize(first_[lines]);
    std::vector<std::size_t> next(first_.begin(), first_.end() - 1);
    for_each_cut([&](std::size_t line, const Cut& cut) { cuts_[next[line]++] = cut; });
}

bool MeshInside::operator()(const Index<3>& node) const {
    const int j = node[1] - lo_[1], k = node[2] - lo_[2];
    if (j < 0 || j >= size_[1] || k < 0 || k >= size_[2]) return false;
    const std::size_t line = static_cast<std::size_t>(j) + static_cast<std::size_t>(k) * size_[1];
    int winding = 0, parity = 0;
    for (std::size_t c = first_[line]; c < first_[line + 1]; ++c)
        if (cuts_[c].x > node[0]) {
            winding += cuts_[c].turn;
            parity ^= 1;
        }
    return by_parity_ ? parity != 0 : winding != 0;
}

}  // namespace slosh
