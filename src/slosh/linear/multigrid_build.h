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

/// Fills everything of `level` but its transfer to other levels; `level.blocks` is given.
template <int D>
void build_level(const PlainArrays<D>& A, float weight, bool finest, MultigridLevel<D>& level);

/// The next level's arrays in the given blocks: half the sum of the fine faces, the carried excess
/// of the children.
template <int D>
void coarsen_arrays(const PlainArrays<D>& fine, const MultigridLevel<D>& level,
                    const std::vector<int>& coarse_blocks, CoarseArrays<D>& coarse);

}  // namespace slosh
