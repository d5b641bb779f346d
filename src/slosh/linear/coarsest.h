// The coarsest level of a multigrid, solved at once: it has a few dozen unknowns, is visited many
// times a cycle, and the inverse of its matrix costs less than one cycle's sweeps over it.
#pragma once

#include <vector>

#include "slosh/linear/multigrid.h"

namespace slosh {

/// A level's matrix, whole.
template <int D>
struct WholeMatrix {
    std::vector<SplitPlace<D>> cells;  ///< The unknowns.
    std::vector<double> a;   ///< Row by row; empty if there are more than `most` unknowns.
    std::size_t stride = 0;  ///< From row to row in `a`; what is beyond the unknowns is zero.

    WholeMatrix(const MultigridLevel<D>& level, std::size_t most);
};

template <int D>
class Coarsest {
public:
    /// Inverts the level's matrix. A pocket without excess has none: one of its cells is held at
    /// zero, which fixes the constant. Does nothing (see is_known()) if there are too many
    /// unknowns.
    void set(const MultigridLevel<D>& level);
    bool is_known() const { return !inverse_.empty(); }
    /// x from b.
    void solve(const SplitField<D>& b, SplitField<D>& x) const;

private:
    static constexpr std::size_t kMost = 128;  // unknowns; the inverse costs their third power

    std::vector<SplitPlace<D>> cells_;
    std::vector<float> inverse_;  // row by row, stride_ apart
    std::size_t stride_ = 0;
};

}  // namespace slosh
