#include "slosh/lcp/cholesky.h"

#include <algorithm>
#include <cmath>

#include "slosh/base/timer.h"
#include "slosh/lcp/vectors.h"

namespace slosh {

namespace {

constexpr double kTuning = 0.97;  // share of the dropped fill moved to the diagonal
constexpr double kSafety = 0.25;  // a pivot below this share of the diagonal falls back to it

}  // namespace

IncompleteCholesky::IncompleteCholesky(const SparseMatrix& A,
                                       const std::vector<std::uint8_t>& fixed,
                                       const std::vector<double>& extra)
    : A_(A), pivot_(A.rows(), 0) {
    std::vector<double> upper(A.rows(), 0);  // sum of a row right of the diagonal
    for (int i = 0; i < A.rows(); ++i) {
        if (fixed[i]) continue;
        double diagonal = extra.empty() ? 0 : extra[i], eliminated = 0;
        for (std::int64_t k = A.start[i]; k < A.start[i + 1]; ++k) {
            const int j = A.column[k];
            const double a = A.value[k];
            if (j < i)  // zero for rows left out
                eliminated += pivot_[j] * a * (a + kTuning * (upper[j] - a));
            else if (j == i)
                diagonal += a;
            else if (!fixed[j])
                upper[i] += a;
        }
        double e = diagonal - eliminated;
        if (!(e >= kSafety * diagonal)) e = diagonal;
        pivot_[i] = e > 0 ? 1 / e : 0;
    }
}

void IncompleteCholesky::apply(const std::vector<double>& r, std::vector<double>& z) const {
    const int n = A_.rows();
    z.resize(n);
    for (int i = 0; i < n; ++i) {
        double s = r[i];
        for (std::int64_t k = A_.start[i]; k < A_.start[i + 1] && A_.column[k] < i; ++k)
            s -= A_.value[k] * z[A_.column[k]];
        z[i] = pivot_[i] * s;
    }
    for (int i = n - 1; i >= 0; --i) {
        double s = 0;
        for (std::int64_t k = A_.start[i + 1] - 1; k >= A_.start[i] && A_.column[k] > i; --k)
            s += A_.value[k] * z[A_.column[k]];
        z[i] -= pivot_[i] * s;
    }
}

InnerReport conjugate_gradients(const InnerSystem& system, const IncompleteCholesky* M,
                                std::vector<double>& p) {
    const SparseMatrix& A = system.lcp.A;
    const std::size_t n = A.rows();
    const std::vector<double> diagonal = A.diagonal();
    // q = (A + extra) x in the rows that are solved for, zero in the others.
    const auto multiply = [&](const std::vector<double>& x, std::vector<double>& q) {
        for_each_row(n, [&](std::size_t i) {
            if (system.fixed[i] || !(diagonal[i] > 0)) {
                q[i] = 0;
                return;
            }
            double s = system.extra.empty() ? 0 : system.extra[i] * x[i];
            for (std::int64_t k = A.start[i]; k < A.start[i + 1]; ++k)
                s += A.value[k] * x[A.column[k]];
            q[i] = s;
        });
        if (A.low_rank.empty()) return;
        A.add_low_rank(x, q);
        for_each_row(n, [&](std::size_t i) {
            if (system.fixed[i] || !(diagonal[i] > 0)) q[i] = 0;
        });
    };
    std::vector<double> r(n), z(n), d(n), q(n);
    const auto true_residual = [&] {
        multiply(p, q);
        for_each_row(n, [&](std::size_t i) {
            r[i] = system.fixed[i] || !(diagonal[i] > 0) ? 0 : -system.lcp.b[i] - q[i];
        });
        return max_abs(r);
    };

    // The recurrence's residual drifts from the true one, so its word is checked; a solve that was
    // told too soon goes on from the true residual.
    InnerReport report{.bytes = 5 * n * sizeof(double)};
    double residual = true_residual();
    while (residual > system.goal && report.iterations < system.max_iterations) {
        double rho = 0, worst = residual;
        const int first = report.iterations;
        while (worst > system.goal && report.iterations < system.max_iterations) {
            if (M) M->apply(r, z);
            const double rho_new = dot(r, M ? z : r);
            const double beta = report.iterations == first ? 0 : rho_new / rho;
            rho = rho_new;
            for_each_row(n, [&](std::size_t i) { d[i] = (M ? z[i] : r[i]) + beta * d[i]; });
            multiply(d, q);
            const double curvature = dot(d, q);
            if (!(curvature > 0) || !(rho > 0)) break;
            const double alpha = rho / curvature;
            for_each_row(n, [&](std::size_t i) {
                p[i] += alpha * d[i];
                r[i] -= alpha * q[i];
            });
            worst = max_abs(r);
            ++report.iterations;
            if (system.after_each) system.after_each();
        }
        const double before = residual;
        residual = true_residual();
        if (report.iterations == first || !(residual < before)) break;
    }
    return report;
}

InnerReport solve_mic_pcg(const InnerSystem& system, std::vector<double>& p) {
    const double start = wall_seconds();
    const IncompleteCholesky M(system.lcp.A, system.fixed, system.extra);
    const double setup = wall_seconds() - start;
    InnerReport report = conjugate_gradients(system, &M, p);
    report.setup_seconds = setup;
    report.bytes += M.bytes();
    return report;
}

}  // namespace slosh
