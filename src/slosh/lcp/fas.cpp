#include "slosh/lcp/fas.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "slosh/base/error.h"
#include "slosh/base/timer.h"
#include "slosh/lcp/multigrid_solvers.h"
#include "slosh/lcp/prepare.h"
#include "slosh/lcp/relax.h"
#include "slosh/lcp/vectors.h"

namespace slosh {

namespace {

using Vector = std::vector<double>;
constexpr double kNone = std::numeric_limits<double>::infinity();

/// What belongs to one grid besides its operators.
struct Unknowns {
    std::vector<std::uint8_t> constrained;
    Vector b, scale, q, f;
    Vector restricted;                   ///< q~ of (F2).
    Vector residual, correction, image;  ///< f - N(q), P (q_H - q~), N(q).
    Vector lower, rhs;                   ///< For relax(): f/s in S, f - b.

    std::size_t bytes() const { return 10 * q.size() * sizeof(double) + constrained.size(); }
};

class Fas {
public:
    Fas(const SparseLcp& lcp, const FasOptions& options) : options_(options) {
        grids_ = build_hierarchy(lcp.A, lcp.cells, lcp.dim, options.hierarchy);
        unknowns_.resize(grids_.size());
        unknowns_[0].constrained = lcp.constrained;
        unknowns_[0].b = lcp.b;
        for (std::size_t g = 0; g < grids_.size(); ++g) {
            prepare(g);
            if (g + 1 < grids_.size()) coarsen(g);
        }
    }
    /// One cycle on the finest grid.
    void cycle(Vector& p) {
        unknowns_[0].q.swap(p);
        cycle(std::size_t{0});
        unknowns_[0].q.swap(p);
    }
    std::size_t bytes() const {
        std::size_t sum = 0;
        for (std::size_t g = 0; g < grids_.size(); ++g)
            sum += grids_[g].bytes() + unknowns_[g].bytes();
        return sum;
    }

private:
    void prepare(std::size_t g) {
        Unknowns& u = unknowns_[g];
        const std::size_t n = grids_[g].cells.size();
        u.scale = grids_[g].diagonal;
        for (double& s : u.scale)
            if (options_.scale == FasOptions::Scale::None || !(s > 0)) s = 1;
        u.q.assign(n, 0);
        u.f.assign(n, 0);
        u.residual.assign(n, 0);
        u.rhs.assign(n, 0);
        u.lower.assign(n, -kNone);
    }

    /// b and S of the next coarser grid.
    void coarsen(std::size_t g) {
        const GridLevel& grid = grids_[g];
        const Unknowns& fine = unknowns_[g];
        Unknowns& coarse = unknowns_[g + 1];
        grid.R.multiply(fine.b, coarse.b);
        std::vector<int> children(grid.R.rows(), 0), bounded(grid.R.rows(), 0);
        for (std::size_t i = 0; i < grid.parent.size(); ++i) {
            if (grid.parent[i] < 0) continue;
            ++children[grid.parent[i]];
            bounded[grid.parent[i]] += fine.constrained[i] != 0;
        }
        coarse.constrained.resize(grid.R.rows());
        for (int c = 0; c < grid.R.rows(); ++c) switch (options_.coarse_constraint) {
                case FasOptions::Coarse::Any:
                    coarse.constrained[c] = bounded[c] > 0;
                    break;
                case FasOptions::Coarse::Most:
                    coarse.constrained[c] = 2 * bounded[c] > children[c];
                    break;
                case FasOptions::Coarse::All:
                    coarse.constrained[c] = bounded[c] > 0 && bounded[c] == children[c];
                    break;
            }
    }

    /// N(q) of (F1).
    void apply(std::size_t g, Vector& out) {
        Unknowns& u = unknowns_[g];
        grids_[g].A.multiply(u.q, out);
        for_each_row(out.size(), [&](std::size_t i) {
            out[i] += u.b[i];
            if (u.constrained[i]) out[i] = std::min(out[i], u.scale[i] * u.q[i]);
        });
    }

    void smooth(std::size_t g, int sweeps) {
        const GridLevel& grid = grids_[g];
        Unknowns& u = unknowns_[g];
        for_each_row(u.q.size(), [&](std::size_t i) {
            u.rhs[i] = u.f[i] - u.b[i];
            if (u.constrained[i]) u.lower[i] = u.f[i] / u.scale[i];
        });
        for (int k = 0; k < sweeps; ++k) relax({grid.A, grid.diagonal, u.rhs, u.lower}, u.q);
    }

    /// q~ of (F2).
    void restrict_solution(std::size_t g) {
        const SparseMatrix& R = grids_[g].R;
        const Unknowns& fine = unknowns_[g];
        Unknowns& coarse = unknowns_[g + 1];
        for_each_row(R.rows(), [&](std::size_t c) {
            double sum = 0, weights = 0, least = kNone;
            for (std::int64_t k = R.start[c]; k < R.start[c + 1]; ++k) {
                const int i = R.column[k];
                sum += R.value[k] * fine.q[i];
                weights += R.value[k];
                if (fine.constrained[i]) least = std::min(least, fine.q[i]);
            }
            double q = sum;
            if (options_.restrict_solution == FasOptions::Restrict::Mean && weights > 0)
                q = sum / weights;
            if (options_.restrict_solution == FasOptions::Restrict::Least &&
                coarse.constrained[c] && least < kNone)
                q = least;
            coarse.q[c] = q;
        });
        coarse.restricted = coarse.q;
    }

    void cycle(std::size_t g) {
        if (g + 1 == grids_.size()) return smooth(g, options_.coarsest_sweeps);
        const GridLevel& grid = grids_[g];
        Unknowns& u = unknowns_[g];
        Unknowns& coarse = unknowns_[g + 1];
        smooth(g, options_.pre_sweeps);

        // (F2)
        apply(g, u.image);
        for_each_row(u.q.size(), [&](std::size_t i) { u.residual[i] = u.f[i] - u.image[i]; });
        restrict_solution(g);
        apply(g + 1, coarse.f);
        grid.R.multiply(u.residual, coarse.residual);
        for_each_row(coarse.q.size(), [&](std::size_t c) { coarse.f[c] += coarse.residual[c]; });
        for (int visit = 0; visit < options_.visits; ++visit) cycle(g + 1);

        for_each_row(coarse.q.size(), [&](std::size_t c) {
            coarse.restricted[c] = coarse.q[c] - coarse.restricted[c];
        });
        grid.P.multiply(coarse.restricted, u.correction);
        for_each_row(u.q.size(), [&](std::size_t i) { u.q[i] += u.correction[i]; });
        smooth(g, options_.post_sweeps);
    }

    FasOptions options_;
    std::vector<GridLevel> grids_;
    std::vector<Unknowns> unknowns_;
};

}  // namespace

LcpReport solve_fas(const SparseLcp& given, const LcpOptions& options, std::vector<double>& p,
                    const FasOptions& fas_options) {
    PreparedLcp system(given, options, p);
    SLOSH_EXPECT(given.cells.size() == p.size());
    LcpReport report;
    double residual = system.residual(p);
    if (residual > system.goal()) {
        const double start = wall_seconds();
        Fas fas(system.lcp(), fas_options);
        report.setup_seconds = wall_seconds() - start;
        report.bytes = fas.bytes();
        // A cycle that diverges ends the loop: no later one can help.
        while (residual > system.goal() && report.iterations < options.max_iterations &&
               std::isfinite(residual)) {
            fas.cycle(p);
            ++report.iterations;
            system.record(p);
            residual = system.residual(p);
        }
    }
    return system.finish(p, std::move(report));
}

}  // namespace slosh
