#include "slosh/lcp/edges.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "common.h"
#include "linear/problems.h"
#include "slosh/base/hash.h"
#include "slosh/lcp/solve.h"

using namespace slosh;

namespace {

/// (C4) written out: every cut edge gets a row of its own behind the cells' rows.
template <int D>
SparseLcp with_wall_nodes(const BlockLcp<D>& lcp, const std::vector<CutEdge>& edges) {
    SparseLcp cells = to_sparse(lcp);
    const int n = cells.A.rows();
    Field<double, D> number(lcp.system.blocks);
    std::vector<double> rows(n);
    for (int i = 0; i < n; ++i) rows[i] = i;
    from_rows(lcp, rows, number);

    std::vector<std::map<int, double>> A(n + edges.size());
    for (int i = 0; i < n; ++i)
        for (std::int64_t k = cells.A.start[i]; k < cells.A.start[i + 1]; ++k)
            A[i][cells.A.column[k]] = cells.A.value[k];
    for (std::size_t k = 0; k < edges.size(); ++k) {
        const CutEdge& e = edges[k];
        const LowerCell<D> low(*lcp.system.blocks, e);
        const double c = lcp.system.coefficient.axis(e.axis).block(e.block)[e.offset];
        const int here = static_cast<int>(number.block(e.block)[e.offset]);
        const int below = static_cast<int>(number.block(low.block)[low.offset]);
        const int liquid = e.liquid_below ? below : here, solid = e.liquid_below ? here : below;
        const int node = n + static_cast<int>(k);
        A[here].erase(below), A[below].erase(here);
        A[here][here] -= c, A[below][below] -= c;
        for (auto [cell, weight] : {std::pair{liquid, c / e.theta},
                                    std::pair{solid, c / (1 - static_cast<double>(e.theta))}}) {
            A[cell][cell] += weight, A[node][node] += weight;
            A[cell][node] = A[node][cell] = -weight;
        }
    }
    SparseLcp out;
    out.b = cells.b;
    out.constrained = cells.constrained;
    out.b.resize(A.size(), 0.0);
    out.constrained.resize(A.size(), 1);
    for (const auto& row : A) {
        for (const auto& [column, value] : row) {
            out.A.column.push_back(column);
            out.A.value.push_back(value);
        }
        out.A.start.push_back(static_cast<std::int64_t>(out.A.column.size()));
    }
    return out;
}

}  // namespace

TEST_CASE_TEMPLATE("Cut edges are nodes with p >= 0 on the wall", Dm, Dim<2>, Dim<3>) {
    constexpr int D = Dm::value;
    BlockLcp<D> lcp(test::sphere_system<D>(D == 2 ? 32 : 16));
    std::vector<CutEdge> edges;
    for (int b = 0; b < lcp.system.blocks->size(); ++b)
        for (int o = 0; o < kBlockCells<D>; ++o)
            for (int d = 0; d < D; ++d) {
                const double draw = hash_uniform(7, b * 1000 + o, d);
                if (draw < 0.3 && lcp.system.coefficient.axis(d).block(b)[o] > 0)
                    edges.push_back(
                        {b, o, d, draw < 0.15,
                         static_cast<float>(0.05 + 0.9 * hash_uniform(8, b * 1000 + o, d))});
            }
    REQUIRE(edges.size() > 20);
    Field<double, D> q(lcp.system.blocks);
    Field<std::uint8_t, D> active(lcp.system.blocks);
    std::vector<std::uint8_t> released;
    const LcpReport report = solve_edges(lcp, edges, {.tolerance = 1e-9}, q, active, released);
    REQUIRE(report.converged);
    CHECK(report.active > 0);
    CHECK(report.active < edges.size());

    std::vector<double> exact;
    REQUIRE(solve_lcp("policy-pcg", with_wall_nodes(lcp, edges),
                      {.tolerance = 1e-11, .max_iterations = 20000}, exact)
                .converged);
    const std::vector<double> rows = to_rows(lcp, q);
    double worst = 0, scale = 0;
    for (std::size_t i = 0; i < rows.size(); ++i) {
        worst = std::max(worst, std::abs(rows[i] - exact[i]));
        scale = std::max(scale, std::abs(exact[i]));
    }
    CHECK(worst < 1e-5 * scale);
    for (std::size_t k = 0; k < edges.size(); ++k)
        CHECK((exact[rows.size() + k] < 1e-9 * scale) == (released[k] != 0));
}
