#include "slosh/linear/coarsest.h"

#include <algorithm>
#include <bit>

#include "slosh/linear/stencil_row.h"

namespace slosh {

namespace {

/// Pivots below this share of their diagonal are what rounding left of zero.
constexpr double kSingular = 1e-5;

/// One lane of a level's vector: where it is, and its row of the matrix.
template <int D>
struct LaneRow {
    double diagonal;
    double c[2 * D];  // in the order of Neighbours

    LaneRow(const MultigridLevel<D>& level, bool plain, std::uint32_t number, int lane) {
        if (plain) {
            diagonal = 2 * D;
            std::fill_n(c, 2 * D, 1.0);
            return;
        }
        const MixedVector<D>& m = level.mixed[number];
        diagonal = m.inverse[lane] > 0 ? 1.0 / m.inverse[lane] : 0;
        for (int side = 0; side < 2 * D; ++side) c[side] = m.coefficient(side, lane);
    }
};

/// Inverts the symmetric, positive semi-definite n x n matrix `a` by sweeping it row by row, in its
/// lower triangle. Rows whose pivot vanishes are left out: their rows and columns of the inverse
/// are zero.
void invert(std::vector<double>& a, std::size_t n) {
    std::vector<double> diagonal(n), column(n);
    for (std::size_t k = 0; k < n; ++k) diagonal[k] = a[k * n + k];
    std::vector<std::size_t> left_out;
    for (std::size_t k = 0; k < n; ++k) {
        const double pivot = a[k * n + k];
        if (!(pivot > kSingular * diagonal[k])) {
            left_out.push_back(k);
            continue;
        }
        for (std::size_t i = 0; i < n; ++i) column[i] = i < k ? a[k * n + i] : a[i * n + k];
        const double inverse = 1 / pivot;
        for (std::size_t i = 0; i < n; ++i) {
            if (i == k || column[i] == 0) continue;
            const double factor = column[i] * inverse;
            double* to = a.data() + i * n;
            // In whole vectors: nobody looks at what is above the diagonal.
            const std::size_t end = std::min(n, (i / 4 + 1) * 4);
            for (std::size_t j = 0; j < end; ++j) to[j] -= factor * column[j];
        }
        for (std::size_t i = 0; i < n; ++i)
            (i < k ? a[k * n + i] : a[i * n + k]) = column[i] * inverse;
        a[k * n + k] = -inverse;  // sweeping all rows gives minus the inverse
    }
    for (std::size_t k : left_out)
        for (std::size_t j = 0; j < n; ++j) a[k * n + j] = a[j * n + k] = 0;
    for (std::size_t i = 0; i < n; ++i)
        for (std::size_t j = 0; j <= i; ++j) a[i * n + j] = a[j * n + i] = -a[i * n + j];
}

}  // namespace

template <int D>
WholeMatrix<D>::WholeMatrix(const MultigridLevel<D>& level, std::size_t most) {
    std::vector<LaneRow<D>> rows;
    std::vector<int> number(place_count<D>(level.size()), -1);
    for (int b : level.live)
        for (int t = 0; t < 2; ++t) {
            const BlockKinds& k = level.kinds[b];
            std::uint32_t mixed = k.first[t];
            for (std::uint32_t bits = k.live(t); bits; bits &= bits - 1) {
                const int v = std::countr_zero(bits);
                const bool plain = k.plain[t] >> v & 1;
                for (int lane = 0; lane < 8; ++lane) {
                    const LaneRow<D> row(level, plain, mixed, lane);
                    if (!(row.diagonal > 0)) continue;
                    const SplitPlace<D> place{b, t, 8 * v + lane};
                    number[place_number(place, level.size())] = static_cast<int>(rows.size());
                    cells.push_back(place);
                    rows.push_back(row);
                }
                mixed += !plain;
            }
        }

    const std::size_t n = cells.size();
    if (n > most) return;
    a.assign(n * n, 0.0);
    for (std::size_t i = 0; i < n; ++i) {
        a[i * n + i] = rows[i].diagonal;
        const SplitPlace<D>& p = cells[i];
        const Index<D> cell = local_cell<D>(split_cell<D>(p.colour, p.at / 8, p.at % 8));
        for (int side = 0; side < 2 * D; ++side) {
            // In x the vectors keep first the neighbour that shares the cell's pair (split.h).
            const int axis = side / 2, upper = axis == 0 ? (side + cell[0] + 1) & 1 : side & 1;
            const SplitPlace<D> there = place_across(level, p.block, cell, axis, upper);
            const int j = number[place_number(there, level.size())];
            if (j >= 0) a[i * n + j] = -rows[i].c[side];
        }
    }
}

template <int D>
void Coarsest<D>::set(const MultigridLevel<D>& level) {
    WholeMatrix<D> matrix(level, kMost);
    cells_ = std::move(matrix.cells);
    if (!matrix.a.empty()) invert(matrix.a, cells_.size());
    inverse_.assign(matrix.a.begin(), matrix.a.end());
}

template <int D>
void Coarsest<D>::solve(const SplitField<D>& b, SplitField<D>& x) const {
    const std::size_t n = cells_.size();
    float sum[kMost] = {};
    for (std::size_t j = 0; j < n; ++j) {
        const float value = cells_[j].in(b);
        const float* row = inverse_.data() + j * n;
        for (std::size_t i = 0; i < n; ++i) sum[i] += row[i] * value;
    }
    for (std::size_t i = 0; i < n; ++i) cells_[i].in(x) = sum[i];
}

template struct WholeMatrix<2>;
template struct WholeMatrix<3>;
template class Coarsest<2>;
template class Coarsest<3>;

}  // namespace slosh
