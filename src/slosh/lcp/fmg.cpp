#include "slosh/lcp/fmg.h"

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

/// What belongs to one grid besides its operators: A x = rhs with x >= lower.
struct Unknowns {
    Vector x, rhs, lower, work, residual, image;
    std::vector<int> red, black;
};

class Fmg {
public:
    Fmg(const SparseLcp& lcp, const FmgOptions& options) : options_(options) {
        grids_ = build_hierarchy(lcp.A, lcp.cells, lcp.dim, options.hierarchy);
        unknowns_.resize(grids_.size());
        for (std::size_t g = 0; g < grids_.size(); ++g) {
            Unknowns& u = unknowns_[g];
            const std::vector<Index<3>>& cells = grids_[g].cells;
            for (std::size_t i = 0; i < cells.size(); ++i)
                ((cells[i][0] + cells[i][1] + cells[i][2]) & 1 ? u.black : u.red)
                    .push_back(static_cast<int>(i));
            u.x.assign(cells.size(), 0);
            u.rhs.assign(cells.size(), 0);
            u.lower.assign(cells.size(), -kNone);
        }
        bound_.assign(lcp.b.size(), -kNone);  // (M1)
        minus_b_.resize(lcp.b.size());
        for (std::size_t i = 0; i < lcp.b.size(); ++i) {
            if (lcp.constrained[i]) bound_[i] = 0;
            minus_b_[i] = -lcp.b[i];
        }
    }

    /// Algorithm 2 from the finest grid.
    void v_cycle(Vector& p) {
        Unknowns& u = unknowns_[0];
        u.rhs = minus_b_;
        u.lower = bound_;
        u.x.swap(p);
        v_cycle(std::size_t{0});
        u.x.swap(p);
    }

    /// Algorithm 3: the correction to p, coarsest grid first.
    void full_cycle(Vector& p) {
        const std::size_t last = grids_.size() - 1;
        Unknowns& fine = unknowns_[0];
        grids_[0].A.multiply(p, fine.rhs);
        Vector masked(p.size());
        for_each_row(p.size(), [&](std::size_t i) {
            fine.rhs[i] = minus_b_[i] - fine.rhs[i];
            fine.lower[i] = bound_[i] - p[i];
            fine.x[i] = 0;
            masked[i] =
                options_.mask_held && fine.lower[i] >= 0 ? std::max(fine.rhs[i], 0.0) : fine.rhs[i];
        });
        std::vector<Vector> rhs(grids_.size());
        rhs[0] = fine.rhs;
        std::vector<Vector> lower(grids_.size());
        lower[0] = fine.lower;
        for (std::size_t g = 0; g < last; ++g) {
            grids_[g].R.multiply(g == 0 ? masked : rhs[g], rhs[g + 1]);
            unknowns_[g].lower = lower[g];
            lower_bound(g);  // x is zero: DownsampleSubtract(p_min, 0)
            lower[g + 1] = unknowns_[g + 1].lower;
            std::fill(unknowns_[g + 1].x.begin(), unknowns_[g + 1].x.end(), 0.0);
        }
        for (std::size_t g = last + 1; g-- > 0;) {
            Unknowns& u = unknowns_[g];
            if (g < last) grids_[g].P.multiply(unknowns_[g + 1].x, u.x);
            u.rhs = rhs[g];
            u.lower = lower[g];
            v_cycle(g);
        }
        for_each_row(p.size(), [&](std::size_t i) { p[i] += fine.x[i]; });
    }

    std::size_t bytes() const {
        std::size_t sum = 0;
        for (const GridLevel& g : grids_) sum += g.bytes() + g.cells.size() * 52;
        return sum;
    }

private:
    void smooth(std::size_t g, int sweeps) {
        Unknowns& u = unknowns_[g];
        const Sweep sweep{grids_[g].A, grids_[g].diagonal, u.rhs, u.lower};
        for (int k = 0; k < sweeps; ++k) {
            relax_uncoupled(sweep, u.red, u.x);
            relax_uncoupled(sweep, u.black, u.x);
        }
    }

    /// (M2), on the finest `bound_grids` coarse grids.
    void lower_bound(std::size_t g) {
        const Unknowns& fine = unknowns_[g];
        Unknowns& coarse = unknowns_[g + 1];
        std::fill(coarse.lower.begin(), coarse.lower.end(), -kNone);
        if (static_cast<int>(g) >= options_.bound_grids) return;
        for (std::size_t i = 0; i < fine.x.size(); ++i) {
            const int c = grids_[g].parent[i];
            if (c >= 0) coarse.lower[c] = std::max(coarse.lower[c], fine.lower[i] - fine.x[i]);
        }
    }

    void v_cycle(std::size_t g) {
        if (g + 1 == grids_.size()) return smooth(g, options_.coarsest_sweeps);
        const GridLevel& grid = grids_[g];
        Unknowns& u = unknowns_[g];
        Unknowns& coarse = unknowns_[g + 1];
        smooth(g, options_.sweeps);
        grid.A.multiply(u.x, u.work);
        for_each_row(u.x.size(), [&](std::size_t i) {
            u.work[i] = u.rhs[i] - u.work[i];
            // A row held by its bound from below cannot follow its residual.
            if (options_.mask_held && u.x[i] <= u.lower[i]) u.work[i] = std::max(u.work[i], 0.0);
        });
        grid.R.multiply(u.work, coarse.rhs);
        std::fill(coarse.x.begin(), coarse.x.end(), 0.0);
        lower_bound(g);
        v_cycle(g + 1);
        // The step along the correction that lowers the energy most, but no longer than it.
        u.residual = u.work;
        grid.P.multiply(coarse.x, u.work);
        grid.A.multiply(u.work, u.image);
        const double slope = dot(u.residual, u.work), curvature = dot(u.work, u.image);
        const double step = slope < curvature ? std::max(slope / curvature, 0.0) : 1.0;
        for_each_row(u.x.size(), [&](std::size_t i) { u.x[i] += step * u.work[i]; });
        smooth(g, options_.sweeps);
    }

    FmgOptions options_;
    std::vector<GridLevel> grids_;
    std::vector<Unknowns> unknowns_;
    Vector bound_, minus_b_;
};

}  // namespace

LcpReport solve_fmg(const SparseLcp& given, const LcpOptions& options, std::vector<double>& p,
                    const FmgOptions& fmg_options) {
    PreparedLcp system(given, options, p);
    SLOSH_EXPECT(given.cells.size() == p.size());
    LcpReport report;
    double residual = system.residual(p);
    if (residual > system.goal()) {
        const double start = wall_seconds();
        Fmg fmg(system.lcp(), fmg_options);
        report.setup_seconds = wall_seconds() - start;
        report.bytes = fmg.bytes();
        double mark = residual;  // of the last cycle that made headway
        int since = 0;
        while (residual > system.goal() && report.iterations < options.max_iterations &&
               since < fmg_options.stall_cycles && std::isfinite(residual)) {
            if (report.iterations < fmg_options.full_cycles)
                fmg.full_cycle(p);
            else
                fmg.v_cycle(p);
            ++report.iterations;
            system.record(p);
            residual = system.residual(p);
            ++since;
            if (residual < fmg_options.stall_factor * mark) {
                mark = residual;
                since = 0;
            }
        }
    }
    return system.finish(p, std::move(report));
}

}  // namespace slosh
