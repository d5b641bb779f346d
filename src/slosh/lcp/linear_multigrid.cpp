#include "slosh/lcp/linear_multigrid.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <utility>

#include "slosh/base/error.h"
#include "slosh/base/timer.h"
#include "slosh/lcp/relax.h"
#include "slosh/lcp/vectors.h"

namespace slosh {

LinearMultigrid::LinearMultigrid(SparseMatrix A, std::vector<Index<3>> cells, int dim,
                                 const LinearMultigridOptions& options)
    : options_(options),
      grids_(build_hierarchy(std::move(A), std::move(cells), dim, options.hierarchy)),
      rhs_(grids_.size()),
      x_(grids_.size()),
      residual_(grids_.size()) {}

void LinearMultigrid::cycle(const std::vector<double>& rhs, std::vector<double>& x) {
    cycle(0, rhs, x);
}

void LinearMultigrid::cycle(std::size_t g, const std::vector<double>& rhs, std::vector<double>& x) {
    const GridLevel& grid = grids_[g];
    const std::vector<double> no_bounds;
    const auto smooth = [&](int sweeps) {
        for (int k = 0; k < sweeps; ++k) relax({grid.A, grid.diagonal, rhs, no_bounds}, x);
    };
    if (g + 1 == grids_.size()) return smooth(options_.coarsest_sweeps);
    smooth(options_.pre_sweeps);
    std::vector<double>& r = residual_[g];
    grid.A.multiply(x, r);
    for_each_row(r.size(), [&](std::size_t i) { r[i] = rhs[i] - r[i]; });
    grid.R.multiply(r, rhs_[g + 1]);
    x_[g + 1].assign(grid.R.rows(), 0);
    cycle(g + 1, rhs_[g + 1], x_[g + 1]);
    grid.P.multiply(x_[g + 1], r);
    for_each_row(r.size(), [&](std::size_t i) { x[i] += r[i]; });
    smooth(options_.post_sweeps);
}

std::size_t LinearMultigrid::bytes() const {
    std::size_t sum = 0;
    for (const GridLevel& g : grids_) sum += g.bytes() + 3 * g.cells.size() * sizeof(double);
    return sum;
}

namespace {

/// The rows that take part, packed.
struct Packed {
    std::vector<std::uint8_t> out;  ///< 1 in rows that do not take part.
    std::vector<int> rows;
    std::unique_ptr<LinearMultigrid> multigrid;
    std::vector<double> rhs, x;

    void pack(const SparseLcp& lcp, std::vector<std::uint8_t> left_out,
              const LinearMultigridOptions& options) {
        out = std::move(left_out);
        rows.clear();
        std::vector<int> number(out.size(), -1);
        for (std::size_t i = 0; i < out.size(); ++i)
            if (!out[i]) {
                number[i] = static_cast<int>(rows.size());
                rows.push_back(static_cast<int>(i));
            }
        SparseMatrix A;
        std::vector<Index<3>> cells;
        for (int i : rows) {
            for (std::int64_t k = lcp.A.start[i]; k < lcp.A.start[i + 1]; ++k)
                if (number[lcp.A.column[k]] >= 0) {
                    A.column.push_back(number[lcp.A.column[k]]);
                    A.value.push_back(lcp.A.value[k]);
                }
            A.start.push_back(static_cast<std::int64_t>(A.column.size()));
            cells.push_back(lcp.cells[i]);
        }
        multigrid =
            std::make_unique<LinearMultigrid>(std::move(A), std::move(cells), lcp.dim, options);
    }

    /// One cycle for the rows that take part, with the others' p as they are.
    void cycle(const SparseLcp& lcp, std::vector<double>& p) {
        rhs.resize(rows.size());
        x.resize(rows.size());
        for_each_row(rows.size(), [&](std::size_t r) {
            const int i = rows[r];
            double s = -lcp.b[i];
            for (std::int64_t k = lcp.A.start[i]; k < lcp.A.start[i + 1]; ++k)
                if (out[lcp.A.column[k]]) s -= lcp.A.value[k] * p[lcp.A.column[k]];
            rhs[r] = s;
            x[r] = p[i];
        });
        multigrid->cycle(rhs, x);
        for_each_row(rows.size(), [&](std::size_t r) { p[rows[r]] = x[r]; });
    }
};

/// Solves penalised rows one by one, then returns max|A p + extra p + b| over rows not fixed.
double finish_rows(const InnerSystem& s, const std::vector<double>& diagonal,
                   std::vector<double>& p, std::vector<double>& w) {
    s.lcp.A.multiply(p, w);
    if (!s.extra.empty()) {
        for_each_row(p.size(), [&](std::size_t i) {
            if (s.extra[i] > 0)
                p[i] -= (w[i] + s.lcp.b[i] + s.extra[i] * p[i]) / (diagonal[i] + s.extra[i]);
        });
        s.lcp.A.multiply(p, w);
    }
    return parallel_max(
        p.size(),
        [&](std::size_t i) {
            if (s.fixed[i] || !(diagonal[i] > 0)) return 0.0;
            return std::abs(w[i] + s.lcp.b[i] + (s.extra.empty() ? 0 : s.extra[i] * p[i]));
        },
        0, kRowChunk);
}

}  // namespace

InnerSolver multigrid_inner(const LinearMultigridOptions& options) {
    auto packed = std::make_shared<Packed>();
    return [packed, options](const InnerSystem& system, std::vector<double>& p) {
        SLOSH_EXPECT(system.lcp.cells.size() == p.size());
        const std::vector<double> diagonal = system.lcp.A.diagonal();
        std::vector<std::uint8_t> out(p.size());
        for (std::size_t i = 0; i < p.size(); ++i)
            out[i] = system.fixed[i] || !(diagonal[i] > 0) ||
                     (!system.extra.empty() && system.extra[i] > 1e3 * diagonal[i]);
        InnerReport report;
        if (!packed->multigrid || packed->out != out) {
            const double start = wall_seconds();
            packed->pack(system.lcp, std::move(out), options);
            report.setup_seconds = wall_seconds() - start;
        }
        report.bytes = packed->multigrid->bytes();
        std::vector<double> w;
        double residual = finish_rows(system, diagonal, p, w);
        const double goal = std::max(system.goal, options.reduction * residual);
        while (residual > goal && report.iterations < system.max_iterations &&
               std::isfinite(residual)) {
            packed->cycle(system.lcp, p);
            ++report.iterations;
            residual = finish_rows(system, diagonal, p, w);
            if (system.after_each) system.after_each();
        }
        return report;
    };
}

}  // namespace slosh
