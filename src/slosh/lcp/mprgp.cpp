// Modified proportioning with reduced gradient projections [Dostal2005]: minimises
// p.A p / 2 + b.p over p >= 0 in S, which is (C1), (C2) again.
//
// With g = A p + b the gradient splits into the *free* gradient phi, in rows that may move either
// way (p_i > 0 or outside S), and the *chopped* gradient beta = min(g, 0) in rows of S at p_i = 0.
// Both vanish at the solution. Each step is one of three:
//
//     conjugate gradients in the face of free rows, while beta is small against phi and no bound
//                     is hit: |beta|^2 <= phi~.phi, phi~_i = min(a_ii p_i / alpha, phi_i) in S
//     expansion       up to the first bound, then p - alpha D^-1 phi projected: many rows become
//                     active at once
//     proportioning   along -D^-1 beta: rows that pull away from the bound are released
//
// We work in the metric of the diagonal D, since slivers make it span many decades (products above
// mean u.D^-1 v). There A has norm at most the largest sum_j |a_ij| / a_ii, and alpha stays below
// two over that. Directions in a face are preconditioned by MIC(0) of the free rows.
#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include "slosh/lcp/cholesky.h"
#include "slosh/lcp/prepare.h"
#include "slosh/lcp/sparse_solvers.h"
#include "slosh/lcp/vectors.h"

namespace slosh {

namespace {

class Mprgp {
public:
    Mprgp(PreparedLcp& system, std::vector<double>& p)
        : lcp_(system.lcp()),
          D_(system.diagonal()),
          p_(p),
          n_(p.size()),
          fixed_(n_),
          phi_(n_),
          z_(n_),
          d_(n_),
          q_(n_),
          g_(n_) {
        double norm = 1;
        std::vector<double> bodies(n_, 0.0);  // the rows' sums of magnitudes in columns of low rank
        for (const auto& c : lcp_.A.low_rank) {
            double all = 0;
            for (double v : c.value) all += std::abs(v);
            for (std::size_t k = 0; k < c.row.size(); ++k)
                bodies[c.row[k]] += std::abs(c.value[k]) * all;
        }
        for (std::size_t i = 0; i < n_; ++i) {
            double sum = bodies[i];
            for (std::int64_t k = lcp_.A.start[i]; k < lcp_.A.start[i + 1]; ++k)
                sum += std::abs(lcp_.A.value[k]);
            if (D_[i] > 0) norm = std::max(norm, sum / D_[i]);
        }
        alpha_ = 1.9 / norm;
        restart();
    }

    /// Takes the gradient afresh and forgets the direction.
    void restart() {
        lcp_.A.multiply(p_, g_);
        for_each_row(n_, [&](std::size_t i) { g_[i] += lcp_.b[i]; });
        new_face();
    }

    /// max|r_i| of (C3) by the gradient in hand, which drifts from the true one.
    double residual() const {
        return parallel_max(
            n_,
            [&](std::size_t i) {
                return std::abs(lcp_.constrained[i] ? std::min(D_[i] * p_[i], g_[i]) : g_[i]);
            },
            0, kRowChunk);
    }

    /// One of the three steps. False if there is none to take.
    bool step() { return is_proportional() ? step_in_face() : release(); }

    std::size_t bytes() const { return 7 * n_ * sizeof(double) + n_; }

private:
    bool is_free(std::size_t i) const { return D_[i] > 0 && (!lcp_.constrained[i] || p_[i] > 0); }
    double beta(std::size_t i) const {
        return lcp_.constrained[i] && D_[i] > 0 && !(p_[i] > 0) ? std::min(g_[i], 0.0) : 0;
    }

    bool is_proportional() const {
        const double chopped = parallel_sum(
            n_, [&](std::size_t i) { return D_[i] > 0 ? beta(i) * beta(i) / D_[i] : 0; },
            kRowChunk);
        const double reduced = parallel_sum(
            n_,
            [&](std::size_t i) {
                if (!is_free(i)) return 0.0;
                const double f =
                    lcp_.constrained[i] ? std::min(D_[i] * p_[i] / alpha_, g_[i]) : g_[i];
                return f * g_[i] / D_[i];
            },
            kRowChunk);
        return chopped <= reduced;
    }

    bool step_in_face() {
        multiply();
        const double curvature = dot(d_, q_), slope = dot(g_, d_);
        const double infinity = std::numeric_limits<double>::infinity();
        const double minimum = curvature > 0 ? slope / curvature : infinity;
        const double bound = -parallel_max(
            n_,
            [&](std::size_t i) {
                return lcp_.constrained[i] && d_[i] > 0 ? -p_[i] / d_[i] : -infinity;
            },
            -infinity, kRowChunk);
        if (minimum < bound) {
            if (!(slope > 0)) return false;
            move(minimum);
            precondition();
            const double beta = dot(z_, q_) / curvature;
            for_each_row(n_, [&](std::size_t i) { d_[i] = is_free(i) ? z_[i] - beta * d_[i] : 0; });
            return true;
        }
        if (!(bound < infinity)) return false;
        move(bound);
        for_each_row(n_, [&](std::size_t i) {
            if (!is_free(i)) return;
            p_[i] -= alpha_ * g_[i] / D_[i];
            if (lcp_.constrained[i]) p_[i] = std::max(p_[i], 0.0);
        });
        restart();
        return true;
    }

    bool release() {
        for_each_row(n_, [&](std::size_t i) { d_[i] = D_[i] > 0 ? beta(i) / D_[i] : 0; });
        multiply();
        const double curvature = dot(d_, q_);
        if (!(curvature > 0)) return false;
        move(dot(g_, d_) / curvature);
        new_face();
        return true;
    }

    void multiply() { lcp_.A.multiply(d_, q_); }

    /// p - t d, with g kept in step; rounding must not carry p below a bound.
    void move(double t) {
        for_each_row(n_, [&](std::size_t i) {
            p_[i] -= t * d_[i];
            if (lcp_.constrained[i]) p_[i] = std::max(p_[i], 0.0);
            g_[i] -= t * q_[i];
        });
    }

    void new_face() {
        for_each_row(n_, [&](std::size_t i) { fixed_[i] = !is_free(i); });
        M_.emplace(lcp_.A, fixed_, std::vector<double>());
        precondition();
        d_ = z_;
    }

    /// z = M^-1 phi
    void precondition() {
        for_each_row(n_, [&](std::size_t i) { phi_[i] = is_free(i) ? g_[i] : 0; });
        M_->apply(phi_, z_);
    }

    const SparseLcp& lcp_;
    const std::vector<double>& D_;
    std::vector<double>& p_;
    std::size_t n_;
    double alpha_ = 1;
    std::vector<std::uint8_t> fixed_;
    std::vector<double> phi_, z_, d_, q_, g_;
    std::optional<IncompleteCholesky> M_;
};

}  // namespace

LcpReport solve_mprgp(const SparseLcp& given, const LcpOptions& options, std::vector<double>& p,
                      const Control* control) {
    PreparedLcp system(given, options, p);
    const SparseLcp& lcp = system.lcp();
    for (std::size_t i = 0; i < p.size(); ++i)
        if (lcp.constrained[i]) p[i] = control && (*control)[i] ? 0 : std::max(p[i], 0.0);

    LcpReport report;
    Mprgp method(system, p);
    report.bytes = method.bytes();
    bool fresh = true;  // is the gradient the true one?
    while (report.iterations < options.max_iterations) {
        if (method.residual() <= system.goal()) {
            if (fresh) break;
            method.restart();
            fresh = true;
            continue;
        }
        if (method.step()) {
            ++report.iterations;
            system.record(p);
            fresh = false;
        } else if (fresh) {
            break;  // rounding leaves no direction
        } else {
            method.restart();
            fresh = true;
        }
    }
    return system.finish(p, std::move(report));
}

}  // namespace slosh
