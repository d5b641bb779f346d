// The only file of this folder that sees OpenVDB, whose headers take most of a minute to compile.
#include "slosh/shape/mesh_voxels.h"

#include <openvdb/math/Proximity.h>
#include <openvdb/openvdb.h>
#include <openvdb/tools/MeshToVolume.h>
#include <tbb/task_arena.h>

#include <algorithm>
#include <array>

#ifdef SLOSH_USE_OPENVDB_CODE
extern template class openvdb::Grid<openvdb::FloatTree>;
extern template class openvdb::Grid<openvdb::Int32Tree>;
extern template class openvdb::tree::Tree<openvdb::FloatTree::RootNodeType>;
extern template class openvdb::tree::Tree<openvdb::Int32Tree::RootNodeType>;
#endif

namespace slosh {

namespace {

using Triangle = std::array<openvdb::Vec3d, 3>;

/// Distance of a point to a triangle, all in voxels.
float distance_to(const Triangle& t, const openvdb::Vec3d& x) {
    openvdb::Vec3d uvw;
    return static_cast<float>(
        (x - openvdb::math::closestPointOnTriangleToPoint(t[0], t[1], t[2], x, uvw)).length());
}

/// OpenVDB hands the nearest triangle on from node to node but does not look back, which left nodes
/// up to 0.7 voxels too far (a ball of 25,000 facets), and rounds its corners to float. Here every
/// node takes the distance to its own triangle, then tries those of its 26 neighbours, to and fro
/// over all nodes, until none comes nearer.
void refine(const std::vector<Triangle>& mesh, openvdb::FloatGrid& distance,
            openvdb::Int32Grid& nearest) {
    std::vector<openvdb::FloatTree::LeafNodeType*> leaves;
    distance.tree().getNodes(leaves);
    auto triangle = nearest.getUnsafeAccessor();  // nobody else changes this grid
    const int triangles = static_cast<int>(mesh.size());
    bool changed = true;
    for (int pass = 0; pass < 16 && changed; ++pass) {
        changed = false;
        const bool back = pass % 2 != 0;
        for (std::size_t l = 0; l < leaves.size(); ++l) {
            auto& leaf = *leaves[back ? leaves.size() - 1 - l : l];
            for (openvdb::Index n = 0; n < leaf.SIZE; ++n) {
                const openvdb::Index offset = back ? leaf.SIZE - 1 - n : n;
                if (!leaf.isValueOn(offset)) continue;
                const openvdb::Coord at = leaf.offsetToGlobalCoord(offset);
                const int own = triangle.getValue(at);
                int best = own, tried[27], count = 0;
                if (pass == 0 && own >= 0 && own < triangles)
                    leaf.setValueOnly(offset, distance_to(mesh[own], at.asVec3d()));
                float least = leaf.getValue(offset);
                for (int c = 0; c < 27; ++c) {
                    const int t =
                        triangle.getValue(at.offsetBy(c % 3 - 1, c / 3 % 3 - 1, c / 9 - 1));
                    if (t < 0 || t >= triangles || t == best) continue;
                    if (std::find(tried, tried + count, t) != tried + count) continue;
                    tried[count++] = t;
                    const float d = distance_to(mesh[t], at.asVec3d());
                    if (d < least - 1e-6f) {
                        least = d;
                        best = t;
                    }
                }
                if (best == own) continue;
                leaf.setValueOnly(offset, least);
                triangle.setValue(at, best);
                changed = true;
            }
        }
    }
}

}  // namespace

std::vector<DistanceBrick> mesh_voxels(const TriangleMesh& mesh, const Point<3>& origin,
                                       double voxel, double band) {
    static const bool ready = (openvdb::initialize(), true);
    (void)ready;
    std::vector<openvdb::Vec3d> exact;  // in voxels
    for (const Point<3>& v : mesh.vertices) {
        const Point<3> g = (v - origin) / voxel;
        exact.emplace_back(g[0], g[1], g[2]);
    }
    const std::vector<openvdb::Vec3s> points(exact.begin(), exact.end());
    std::vector<openvdb::Vec3I> corners;
    std::vector<Triangle> triangles;
    for (const auto& t : mesh.triangles) {
        corners.emplace_back(t[0], t[1], t[2]);
        triangles.push_back({exact[t[0]], exact[t[1]], exact[t[2]]});
    }
    // Of this type OpenVDB's library holds the code; another adapter is compiled here, in a minute.
    const openvdb::tools::QuadAndTriangleDataAdapter<openvdb::Vec3s, openvdb::Vec3I> adapter(
        points.data(), points.size(), corners.data(), corners.size());
    const auto unit_voxels = openvdb::math::Transform::createLinearTransform(1.0);
    // On one thread: which of two equally near triangles spreads through the band, and with it the
    // last bits of the result, would else depend on the scheduler.
    // One voxel more than asked, since its band ends early where a distance is too large.
    openvdb::FloatGrid::Ptr grid;
    openvdb::Int32Grid nearest(-1);
    const float reach = static_cast<float>(band) + 1;
    tbb::task_arena alone(1);
    alone.execute([&] {
        openvdb::util::NullInterrupter never;
        grid = openvdb::tools::meshToVolume<openvdb::FloatGrid>(
            never, adapter, *unit_voxels, reach, reach, openvdb::tools::UNSIGNED_DISTANCE_FIELD,
            &nearest);
    });
    refine(triangles, *grid, nearest);

    // A brick reaches one node into its upper neighbours, so it must also exist where only they do.
    std::vector<Index<3>> coords;
    for (auto leaf = grid->tree().cbeginLeaf(); leaf; ++leaf) {
        const openvdb::Coord o = leaf->origin();
        for (int c = 0; c < 8; ++c)
            coords.push_back(
                {(o[0] >> 3) - (c & 1), (o[1] >> 3) - (c >> 1 & 1), (o[2] >> 3) - (c >> 2)});
    }
    const auto before = [](const Index<3>& a, const Index<3>& b) {
        return std::lexicographical_compare(std::rbegin(a.v), std::rend(a.v), std::rbegin(b.v),
                                            std::rend(b.v));
    };
    std::sort(coords.begin(), coords.end(), before);
    coords.erase(std::unique(coords.begin(), coords.end()), coords.end());

    const float far = static_cast<float>(band);
    std::vector<DistanceBrick> bricks;
    auto accessor = grid->getConstAccessor();
    for (const Index<3>& c : coords) {
        DistanceBrick brick;
        brick.coord = c;
        bool near = false;
        int n = 0;
        for (int k = 0; k <= kBrickSide; ++k)
            for (int j = 0; j <= kBrickSide; ++j)
                for (int i = 0; i <= kBrickSide; ++i, ++n) {
                    const openvdb::Coord node(c[0] * kBrickSide + i, c[1] * kBrickSide + j,
                                              c[2] * kBrickSide + k);
                    brick.v[n] = std::min(std::abs(accessor.getValue(node)), far);
                    near = near || brick.v[n] < far;
                }
        if (near) bricks.push_back(brick);
    }
    return bricks;
}

}  // namespace slosh
