// What rigid bodies add to the solids of one block (internal to solid_field.cpp).
#pragma once

#include <utility>
#include <vector>

#include "slosh/shape/block_fractions.h"
#include "slosh/shape/solid_field.h"

namespace slosh {

/// The bodies that can be felt in a block, by number, and where to put the faces they close.
template <int D>
struct NearBodies {
    std::vector<std::pair<int, const PlacedBody<D>*>> list;
    std::vector<BodyFace>* faces = nullptr;
    bool empty() const { return list.empty(); }
};

/// Takes bodies into the nodal distances `phi` of a block; keeps who is nearest at each node.
template <int D>
struct BodyNodes {
    BodyNodes(const GridGeometry<D>& grid, const Index<D>& first, Fractions kind,
              const NearBodies<D>& bodies, NodeTile<D>& phi);
    Index<D> first;
    const NearBodies<D>& bodies;
    std::int16_t owner[NodeTile<D>::kCells];  ///< Place in bodies.list; -1: another solid.
};

/// Writes velocity and faces of bodies, from the fractions that the other solids leave open and
/// those that are left `with` the bodies.
template <int D>
void write_bodies(const GridGeometry<D>& grid, const BodyNodes<D>& nodes, const NodeTile<D>& phi,
                  const BlockFractions<D>& without, const BlockFractions<D>& with, Fractions kind,
                  int b, SolidFields<D>& out);

}  // namespace slosh
