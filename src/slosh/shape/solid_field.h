// All solids on the simulation grid: distances at nodes, open fractions of faces and cells, and the
// velocity of moving solids, block by block.
//
// The nodal value is the least over all solids and closed sides of the domain. Each block is
// computed from nodes that depend on their own position only, so blocks that share a node agree on
// it bit for bit and no block needs its neighbour. Distances never change faster than position
// does: one look at a block's centre tells whether a solid can come near it at all, so the cost
// follows the area of the walls. What does not move is computed once per block and kept.
//
// Choices: a node within 1e-5 cells of a surface lies on it, so walls along grid lines give
// fractions of exactly 0 and 1. Fractions below 1e-3 become 0: such a gap passes less than the
// error of the cut itself, but would spoil the condition of the pressure system; those above
// 1 - 1e-6 become 1. Faces on and behind a closed side of the domain are 0 for every kind; with
// Fractions::Volume a face in the surface of any *other* solid is open by half, as the method says,
// and the cell behind it must be an unknown of the pressure system.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "slosh/grid/field.h"
#include "slosh/grid/geometry.h"
#include "slosh/shape/fractions.h"
#include "slosh/shape/placed_body.h"
#include "slosh/shape/solid.h"

namespace slosh {

/// Distances are kept up to this many cells from a surface.
constexpr float kSolidBand = 5;

/// What a block has of solids.
enum BlockKind : std::uint8_t {
    kBlockOpen = 0,   ///< No solid within kSolidBand cells: nodal == kSolidBand, open == 1.
    kBlockMixed = 1,  ///< Look at the values.
    kBlockSolid = 2,  ///< No node is open: open == 0, cell_open == 0.
};

template <int D>
struct SolidFields {
    Field<float, D> nodal;         ///< Distance at nodes. Cells, within +-kSolidBand; background +.
    Field<float, D> centre;        ///< The same at cell centres (mean of the cell's nodes).
    FaceField<float, D> open;      ///< Open fraction of each lower face. [0, 1]; background 0.
    Field<float, D> cell_open;     ///< Open volume fraction of each cell. [0, 1]; background 0.
    FaceField<float, D> velocity;  ///< Normal velocity of the nearest solid at each lower face, if
                                   ///< it moves and is within kSolidBand; else 0. m/s. Where a body
                                   ///< shares a face with others: the mean over the closed part.
    std::vector<BodyFace> body_faces;      ///< What bodies close, in block order.
    std::vector<std::uint8_t> block_kind;  ///< A BlockKind per block.
    // For the next update, which then leaves alone what cannot have changed.
    std::vector<std::uint8_t> at_rest;  ///< Per block: 1 if it holds only what never moves ...
    const void* made_by = nullptr;      ///< ... of this grid of solids ...
    Fractions kind = Fractions::Area;   ///< ... with this kind of fractions.
};

template <int D>
class SolidGrid {
public:
    /// `open_side`: 2d is the lower, 2d+1 the upper side along d; a side not open is solid beyond.
    SolidGrid(const GridGeometry<D>& grid, std::vector<Solid<D>> solids,
              const bool (&open_side)[2 * D]);
    ~SolidGrid();
    SolidGrid(SolidGrid&&) noexcept;

    /// Solids where a step from `time` to time + dt leaves them (so that nothing ends inside them),
    /// with their mean velocity over the step (dt <= 0: at the instant `time`). `bodies` are solids
    /// as well, where and as fast as they say; of a face that several solids touch they close what
    /// the others leave open, in proportion to what each would close alone.
    void update(double time, double dt, const BlocksPtr<D>& blocks, Fractions kind,
                SolidFields<D>& out, const std::vector<PlacedBody<D>>& bodies = {});

    /// Distance to the nearest solid or closed side, by evaluating every shape. m.
    double distance(const Point<D>& world, double time) const;
    /// The solid nearest to a point, by evaluating every shape; -1 is a side of the domain.
    int nearest(const Point<D>& world, double time) const;
    /// Whether any solid moves at all.
    bool moving() const;
    /// Memory of what is kept between calls.
    std::size_t bytes() const;

private:
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

extern template class SolidGrid<2>;
extern template class SolidGrid<3>;

}  // namespace slosh
