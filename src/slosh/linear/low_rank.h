// A term F F^T of low rank that a system carries beside its stencil: each column of F is a way in
// which something outside the grid (a degree of freedom of a rigid body) answers to x.
//
// F is zero but in a few cells, and the product is never formed: F F^T x is one short sum per
// column and one short update per cell. Columns come in *groups* (one per body) that share their
// cells.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "slosh/base/parallel.h"
#include "slosh/grid/field.h"

namespace slosh {

/// Columns of a group at most: the degrees of freedom of a body.
template <int D>
constexpr int kColumns = D == 3 ? 6 : 3;

template <int D>
struct LowRank {
    /// A row of F: a cell and its coefficients.
    struct Entry {
        int block, offset;
        double f[kColumns<D>];
    };
    /// One group after the other; within a group in block order.
    std::vector<Entry> entries;
    std::vector<std::size_t> first = {0};  ///< Of each group in `entries`; groups() + 1 numbers.

    /// Of the lightest body: mass of the liquid it displaces over its own. Solvers choose by it.
    double lightness = 0;

    int groups() const { return static_cast<int>(first.size()) - 1; }
    int columns() const { return groups() * kColumns<D>; }
    bool empty() const { return entries.empty(); }
    /// Blocks that hold entries, ascending.
    std::vector<int> blocks() const;
    std::size_t bytes() const { return entries.size() * sizeof(Entry); }

    /// t = F^T x, where value(block, offset) is x; it is asked in the order of the entries. One
    /// number per column; sums in a fixed order.
    template <class Value>
    std::vector<double> transposed(const Value& value) const {
        std::vector<double> t(columns());
        for (int g = 0; g < groups(); ++g) sum_group(g, value, t);
        return t;
    }
    /// The same, by several threads.
    std::vector<double> transposed(const Field<double, D>& x) const {
        std::vector<double> t(columns());
        parallel_for(groups(), 4, [&](std::size_t g) {
            sum_group(
                static_cast<int>(g), [&](int b, int o) { return x.block(b)[o]; }, t);
        });
        return t;
    }

    /// Calls add(block, offset, (F t) of the cell), group after group.
    template <class Add>
    void each(const std::vector<double>& t, const Add& add) const {
        for (int g = 0; g < groups(); ++g)
            for (std::size_t i = first[g]; i < first[g + 1]; ++i) {
                const Entry& e = entries[i];
                double s = 0;
                for (int k = 0; k < kColumns<D>; ++k) s += e.f[k] * t[g * kColumns<D> + k];
                add(e.block, e.offset, s);
            }
    }

private:
    template <class Value>
    void sum_group(int g, const Value& value, std::vector<double>& t) const {
        constexpr int N = kColumns<D>;
        double sum[N] = {};
        for (std::size_t i = first[g]; i < first[g + 1]; ++i) {
            const Entry& e = entries[i];
            const double x = value(e.block, e.offset);
            for (int k = 0; k < N; ++k) sum[k] += e.f[k] * x;
        }
        std::copy_n(sum, N, t.begin() + g * N);
    }
};

}  // namespace slosh
