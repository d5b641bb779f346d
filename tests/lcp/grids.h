// Complementarity problems on small grids, for all solvers.
#pragma once

#include <cmath>
#include <vector>

#include "slosh/lcp/sparse.h"

namespace slosh {

/// A row of cells 0..n-1 joined by unit coefficients, without Dirichlet excess: a pocket. b = 0, no
/// row in S.
inline SparseLcp chain(int n) {
    SparseLcp lcp;
    lcp.dim = 2;
    for (int i = 0; i < n; ++i) {
        if (i > 0) lcp.A.column.push_back(i - 1), lcp.A.value.push_back(-1);
        lcp.A.column.push_back(i), lcp.A.value.push_back((i > 0) + (i < n - 1));
        if (i < n - 1) lcp.A.column.push_back(i + 1), lcp.A.value.push_back(-1);
        lcp.A.start.push_back(static_cast<std::int64_t>(lcp.A.column.size()));
        lcp.cells.push_back({i, 0, 0});
    }
    lcp.b.assign(n, 0);
    lcp.constrained.assign(n, 0);
    return lcp;
}

inline void add_to_diagonal(SparseLcp& lcp, int row, double excess) {
    for (std::int64_t k = lcp.A.start[row]; k < lcp.A.start[row + 1]; ++k)
        if (lcp.A.column[k] == row) lcp.A.value[k] += excess;
}

/// Liquid in a round tank of n^D cells with air above a wavy surface. Wall cells are in S; b is
/// that of a flow that drags on one side of the wall and pushes on the other, so part of S is
/// active.
/// A `closed` tank is full: there is no air.
template <int D>
SparseLcp tank(int n, bool closed = false) {
    const int depth = D == 3 ? n : 1;
    const auto at = [&](int x, int y, int z) { return (z * n + y) * n + x; };
    std::vector<int> row(n * n * depth, -1);  // -1: solid, -2: air
    SparseLcp lcp;
    lcp.dim = D;
    for (int z = 0; z < depth; ++z)
        for (int y = 0; y < n; ++y)
            for (int x = 0; x < n; ++x) {
                const double dx = (x + 0.5) / n - 0.5, dy = (y + 0.5) / n - 0.5;
                const double dz = D == 3 ? (z + 0.5) / n - 0.5 : 0;
                if (dx * dx + dy * dy + dz * dz > 0.23) continue;
                if (!closed && dy > 0.1 + 0.05 * std::sin(12 * dx + 7 * dz)) {
                    row[at(x, y, z)] = -2;
                } else {
                    row[at(x, y, z)] = static_cast<int>(lcp.cells.size());
                    lcp.cells.push_back({x, y, z});
                }
            }
    for (std::size_t i = 0; i < lcp.cells.size(); ++i) {
        const Index<3> c = lcp.cells[i];
        double diagonal = 0;
        bool wall = false;
        std::vector<int> neighbours;
        const auto visit = [&](int d, int up) {
            Index<3> m = c;
            m[d] += up ? 1 : -1;
            const bool inside = m[d] >= 0 && m[d] < (d == 2 ? depth : n);
            const int j = inside ? row[at(m[0], m[1], m[2])] : -1;
            if (j == -1) {
                wall = true;
            } else {
                diagonal += j == -2 ? 1 / (0.2 + 0.8 * std::abs(std::sin(31.0 * c[0]))) : 1;
                if (j >= 0) neighbours.push_back(j);
            }
        };
        const auto entry = [&](int j, double a) {
            lcp.A.column.push_back(j);
            lcp.A.value.push_back(a);
        };
        for (int d = D - 1; d >= 0; --d) visit(d, 0);
        const std::size_t lower = neighbours.size();
        for (int d = 0; d < D; ++d) visit(d, 1);
        for (std::size_t k = 0; k < lower; ++k) entry(neighbours[k], -1);
        entry(static_cast<int>(i), diagonal);
        for (std::size_t k = lower; k < neighbours.size(); ++k) entry(neighbours[k], -1);
        lcp.A.start.push_back(static_cast<std::int64_t>(lcp.A.column.size()));
        lcp.constrained.push_back(wall);
        const double wave = std::sin(9.0 * c[0] / n + 5.0 * c[1] / n + 3.0 * c[2] / n);
        lcp.b.push_back(wall ? 0.2 + wave : 0.1 * wave);
    }
    return lcp;
}

}  // namespace slosh
