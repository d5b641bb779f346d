// Which nodes of a lattice lie inside a closed mesh.
//
// Every line of nodes along x is cut with the mesh once; a node is inside if the surface winds
// around it. So cavities stay hollow and overlapping parts stay solid, whatever the normals of the
// mesh as a whole. If triangles that share an edge disagree about the outside, windings mean
// nothing and the parity of the cuts decides.
#pragma once

#include <vector>

#include "slosh/shape/triangle_mesh.h"

namespace slosh {

class MeshInside {
public:
    /// Lines for the nodes (., j, k) with j, k in [lo, hi]; node i is at origin + i * voxel. The
    /// mesh must be closed.
    MeshInside(const TriangleMesh& mesh, const Point<3>& origin, double voxel, const Index<3>& lo,
               const Index<3>& hi);
    bool operator()(const Index<3>& node) const;

private:
    struct Cut {
        double x;
        int turn;  // +1 or -1: which way the triangle faces
    };
    Index<3> lo_, size_;
    bool by_parity_ = false;
    std::vector<std::size_t> first_;  // per line; its cuts are [first_[line], first_[line + 1])
    std::vector<Cut> cuts_;
};

}  // namespace slosh
