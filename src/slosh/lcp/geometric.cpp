#include "slosh/lcp/geometric.h"

#include <algorithm>
#include <cmath>

#include "slosh/lcp/cell_table.h"
#include "slosh/lcp/interpolation.h"

namespace slosh {

namespace {

constexpr double kSeesAir = 1e-9;  // least row sum over diagonal that is no rounding

Index<3> beside(Index<3> cell, int side) {
    cell[side / 2] += side % 2 ? 1 : -1;
    return cell;
}

/// A geometry being filled, with room for `most` cells.
struct Maker {
    LcpGeometry g;
    CellTable table;

    Maker(int dim, std::size_t most) : table(most) { g.dim = dim; }
    int add(const Index<3>& cell) {
        const int next = static_cast<int>(g.cells.size());
        const int at = table.insert(cell, next);
        if (at == next) {
            g.cells.push_back(cell);
            g.phi.push_back(0);
            g.open.push_back({});
            g.near_air.push_back(0);
        }
        return at;
    }
};

}  // namespace

LcpGeometry read_geometry(const SparseMatrix& A, const std::vector<Index<3>>& cells, int dim) {
    const int n = A.rows();
    Maker maker(dim, static_cast<std::size_t>(n) * 3 + 64);
    LcpGeometry& g = maker.g;
    for (const Index<3>& c : cells) maker.add(c);
    double largest = 0;
    for (int i = 0; i < n; ++i)
        for (std::int64_t k = A.start[i]; k < A.start[i + 1]; ++k)
            if (A.column[k] != i) largest = std::max(largest, -A.value[k]);
    if (largest > 0) g.scale = largest;

    std::vector<int> seen_by(n, 0);  // rows that see an air cell
    for (int i = 0; i < n; ++i) {
        double sum = 0, diagonal = 0;
        for (std::int64_t k = A.start[i]; k < A.start[i + 1]; ++k) {
            const int j = A.column[k];
            sum += A.value[k];
            if (j == i) diagonal = A.value[k];
            for (int side = 0; side < 2 * dim; ++side)
                if (cells[j] == beside(cells[i], side)) g.open[i][side] = -A.value[k] / g.scale;
        }
        g.phi[i] = -1;
        if (!(sum > kSeesAir * diagonal)) continue;
        g.near_air[i] = 1;
        std::vector<int> sides;
        for (int side = 0; side < 2 * dim; ++side) {
            const int j = maker.table.find(beside(cells[i], side));
            if (j < 0 || j >= n) sides.push_back(side);
        }
        if (sides.empty()) continue;  // air that is no neighbour: coarse grids cannot know it
        const double per_face = sum / (static_cast<double>(sides.size()) * g.scale);
        const double theta = std::min(1.0, 1 / per_face);
        g.phi[i] = -theta;
        for (int side : sides) {
            const int air = maker.add(beside(cells[i], side));
            if (air == static_cast<int>(seen_by.size())) {
                seen_by.push_back(0);
                g.near_air[air] = 1;
                g.open[air].fill(1);
            }
            g.open[i][side] = g.open[air][side ^ 1] = std::min(1.0, per_face);
            g.phi[air] += 1 - theta;
            ++seen_by[air];
        }
    }
    for (std::size_t a = n; a < g.cells.size(); ++a) g.phi[a] /= seen_by[a];
    return std::move(maker.g);
}

LcpGeometry coarsened(const LcpGeometry& fine, bool keep_bubbles) {
    Maker maker(fine.dim, fine.cells.size());
    LcpGeometry& g = maker.g;
    g.scale = fine.scale / 4;  // twice the cell width
    struct Sums {
        double all = 0, positive = 0;
        int count = 0, positives = 0;
    };
    std::vector<Sums> sums;
    for (std::size_t i = 0; i < fine.cells.size(); ++i) {
        const std::size_t c = maker.add(parent_of(fine.cells[i]));
        if (c == sums.size()) sums.emplace_back();
        Sums& s = sums[c];
        s.all += fine.phi[i];
        ++s.count;
        if (fine.phi[i] >= 0) {
            s.positive += fine.phi[i];
            ++s.positives;
        }
        g.near_air[c] |= fine.near_air[i];
        for (int side = 0; side < 2 * fine.dim; ++side)
            if ((fine.cells[i][side / 2] & 1) == side % 2)  // a child at that side
                g.open[c][side] += fine.open[i][side] / (1 << (fine.dim - 1));
    }
    for (std::size_t c = 0; c < sums.size(); ++c) {
        const Sums& s = sums[c];
        const bool mixed = s.positives > 0 && s.positives < s.count;
        g.phi[c] = mixed && keep_bubbles ? s.positive / s.positives : s.all / s.count;
    }
    return std::move(maker.g);
}

GeometricOperator discretise(const LcpGeometry& g) {
    const CellTable table(g.cells);
    GeometricOperator out;
    std::vector<int> row(g.cells.size(), -1);
    for (std::size_t i = 0; i < g.cells.size(); ++i)
        if (g.phi[i] < 0) {
            row[i] = static_cast<int>(out.cells.size());
            out.cells.push_back(g.cells[i]);
        }
    for (std::size_t i = 0; i < g.cells.size(); ++i) {
        if (row[i] < 0) continue;
        std::vector<std::pair<int, double>> entries;
        double diagonal = 0;
        for (int side = 0; side < 2 * g.dim; ++side) {
            const int j = table.find(beside(g.cells[i], side));
            if (j < 0) {
                if (g.near_air[i]) diagonal += g.open[i][side] / 0.5;
                continue;
            }
            const double open = std::max(g.open[i][side], g.open[j][side ^ 1]);
            if (!(open > 0)) continue;
            if (row[j] >= 0) {
                diagonal += open;
                entries.push_back({row[j], -open * g.scale});
            } else {
                diagonal += open / std::max(g.phi[i] / (g.phi[i] - g.phi[j]), 1e-5);
            }
        }
        entries.push_back({row[i], diagonal * g.scale});
        std::sort(entries.begin(), entries.end());
        for (const auto& [column, value] : entries) {
            out.A.column.push_back(column);
            out.A.value.push_back(value);
        }
        out.A.start.push_back(static_cast<std::int64_t>(out.A.column.size()));
    }
    return out;
}

}  // namespace slosh
