#include "slosh/lcp/interpolation.h"

#include <algorithm>
#include <cmath>

#include "slosh/lcp/cell_table.h"
#include "slosh/lcp/vectors.h"

namespace slosh {

namespace {

constexpr double kSeesAir = 1e-9;  // least row sum over diagonal that is no rounding

struct Weight {
    Index<3> coarse;
    double weight;
};

/// (I1) to (I3) for one cell. Returns how many.
int ideal_weights(const Index<3>& cell, int dim, CoarseTransfer kind, Weight* out) {
    const Index<3> parent = parent_of(cell);
    if (kind == CoarseTransfer::Constant) {
        out[0] = {parent, 1};
        return 1;
    }
    int count = 0;
    for (int corner = 0; corner < (1 << dim); ++corner) {
        Weight w{parent, 1};
        int steps = 0;
        for (int d = 0; d < dim; ++d) {
            const bool away = (corner >> d) & 1;
            if (away) w.coarse[d] += (cell[d] & 1) ? 1 : -1;
            w.weight *= away ? 0.25 : 0.75;
            steps += away;
        }
        if (kind == CoarseTransfer::Barycentric) {
            if (steps > 1) continue;
            w.weight = steps == 1 ? 0.25 : 1 - 0.25 * dim;
        }
        out[count++] = w;
    }
    return count;
}

/// Whether couplings join `row` to a child of `goal` within the children of the box of coarse cells
/// that `row`'s parent and `goal` span.
bool joined(const SparseMatrix& A, const std::vector<Index<3>>& cells, int row,
            const Index<3>& goal, std::vector<int>& reached) {
    const Index<3> home = parent_of(cells[row]);
    const Index<3> lo = min(home, goal), hi = max(home, goal);
    reached.assign(1, row);
    for (std::size_t next = 0; next < reached.size(); ++next) {
        const int i = reached[next];
        for (std::int64_t k = A.start[i]; k < A.start[i + 1]; ++k) {
            const int j = A.column[k];
            if (j == i || A.value[k] == 0) continue;
            const Index<3> parent = parent_of(cells[j]);
            if (parent == goal) return true;
            if (!(min(lo, parent) == lo && max(hi, parent) == hi)) continue;
            if (std::find(reached.begin(), reached.end(), j) == reached.end()) reached.push_back(j);
        }
    }
    return false;
}

bool sees_air(const SparseMatrix& A, std::size_t row) {
    double sum = 0, diagonal = 0;
    for (std::int64_t k = A.start[row]; k < A.start[row + 1]; ++k) {
        sum += A.value[k];
        if (A.column[k] == static_cast<int>(row)) diagonal = A.value[k];
    }
    return sum > kSeesAir * diagonal;
}

}  // namespace

std::vector<Index<3>> parents_of(const std::vector<Index<3>>& cells) {
    std::vector<Index<3>> coarse;
    CellTable table(cells.size());
    for (const Index<3>& cell : cells) {
        const int next = static_cast<int>(coarse.size());
        if (table.insert(parent_of(cell), next) == next) coarse.push_back(parent_of(cell));
    }
    return coarse;
}

std::vector<int> find_parents(const std::vector<Index<3>>& cells,
                              const std::vector<Index<3>>& coarse) {
    const CellTable table(coarse);
    std::vector<int> parent(cells.size());
    for_each_row(cells.size(), [&](std::size_t i) { parent[i] = table.find(parent_of(cells[i])); });
    return parent;
}

SparseMatrix interpolation(const SparseMatrix& A, const std::vector<Index<3>>& cells,
                           const std::vector<Index<3>>& coarse, int dim,
                           const TransferOptions& options) {
    const CellTable table(coarse);
    const std::size_t n = cells.size();
    constexpr int most = 8;  // entries in a row
    std::vector<int> column(n * most), length(n);
    std::vector<double> value(n * most);
    parallel_ranges(n, kRowChunk, [&](std::size_t begin, std::size_t end) {
        std::vector<int> reached;
        for (std::size_t i = begin; i < end; ++i) {
            Weight ideal[most];
            const int count = ideal_weights(cells[i], dim, options.kind, ideal);
            const Index<3> home = parent_of(cells[i]);
            std::pair<int, double> kept[most];
            double sum = 0;
            int used = 0;
            for (int k = 0; k < count; ++k) {
                const int c = table.find(ideal[k].coarse);
                if (c < 0) continue;
                if (options.one_sided && !(ideal[k].coarse == home) &&
                    !joined(A, cells, static_cast<int>(i), ideal[k].coarse, reached))
                    continue;
                int at = used++;  // columns ascend
                for (; at > 0 && kept[at - 1].first > c; --at) kept[at] = kept[at - 1];
                kept[at] = {c, ideal[k].weight};
                sum += ideal[k].weight;
            }
            const double factor = options.normalise && !sees_air(A, i) && sum > 0 ? 1 / sum : 1;
            length[i] = used;
            for (int k = 0; k < used; ++k) {
                column[i * most + k] = kept[k].first;
                value[i * most + k] = factor * kept[k].second;
            }
        }
    });
    SparseMatrix P;
    P.start.assign(n + 1, 0);
    for (std::size_t i = 0; i < n; ++i) P.start[i + 1] = P.start[i] + length[i];
    P.column.resize(P.start[n]);
    P.value.resize(P.start[n]);
    for_each_row(n, [&](std::size_t i) {
        std::copy_n(&column[i * most], length[i], P.column.begin() + P.start[i]);
        std::copy_n(&value[i * most], length[i], P.value.begin() + P.start[i]);
    });
    return P;
}

}  // namespace slosh
