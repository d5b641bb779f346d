// How much of the control volume of every velocity and stress sample lies inside a level set
// [Takahashi2019, sec. 3.3].
//
// Samples sit at faces (velocity), cell centres (normal stress) and, per pair of axes, at edges
// (shear stress; in 2D the nodes). Each owns the cell-sized box around it, so boxes of different
// samples overlap. *Consistent* volumes are sums over the cells of a grid of half the cell size:
// all samples that share such a cell count the same part of it, and summed over a region faces of
// every axis, cells and edges have the same volume. The two rivals of the paper are kept:
// *independent* cuts every box by the level set at its own corners, so a face may be empty while
// the stress beside it is not; *supersampled* takes a half-size cell whole or not at all.
#pragma once

#include <array>

#include "slosh/grid/tile.h"

namespace slosh {

enum class VolumeKind { Consistent, Independent, Supersampled };

/// Pairs of axes: one in 2D, three in 3D.
template <int D>
constexpr int kPairs = D == 3 ? 3 : 1;

/// The pair of two different axes: 0 is (0,1), 1 is (0,2), 2 is (1,2).
constexpr int pair_of(int a, int b) {
    return a + b - 1;
}

template <int D>
struct SampleVolumes {
    SampleVolumes() = default;
    SampleVolumes(const BlocksPtr<D>& blocks, float background);
    Field<float, D> cell;                         ///< Share of each box, [0, 1].
    FaceField<float, D> face;                     ///< Of lower faces.
    std::array<Field<float, D>, kPairs<D>> edge;  ///< Of lower edges, by pair_of.
};

/// Volumes where `nodal` (at nodes) is positive: what a solid leaves open.
template <int D>
SampleVolumes<D> open_volumes(const Field<float, D>& nodal, VolumeKind kind);

/// Volumes where `phi` (at cell centres) is negative: the liquid.
template <int D>
SampleVolumes<D> liquid_volumes(const Field<float, D>& phi, VolumeKind kind);

/// Of the lower faces of one block, from its tile of nodal values.
template <int D>
void open_face_volumes(const Tile<float, D, 1>& nodal, VolumeKind kind,
                       float (&out)[D][kBlockCells<D>]);

}  // namespace slosh
