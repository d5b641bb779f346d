#include "slosh/linear/coarsest.h"

#include <immintrin.h>

#include <algorithm>
#include <bit>

#include "slosh/linear/stencil_row.h"

namespace slosh {

namespace {

/// Pivots below this share of their diagonal are what rounding left of zero.
constexpr double kSingular = 1e-5;
/// Numbers in a vector. Rows of the matrix are made of whole ones.
constexpr std::size_t kLane = 4;

/// The row of the matrix of one lane of a level's vector, which must be an unknown.
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
        diagonal = 1.0 / m.inverse[lane];
        for (int side = 0; side < 2 * D; ++side) c[side] = m.coefficient(side, lane);
    }
};

/// to[j] -= factor * from[j] for j = 0 ... last, in whole vectors.
inline void subtract(double factor, const double* from, std::size_t last, double* to) {
    const __m256d f = _mm256_set1_pd(factor);
    for (std::size_t j = 0; j <= last; j += kLane) {
        const __m256d old = _mm256_loadu_pd(to + j);
        _mm256_storeu_pd(to + j, _mm256_fnmadd_pd(f, _mm256_loadu_pd(from + j), old));
    }
}

/// Inverts the symmetric, positive semi-definite n x n matrix `a`, rows `stride` apart, by sweeping
/// it row by row, in its lower triangle. Rows whose pivot vanishes are left out: their rows and
/// columns of the inverse are zero.
void invert(std::vector<double>& a, std::size_t n, std::size_t stride) {
    std::vector<double> diagonal(n), column(stride);
    for (std::size_t k = 0; k < n; ++k) diagonal[k] = a[k * stride + k];
    std::vector<std::size_t> left_out;
    for (std::size_t k = 0; k < n; ++k) {
        const double pivot = a[k * stride + k];
        if (!(pivot > kSingular * diagonal[k])) {
            left_out.push_back(k);
            continue;
        }
        std::copy_n(a.begin() + k * stride, k, column.begin());
        for (std::size_t i = k; i < n; ++i) column[i] = a[i * stride + k];
        const double inverse = 1 / pivot;
        // What is above the diagonal gets something, too, but nobody looks at it.
        for (std::size_t i = 0; i < n; ++i)
            if (i != k && column[i] != 0)
                subtract(column[i] * inverse, column.data(), i, a.data() + i * stride);
        for (std::size_t i = 0; i < n; ++i)
            (i < k ? a[k * stride + i] : a[i * stride + k]) = column[i] * inverse;
        a[k * stride + k] = -inverse;  // sweeping all rows gives minus the inverse
    }
    for (std::size_t k : left_out)
        for (std::size_t j = 0; j < n; ++j) a[k * stride + j] = a[j * stride + k] = 0;
    for (std::size_t i = 0; i < n; ++i)
        for (std::size_t j = 0; j <= i; ++j)
            a[i * stride + j] = a[j * stride + i] = -a[i * stride + j];
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
                    if (!plain && !(level.mixed[mixed].inverse[lane] > 0)) continue;
                    const SplitPlace<D> place{b, t, 8 * v + lane};
                    number[place_number(place, level.size())] = static_cast<int>(rows.size());
                    cells.push_back(place);
                    rows.emplace_back(level, plain, mixed, lane);
                }
                mixed += !plain;
            }
        }

    const std::size_t n = cells.size();
    if (n > most) return;
    stride = (n + kLane - 1) / kLane * kLane;
    a.assign(n * stride, 0.0);
    for (std::size_t i = 0; i < n; ++i) {
        a[i * stride + i] = rows[i].diagonal;
        const SplitPlace<D>& p = cells[i];
        const Index<D> cell = local_cell<D>(split_cell<D>(p.colour, p.at / 8, p.at % 8));
        for (int side = 0; side < 2 * D; ++side) {
            // In x the vectors keep first the neighbour that shares the cell's pair (split.h).
            const int axis = side / 2, upper = axis == 0 ? (side + cell[0] + 1) & 1 : side & 1;
            const SplitPlace<D> there = place_across(level, p.block, cell, axis, upper);
            const int j = number[place_number(there, level.size())];
            if (j >= 0) a[i * stride + j] = -rows[i].c[side];
        }
    }
}

template <int D>
void Coarsest<D>::set(const MultigridLevel<D>& level) {
    WholeMatrix<D> matrix(level, kMost);
    cells_ = std::move(matrix.cells);
    if (!matrix.a.empty()) invert(matrix.a, cells_.size(), matrix.stride);
    stride_ = matrix.stride;
    inverse_.assign(matrix.a.begin(), matrix.a.end());
}

template <int D>
void Coarsest<D>::solve(const SplitField<D>& b, SplitField<D>& x) const {
    const std::size_t n = cells_.size();
    float sum[kMost] = {};
    for (std::size_t j = 0; j < n; ++j) {
        const float value = cells_[j].in(b);
        const float* row = inverse_.data() + j * stride_;
        for (std::size_t i = 0; i < stride_; ++i) sum[i] += row[i] * value;
    }
    for (std::size_t i = 0; i < n; ++i) cells_[i].in(x) = sum[i];
}

template struct WholeMatrix<2>;
template struct WholeMatrix<3>;
template class Coarsest<2>;
template class Coarsest<3>;

}  // namespace slosh
