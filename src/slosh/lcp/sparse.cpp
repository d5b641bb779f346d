#include "slosh/lcp/sparse.h"

#include <algorithm>
#include <cmath>

#include "slosh/base/error.h"
#include "slosh/base/parallel.h"
#include "slosh/linear/block_rows.h"

namespace slosh {

void SparseMatrix::multiply(const std::vector<double>& x, std::vector<double>& y) const {
    y.resize(rows());
    parallel_for(rows(), 4096, [&](std::size_t i) {
        double s = 0;
        for (std::int64_t k = start[i]; k < start[i + 1]; ++k) s += value[k] * x[column[k]];
        y[i] = s;
    });
    add_low_rank(x, y);
}

void SparseMatrix::add_low_rank(const std::vector<double>& x, std::vector<double>& y) const {
    for (const LowRankColumn& c : low_rank) {
        double t = 0;
        for (std::size_t k = 0; k < c.row.size(); ++k) t += c.value[k] * x[c.row[k]];
        for (std::size_t k = 0; k < c.row.size(); ++k) y[c.row[k]] += c.value[k] * t;
    }
}

std::vector<double> SparseMatrix::diagonal() const {
    std::vector<double> d(rows());
    for (int i = 0; i < rows(); ++i)
        for (std::int64_t k = start[i]; k < start[i + 1]; ++k)
            if (column[k] == i) d[i] = value[k];
    return d;
}

std::size_t SparseMatrix::bytes() const {
    std::size_t entries = column.size();
    for (const LowRankColumn& c : low_rank) entries += c.row.size();
    return start.size() * sizeof(start[0]) + entries * (sizeof(int) + sizeof(double));
}

double natural_residual(const SparseLcp& lcp, const std::vector<double>& p,
                        std::vector<std::uint8_t>* active) {
    const int n = lcp.A.rows();
    std::vector<double> w;
    lcp.A.multiply(p, w);
    const std::vector<double> diagonal = lcp.A.diagonal();
    if (active) active->assign(n, 0);
    double worst = 0;
    for (int i = 0; i < n; ++i) {
        double r = w[i] + lcp.b[i];
        if (lcp.constrained[i] && diagonal[i] * p[i] < r) {
            r = diagonal[i] * p[i];
            if (active) (*active)[i] = 1;
        }
        // Not a number is as far from zero as can be; std::max would pass it over.
        if (std::isnan(r)) return HUGE_VAL;
        worst = std::max(worst, std::abs(r));
    }
    return worst;
}

namespace {

/// Rows are the unknowns in block order. Calls body(row, block, offset).
template <int D, class Body>
void for_each_row(const BlockLcp<D>& lcp, const Body& body) {
    int row = 0;
    for (int b = 0; b < lcp.system.blocks->size(); ++b)
        for (int o = 0; o < kBlockCells<D>; ++o)
            if (lcp.system.unknown.block(b)[o]) body(row++, b, o);
}

}  // namespace

template <int D>
SparseLcp to_sparse(const BlockLcp<D>& lcp) {
    const Blocks<D>& blocks = *lcp.system.blocks;
    Field<int, D> row_of(lcp.system.blocks, -1);
    SparseLcp s;
    s.dim = D;
    for_each_row(lcp, [&](int row, int b, int o) {
        row_of.block(b)[o] = row;
        s.b.push_back(-lcp.system.rhs.block(b)[o]);
        s.constrained.push_back(lcp.constrained.block(b)[o]);
        const Index<D> cell = blocks.first_cell(b) + local_cell<D>(o);
        s.cells.push_back({cell[0], cell[1], D == 3 ? cell[D - 1] : 0});
    });
    struct Entry {
        int column;
        double value;
    };
    for_each_row(lcp, [&](int row, int b, int o) {
        std::vector<Entry> entries;
        double diagonal = lcp.system.excess.block(b)[o];
        const Index<D> local = local_cell<D>(o);
        for (int d = 0; d < D; ++d)
            for (int up = 0; up < 2; ++up) {
                const int step = d == 0 ? 1 : d == 1 ? kSide : kSide * kSide;
                const bool inside = up ? local[d] < kSide - 1 : local[d] > 0;
                const int nb = inside ? b : blocks.neighbour(b, face_code<D>(2 * d + up));
                const int no =
                    inside ? o + (up ? step : -step) : o + (up ? -(kSide - 1) : kSide - 1) * step;
                const int j = row_of.block(nb)[no];
                const double c = up ? lcp.system.coefficient.axis(d).block(nb)[no]
                                    : lcp.system.coefficient.axis(d).block(b)[o];
                if (j < 0 || !(c > 0)) continue;
                diagonal += c;
                entries.push_back({j, -c});
            }
        entries.push_back({row, diagonal});
        std::sort(entries.begin(), entries.end(),
                  [](const Entry& x, const Entry& y) { return x.column < y.column; });
        for (const Entry& e : entries) {
            s.A.column.push_back(e.column);
            s.A.value.push_back(e.value);
        }
        s.A.start.push_back(static_cast<std::int64_t>(s.A.column.size()));
    });
    if (lcp.system.bodies) {
        const LowRank<D>& F = *lcp.system.bodies;
        for (int g = 0; g < F.groups(); ++g)
            for (int k = 0; k < kColumns<D>; ++k) {
                SparseMatrix::LowRankColumn c;
                for (std::size_t i = F.first[g]; i < F.first[g + 1]; ++i)
                    if (const auto& e = F.entries[i]; e.f[k] != 0) {
                        c.row.push_back(row_of.block(e.block)[e.offset]);
                        c.value.push_back(e.f[k]);
                    }
                if (!c.row.empty()) s.A.low_rank.push_back(std::move(c));
            }
    }
    return s;
}

template <int D>
std::vector<double> to_rows(const BlockLcp<D>& lcp, const Field<double, D>& p) {
    std::vector<double> rows;
    for_each_row(lcp, [&](int, int b, int o) { rows.push_back(p.block(b)[o]); });
    return rows;
}

template <int D>
void from_rows(const BlockLcp<D>& lcp, const std::vector<double>& rows, Field<double, D>& p) {
    p.fill(0);
    for_each_row(lcp, [&](int row, int b, int o) { p.block(b)[o] = rows[row]; });
}

#define SLOSH_INSTANTIATE(D)                                                              \
    template SparseLcp to_sparse<D>(const BlockLcp<D>&);                                  \
    template std::vector<double> to_rows<D>(const BlockLcp<D>&, const Field<double, D>&); \
    template void from_rows<D>(const BlockLcp<D>&, const std::vector<double>&, Field<double, D>&);
SLOSH_INSTANTIATE(2)
SLOSH_INSTANTIATE(3)
#undef SLOSH_INSTANTIATE

}  // namespace slosh
