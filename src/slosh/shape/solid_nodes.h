// Distances at the nodes of one block (internal to solid_field.cpp and body_faces.cpp).
#pragma once

#include "slosh/shape/block_fractions.h"
#include "slosh/shape/solid_field.h"

namespace slosh {

inline constexpr float kOnSurface = 1e-5f;  // cells; a node this near to a surface lies on it

/// A distance in cells as it is kept at nodes.
inline float kept(double cells) {
    const float phi = static_cast<float>(std::clamp<double>(cells, -kSolidBand, kSolidBand));
    return std::abs(phi) < kOnSurface ? 0.0f : phi;
}

/// Calls body(local node, offset in the tile) for the nodes lo .. hi, both included.
template <int D, class Body>
void for_each_node(const Index<D>& lo, const Index<D>& hi, const Body& body) {
    Index<D> i;
    for (int z = D == 3 ? lo[D - 1] : 0; z <= (D == 3 ? hi[D - 1] : 0); ++z)
        for (i[1] = lo[1]; i[1] <= hi[1]; ++i[1]) {
            if constexpr (D == 3) i[2] = z;
            i[0] = lo[0];
            int t = NodeTile<D>::offset(i);
            for (; i[0] <= hi[0]; ++i[0], ++t) body(i, t);
        }
}
/// For the nodes first .. 8.
template <int D, class Body>
void for_each_node(int first, const Body& body) {
    for_each_node<D>(Index<D>::filled(first), Index<D>::filled(kSide), body);
}

}  // namespace slosh
