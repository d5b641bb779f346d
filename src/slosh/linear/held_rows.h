// Rows of a multigrid's finest level that are empty for a while (internal to the multigrid).
#pragma once

#include <bit>
#include <vector>

#include "slosh/base/parallel.h"
#include "slosh/linear/multigrid.h"

namespace slosh {

/// Saves the rows of some cells and empties them: sweeps leave these cells at zero, as they leave
/// cells that are no unknowns, and A x is zero there whatever x is around them.
template <int D>
class HeldRows {
public:
    /// Each cell once; it must be an unknown of a mixed vector. None may be held already.
    void hold(MultigridLevel<D>& level, const std::vector<SplitPlace<D>>& cells) {
        rows_.resize(cells.size());
        parallel_for(cells.size(), kGrain, [&](std::size_t i) {
            const SplitPlace<D>& cell = cells[i];
            const BlockKinds& k = level.kinds[cell.block];
            const std::uint32_t below = (1u << (cell.at / 8)) - 1;
            const std::uint32_t number =
                k.first[cell.colour] + std::popcount(k.mixed[cell.colour] & below);
            rows_[i] = {number, cell.at % 8, {}, 0, {}, 0};
            exchange(level, rows_[i]);
        });
    }
    void release(MultigridLevel<D>& level) {
        parallel_for(rows_.size(), kGrain, [&](std::size_t i) { exchange(level, rows_[i]); });
        rows_.clear();
    }

private:
    static constexpr std::size_t kGrain = 64;
    struct Row {
        std::uint32_t number;  // in the level's mixed lists
        int lane;
        std::uint32_t c[D];
        float inverse, exact_c[2 * D], excess;
    };
    static void exchange(MultigridLevel<D>& level, Row& row) {
        MixedVector<D>& m = level.mixed[row.number];
        ExactVector<D>& e = level.exact[row.number];
        for (int d = 0; d < D; ++d) std::swap(m.c[d][row.lane], row.c[d]);
        std::swap(m.inverse[row.lane], row.inverse);
        for (int side = 0; side < 2 * D; ++side) std::swap(e.c[side][row.lane], row.exact_c[side]);
        std::swap(e.excess[row.lane], row.excess);
    }

    std::vector<Row> rows_;
};

}  // namespace slosh
