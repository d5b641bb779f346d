// Projected Gauss-Seidel [Lai2021, Algorithm 5]: row by row p_i = -(b_i + sum_{j!=i} a_ij
// p_j)/a_ii, lifted to 0 where that is negative in S.
//
// Rows on a grid are visited red first, then black: no row has a neighbour of its own colour, so
// each half is parallel and gives the same bits on any number of threads. Other rows, or a matrix
// that couples cells of one colour, are visited in their order.
#include <algorithm>
#include <cmath>

#include "slosh/lcp/prepare.h"
#include "slosh/lcp/sparse_solvers.h"
#include "slosh/lcp/vectors.h"

namespace slosh {

namespace {

/// Red rows, then black rows; empty if the matrix does not split so.
struct RedBlack {
    std::vector<int> rows;
    std::size_t red = 0;

    explicit RedBlack(const SparseLcp& lcp) {
        if (lcp.cells.empty()) return;
        const int n = lcp.A.rows();
        const auto black = [&](int i) {
            const Index<3>& c = lcp.cells[i];
            return ((c[0] + c[1] + c[2]) & 1) != 0;
        };
        for (int i = 0; i < n; ++i)
            for (std::int64_t k = lcp.A.start[i]; k < lcp.A.start[i + 1]; ++k) {
                const int j = lcp.A.column[k];
                if (j != i && lcp.A.value[k] != 0 && black(i) == black(j)) return;
            }
        for (bool colour : {false, true}) {
            for (int i = 0; i < n; ++i)
                if (black(i) == colour) rows.push_back(i);
            if (!colour) red = rows.size();
        }
    }
};

}  // namespace

LcpReport solve_pgs(const SparseLcp& given, const LcpOptions& options, std::vector<double>& p) {
    PreparedLcp system(given, options, p);
    const SparseLcp& lcp = system.lcp();
    const RedBlack order(lcp);

    // Returns a_ii |change of p_i|, which is |r_i| of (C3) at the moment of the visit.
    const auto relax = [&](int i) {
        const double a = system.diagonal()[i];
        if (!(a > 0)) return 0.0;
        double w = lcp.b[i];
        for (std::int64_t k = lcp.A.start[i]; k < lcp.A.start[i + 1]; ++k)
            w += lcp.A.value[k] * p[lcp.A.column[k]];
        const double old = p[i];
        p[i] -= w / a;
        if (lcp.constrained[i]) p[i] = std::max(p[i], 0.0);
        return a * std::abs(p[i] - old);
    };
    const auto sweep = [&] {
        double change = 0;
        if (order.rows.empty()) {
            for (int i = 0; i < lcp.A.rows(); ++i) change = std::max(change, relax(i));
            return change;
        }
        const std::size_t first[3] = {0, order.red, order.rows.size()};
        for (int colour = 0; colour < 2; ++colour)
            change = parallel_max(
                first[colour + 1] - first[colour],
                [&](std::size_t i) { return relax(order.rows[first[colour] + i]); }, change,
                kRowChunk);
        return change;
    };

    LcpReport report;
    report.bytes = order.rows.size() * sizeof(int);
    double residual = system.residual(p);
    while (residual > system.goal() && report.iterations < options.max_iterations) {
        const double change = sweep();
        ++report.iterations;
        system.record(p);
        // The true residual costs as much as a sweep: only when the visits saw nothing larger.
        if (change <= system.goal()) residual = system.residual(p);
    }
    return system.finish(p, std::move(report));
}

}  // namespace slosh
