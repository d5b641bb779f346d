// Open fractions of one block from the solid distances at its nodes. The tile holds node i of the
// block at local index i in [-1, 8]; layer -1 is read by Volume and Voxel only.
#pragma once

#include "slosh/grid/tile.h"
#include "slosh/shape/fractions.h"

namespace slosh {

template <int D>
using NodeTile = Tile<float, D, 1>;

/// First local node that a kind of fraction reads.
constexpr int first_node(Fractions kind) {
    return kind == Fractions::Area ? 0 : -1;
}

template <int D>
struct BlockFractions {
    alignas(64) float open[D][kBlockCells<D>];  ///< Of each lower face.
    alignas(64) float cell_open[kBlockCells<D>];
};

/// Drops slivers: below 1e-3 a fraction becomes 0, above 1 - 1e-6 it becomes 1 (solid_field.h).
constexpr float snap_fraction(double f) {
    return f < 1e-3 ? 0.0f : f > 1 - 1e-6 ? 1.0f : static_cast<float>(f);
}

template <int D>
void block_fractions(const NodeTile<D>& phi, Fractions kind, BlockFractions<D>& out);

/// The distance at cell centres: the mean of each cell's nodes.
template <int D>
void centre_distances(const NodeTile<D>& phi, float* out);

}  // namespace slosh
