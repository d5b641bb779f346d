#include "slosh/lcp/galerkin.h"

#include <algorithm>

#include "slosh/base/parallel.h"

namespace slosh {

namespace {

/// Rows in one piece of work: a piece owns an accumulator as long as a row of the result, so there
/// are few of them.
std::size_t piece(int rows) {
    return std::max<std::size_t>(2048, static_cast<std::size_t>(rows) / 16 + 1);
}

/// Adds up one row of A B at a time. `place[j]` is where column j stands in the row, or -1.
class RowSum {
public:
    explicit RowSum(int columns) : place_(columns, -1) {}

    void add(const SparseMatrix& A, const SparseMatrix& B, std::size_t row) {
        for (std::int64_t k = A.start[row]; k < A.start[row + 1]; ++k) {
            const int j = A.column[k];
            for (std::int64_t m = B.start[j]; m < B.start[j + 1]; ++m) {
                const int c = B.column[m];
                if (place_[c] < 0) {
                    place_[c] = static_cast<int>(columns_.size());
                    columns_.push_back(c);
                    values_.push_back(0);
                }
                values_[place_[c]] += A.value[k] * B.value[m];
            }
        }
    }
    /// Writes the row with ascending columns and starts afresh.
    void take(int* column, double* value) {
        std::sort(columns_.begin(), columns_.end());
        for (std::size_t k = 0; k < columns_.size(); ++k) {
            column[k] = columns_[k];
            value[k] = values_[place_[columns_[k]]];
        }
        clear();
    }

private:
    void clear() {
        for (int c : columns_) place_[c] = -1;
        columns_.clear();
        values_.clear();
    }
    std::vector<int> columns_, place_;
    std::vector<double> values_;
};

}  // namespace

SparseMatrix product(const SparseMatrix& A, const SparseMatrix& B, int columns) {
    const int n = A.rows();
    SparseMatrix C;
    C.start.assign(n + 1, 0);
    // Twice over the rows: first for their lengths, then for their entries.
    parallel_ranges(n, piece(n), [&](std::size_t begin, std::size_t end) {
        std::vector<int> seen(columns, -1);
        for (std::size_t i = begin; i < end; ++i) {
            int length = 0;
            for (std::int64_t k = A.start[i]; k < A.start[i + 1]; ++k)
                for (std::int64_t m = B.start[A.column[k]]; m < B.start[A.column[k] + 1]; ++m)
                    if (seen[B.column[m]] != static_cast<int>(i)) {
                        seen[B.column[m]] = static_cast<int>(i);
                        ++length;
                    }
            C.start[i + 1] = length;
        }
    });
    for (int i = 0; i < n; ++i) C.start[i + 1] += C.start[i];
    C.column.resize(C.start[n]);
    C.value.resize(C.start[n]);
    parallel_ranges(n, piece(n), [&](std::size_t begin, std::size_t end) {
        RowSum sum(columns);
        for (std::size_t i = begin; i < end; ++i) {
            sum.add(A, B, i);
            sum.take(C.column.data() + C.start[i], C.value.data() + C.start[i]);
        }
    });
    return C;
}

SparseMatrix transposed(const SparseMatrix& A, int columns, double factor) {
    SparseMatrix T;
    T.start.assign(columns + 1, 0);
    for (int c : A.column) ++T.start[c + 1];
    for (int c = 0; c < columns; ++c) T.start[c + 1] += T.start[c];
    T.column.resize(A.column.size());
    T.value.resize(A.column.size());
    std::vector<std::int64_t> next(T.start.begin(), T.start.end() - 1);
    for (int i = 0; i < A.rows(); ++i)
        for (std::int64_t k = A.start[i]; k < A.start[i + 1]; ++k) {
            const std::int64_t to = next[A.column[k]]++;
            T.column[to] = i;
            T.value[to] = factor * A.value[k];
        }
    return T;
}

SparseMatrix galerkin(const SparseMatrix& R, const SparseMatrix& A, const SparseMatrix& P) {
    return product(R, product(A, P, R.rows()), R.rows());
}

}  // namespace slosh
