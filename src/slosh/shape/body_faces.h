// What rigid bodies add to the solids of one block (internal to solid_field.cpp).
#pragma once

#include <memory>
#include <vector>

#include "slosh/shape/block_fractions.h"
#include "slosh/shape/solid_field.h"

namespace slosh {

/// What one body alone has of a block.
template <int D>
struct BodyTile {
    NodeTile<D> phi;                          ///< Distance at nodes, as kept. Cells.
    float least = 0;                          ///< Of these.
    std::unique_ptr<BlockFractions<D>> open;  ///< What it leaves open; empty: everything.

    BodyTile(const GridGeometry<D>& grid, const PlacedBody<D>& body, const Index<D>& first,
             Fractions kind);
};

template <int D>
struct NearBody {
    int number;
    const PlacedBody<D>* body;
    const BodyTile<D>* tile;
};

/// The bodies that can be felt in a block, and where to put the faces they close.
template <int D>
struct NearBodies {
    std::vector<NearBody<D>> list;
    std::vector<BodyFace>* faces = nullptr;
    bool empty() const { return list.empty(); }
};

/// Takes bodies into the nodal distances `phi` of a block; keeps who is nearest at each node.
template <int D>
struct BodyNodes {
    BodyNodes(const Index<D>& first, Fractions kind, const NearBodies<D>& bodies, NodeTile<D>& phi);
    Index<D> first;
    const NearBodies<D>& bodies;
    std::int16_t owner[NodeTile<D>::kCells];  ///< Place in bodies.list; -1: another solid.
};

/// Takes the bodies off `fractions`, those that the other solids leave open, and writes velocity
/// and faces of bodies. What a body closes is taken from its own distances, not from those of the
/// union: of a wall and a body in one face the least of two distances would not know the gap
/// between them.
template <int D>
void write_bodies(const GridGeometry<D>& grid, const BodyNodes<D>& nodes, const NodeTile<D>& phi,
                  int b, BlockFractions<D>& fractions, SolidFields<D>& out);

}  // namespace slosh
