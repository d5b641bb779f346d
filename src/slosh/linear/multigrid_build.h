// One level of the hierarchy from plain arrays (internal to multigrid_build.cpp).
#pragma once

#include "slosh/linear/multigrid.h"

namespace slosh {

/// An operator as plain arrays: lower-face coefficients and excess.
template <int D>
struct PlainArrays {
    const FaceField<float, D>* coefficient;
    const Field<float, D>* excess;
    const Field<std::uint8_t, D>* unknown = nullptr;      ///< Null: every cell with a diagonal.
    const Field<std::uint8_t, D>* constrained = nullptr;  ///< See Multigrid; null: none.
    const Field<std::uint8_t, D>* active = nullptr;       ///< See Multigrid; null: none.
};

/// Mixed vectors that a block of a level whose set of active cells changes may gain.
inline constexpr int kRoom = 8;

/// Fills everything of `level` but its slabs and its transfer to other levels; `level.blocks` and
/// `level.live` are given. With `room`, blocks that have mixed vectors may get that many more of
/// them in rebuild_level().
template <int D>
void build_level(const PlainArrays<D>& A, float weight, bool finest, int room,
                 MultigridLevel<D>& level);

/// The same in a few blocks only, after the arrays changed there.
template <int D>
void rebuild_level(const PlainArrays<D>& A, const std::vector<int>& blocks,
                   MultigridLevel<D>& level);

/// The next level's arrays over the given blocks: half the sum of the fine faces, the carried
/// excess of the children.
template <int D>
void coarsen_arrays(const PlainArrays<D>& fine, const MultigridLevel<D>& level,
                    const std::vector<int>& fine_blocks, CoarseArrays<D>& coarse);
/// The same over all live blocks.
template <int D>
CoarseArrays<D> coarsen_arrays(const PlainArrays<D>& fine, const MultigridLevel<D>& level);

}  // namespace slosh
