// A sparse symmetric matrix over the faces of a sparse grid, row by row, and sweeps over it.
//
// Rows are numbered block after block. A row reaches no further than the next block, so blocks of
// equal parity along every axis never meet in a row: they form a *colour*, and a Gauss-Seidel sweep
// that takes colour after colour, the blocks of a colour in parallel and the rows of a block in
// turn, gives the same bits on any number of threads.
#pragma once

#include <cstdint>
#include <vector>

#include "slosh/grid/field.h"

namespace slosh {

template <class T>
struct Rows {
    std::vector<std::uint32_t> first = {0};  ///< Of each row in `column`; rows + 1 numbers.
    std::vector<int> column;                 ///< Ascending within a row; the diagonal is there.
    std::vector<T> value;

    int size() const { return static_cast<int>(first.size()) - 1; }
    std::size_t bytes() const {
        return first.size() * sizeof(first[0]) + column.size() * (sizeof(int) + sizeof(T));
    }
};

/// Which faces are rows, and in which blocks.
template <int D>
struct FaceRows {
    BlocksPtr<D> blocks;
    FaceField<int, D> number;               ///< Row of each lower face; negative: none.
    std::vector<int> first;                 ///< Row range of each block.
    std::vector<int> colour[kChildren<D>];  ///< Blocks with rows.
    int size() const { return first.empty() ? 0 : first.back(); }

    /// Numbers the faces that hold 0 in `number`, then sorts blocks into colours.
    void finish();
    /// Calls body(row, axis, offset) for the rows of block b in order.
    template <class Body>
    void each(int b, const Body& body) const {
        if (first[b] == first[b + 1]) return;
        for (int d = 0; d < D; ++d) {
            const int* n = number.axis(d).block(b);
            for (int o = 0; o < kBlockCells<D>; ++o)
                if (n[o] >= 0) body(n[o], d, o);
        }
    }
};

constexpr std::size_t kRowGrain = 1024;

/// (A x)_i
inline double product(const Rows<double>& a, int i, const std::vector<double>& x) {
    double s = 0;
    for (std::uint32_t k = a.first[i]; k < a.first[i + 1]; ++k) s += a.value[k] * x[a.column[k]];
    return s;
}

/// y = A x
inline void multiply(const Rows<double>& a, const std::vector<double>& x, std::vector<double>& y) {
    y.resize(x.size());
    parallel_for(a.size(), kRowGrain,
                 [&](std::size_t i) { y[i] = product(a, static_cast<int>(i), x); });
}

double dot(const std::vector<double>& a, const std::vector<double>& b);
double max_abs(const std::vector<double>& a);
/// y += s x
void add(double s, const std::vector<double>& x, std::vector<double>& y);

extern template struct FaceRows<2>;
extern template struct FaceRows<3>;

}  // namespace slosh
