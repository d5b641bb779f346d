// Numbers for the cells of one body (internal to the multigrid).
#pragma once

#include <algorithm>
#include <vector>

#include "slosh/grid/field.h"

namespace slosh {

/// A table over the smallest box that holds some cells, widened by `margin`.
template <int D>
class CellNumbers {
public:
    template <class Cell>
    CellNumbers(std::size_t begin, std::size_t end, int margin, const Cell& cell) {
        if (begin == end) return;
        low_ = cell(begin);
        Index<D> high = low_;
        for (std::size_t i = begin; i < end; ++i)
            for (int d = 0; d < D; ++d) {
                low_[d] = std::min(low_[d], cell(i)[d]);
                high[d] = std::max(high[d], cell(i)[d]);
            }
        std::size_t cells = 1;
        for (int d = 0; d < D; ++d) {
            low_[d] -= margin;
            size_[d] = high[d] + margin + 1 - low_[d];
            cells *= static_cast<std::size_t>(size_[d]);
        }
        numbers_.assign(cells, -1);
    }

    /// The number of a cell in the box; -1 before it gets one.
    int& operator[](const Index<D>& cell) {
        std::size_t at = 0;
        for (int d = D - 1; d >= 0; --d)
            at = at * static_cast<std::size_t>(size_[d]) +
                 static_cast<std::size_t>(cell[d] - low_[d]);
        return numbers_[at];
    }

private:
    Index<D> low_, size_;
    std::vector<int> numbers_;
};

}  // namespace slosh
