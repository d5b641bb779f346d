// Conjugate gradients preconditioned by modified incomplete Cholesky, MIC(0) [Bridson2015], on one
// thread: the substitutions follow the numbering and do not parallelise, so this is the baseline.
//
// Unknowns are numbered lexicographically (x fastest), which makes i-1 the -x neighbour of i and
// keeps the +-y, +-z neighbours of consecutive rows consecutive in memory. The factor is
// M = (E+F) E^-1 (E+F)^T with F the strictly lower part of A and d = 1/E stored, so
//     forward   t_i = d_i (r_i + sum_lower c t_j)
//     backward  z_i = t_i + d_i sum_upper c z_j.
#include <algorithm>
#include <cmath>
#include <tuple>

#include "slosh/base/timer.h"
#include "slosh/linear/block_rows.h"
#include "slosh/linear/system.h"

namespace slosh {

namespace {

constexpr double kTuning = 0.97;  // share of the dropped fill moved to the diagonal: MIC(0)
constexpr double kSafety = 0.25;  // a pivot below this share of the diagonal falls back to it

/// Vectors have a zero at index -1 and at index n: absent neighbours point there.
class PaddedVector {
public:
    explicit PaddedVector(std::size_t n) : v_(n + 2) {}
    double& operator[](std::ptrdiff_t i) { return v_[i + 1]; }
    const double& operator[](std::ptrdiff_t i) const { return v_[i + 1]; }
    double* data() { return v_.data() + 1; }
    const double* data() const { return v_.data() + 1; }
    std::size_t bytes() const { return v_.size() * sizeof(double); }

private:
    std::vector<double> v_;
};

template <int D>
struct CompactMatrix {
    int n = 0;
    std::vector<std::size_t> cell;  // place of each unknown in its Field
    std::vector<double> diagonal, pivot;
    std::vector<float> cx;                        // coefficient between i-1 and i; size n+1
    std::vector<float> c[D - 1];                  // towards lower[axis-1]; size n+1
    std::vector<int> lower[D - 1], upper[D - 1];  // neighbours along y (and z), or n

    CompactMatrix(const BlockSystem<D>& system, double tuning) {
        number(system);
        assemble(system);
        factor(tuning);
    }

    std::size_t bytes() const {
        return n * (sizeof(std::size_t) + 2 * sizeof(double) + D * sizeof(float) +
                    2 * (D - 1) * sizeof(int));
    }

    /// q = A p; returns p.q.
    double multiply(const PaddedVector& p, PaddedVector& q) const {
        double sum = 0;
        for (int i = 0; i < n; ++i) {
            double s = diagonal[i] * p[i] - cx[i] * p[i - 1] - cx[i + 1] * p[i + 1];
            for (int a = 0; a < D - 1; ++a)
                s -= c[a][i] * p[lower[a][i]] + c[a][upper[a][i]] * p[upper[a][i]];
            q[i] = s;
            sum += p[i] * s;
        }
        return sum;
    }

    /// z = M^-1 r; returns r.z.
    double precondition(const PaddedVector& r, PaddedVector& z) const {
        // The -x term comes last, scaled ahead: only one multiply-add waits for the previous row.
        for (int i = 0; i < n; ++i) {
            double s = r[i];
            for (int a = 0; a < D - 1; ++a) s += c[a][i] * z[lower[a][i]];
            z[i] = pivot[i] * s + (pivot[i] * cx[i]) * z[i - 1];
        }
        double sum = 0;
        for (int i = n - 1; i >= 0; --i) {
            double s = 0;
            for (int a = 0; a < D - 1; ++a) s += c[a][upper[a][i]] * z[upper[a][i]];
            z[i] = (z[i] + pivot[i] * s) + (pivot[i] * cx[i + 1]) * z[i + 1];
            sum += r[i] * z[i];
        }
        return sum;
    }

private:
    struct Row {
        int z, y, x, block;
    };

    void number(const BlockSystem<D>& system) {
        const Blocks<D>& blocks = *system.blocks;
        std::vector<Row> rows;
        rows.reserve(static_cast<std::size_t>(blocks.size()) * kPlanes<D> * kSide);
        for (int b = 0; b < blocks.size(); ++b) {
            const Index<D> first = blocks.first_cell(b);
            for (int z = 0; z < kPlanes<D>; ++z)
                for (int y = 0; y < kSide; ++y)
                    rows.push_back({D == 3 ? first[D - 1] + z : 0, first[1] + y, first[0], b});
        }
        std::sort(rows.begin(), rows.end(), [](const Row& a, const Row& b) {
            return std::tie(a.z, a.y, a.x) < std::tie(b.z, b.y, b.x);
        });
        for (const Row& row : rows) {
            const int local = kSide * (row.y & 7) + (D == 3 ? kSide * kSide * (row.z & 7) : 0);
            const std::uint8_t* u = system.unknown.block(row.block) + local;
            const std::size_t at = static_cast<std::size_t>(row.block) * kBlockCells<D> + local;
            for (int i = 0; i < kSide; ++i)
                if (u[i]) cell.push_back(at + i);
        }
        n = static_cast<int>(cell.size());
    }

    void assemble(const BlockSystem<D>& system) {
        Field<int, D> index(system.blocks, n);
        for (int i = 0; i < n; ++i) index.data()[cell[i]] = i;
        diagonal.assign(n, 0);
        cx.assign(n + 1, 0);
        for (int a = 0; a < D - 1; ++a) {
            c[a].assign(n + 1, 0);
            lower[a].assign(n, n);
            upper[a].assign(n, n);
        }
        for (int i = 0; i < n; ++i) {
            const int b = static_cast<int>(cell[i] / kBlockCells<D>);
            const int o = static_cast<int>(cell[i] % kBlockCells<D>);
            diagonal[i] += system.excess.block(b)[o];
            for (int axis = 0; axis < D; ++axis) {
                const float w = system.coefficient.axis(axis).block(b)[o];
                if (!(w > 0)) continue;
                const int step = axis == 0 ? 1 : axis == 1 ? kSide : kSide * kSide;
                const bool inside = local_cell<D>(o)[axis] > 0;
                const int j = inside ? index.block(b)[o - step]
                                     : index.block(system.blocks->neighbour(
                                           b, face_code<D>(2 * axis)))[o + (kSide - 1) * step];
                if (j == n) continue;
                diagonal[i] += w;
                diagonal[j] += w;
                if (axis == 0) {
                    cx[i] = w;
                } else {
                    c[axis - 1][i] = w;
                    lower[axis - 1][i] = j;
                    upper[axis - 1][j] = i;
                }
            }
        }
    }

    void factor(double tuning) {
        pivot.assign(n, 0);
        for (int i = 0; i < n; ++i) {
            double e = diagonal[i];
            const auto eliminate = [&](int j, double w) {
                if (!(w > 0)) return;
                double others = cx[j + 1];
                for (int a = 0; a < D - 1; ++a) others += c[a][upper[a][j]];
                e -= pivot[j] * w * (w + tuning * (others - w));
            };
            eliminate(i - 1, cx[i]);
            for (int a = 0; a < D - 1; ++a) eliminate(lower[a][i], c[a][i]);
            if (e < kSafety * diagonal[i]) e = diagonal[i];
            pivot[i] = e > 0 ? 1 / e : 0;
        }
    }

public:
    /// The row of each entry of the bodies' term.
    std::vector<int> rows_of_bodies(const BlockSystem<D>& system) const {
        std::vector<int> rows;
        if (!system.bodies) return rows;
        Field<int, D> index(system.blocks, n);
        for (int i = 0; i < n; ++i) index.data()[cell[i]] = i;
        for (const auto& e : system.bodies->entries) rows.push_back(index.block(e.block)[e.offset]);
        return rows;
    }
};

/// q += F F^T p; returns p.(F F^T p).
template <int D>
double add_bodies(const LowRank<D>& F, const std::vector<int>& row, const PaddedVector& p,
                  PaddedVector& q) {
    std::size_t i = 0;
    const std::vector<double> t = F.transposed([&](int, int) { return p[row[i++]]; });
    i = 0;
    F.each(t, [&](int, int, double v) { q[row[i++]] += v; });
    double sum = 0;
    for (double v : t) sum += v * v;
    return sum;
}

template <int D>
SolveReport solve_factored(const BlockSystem<D>& system, const SolveOptions& options, double tuning,
                           Field<double, D>& x_field) {
    const double wall = wall_seconds(), cpu = cpu_seconds();
    SolveReport report;
    const CompactMatrix<D> A(system, tuning);
    const int n = A.n;
    report.setup_seconds = wall_seconds() - wall;
    report.unknowns = n;

    PaddedVector x(n), r(n), z(n), p(n), q(n);
    report.bytes = A.bytes() + 5 * x.bytes();
    double largest = 0;
    for (int i = 0; i < n; ++i) {
        x[i] = x_field.data()[A.cell[i]];
        largest = std::max(largest, std::abs(system.rhs.data()[A.cell[i]]));
    }
    const double goal = std::max(options.tolerance * largest, options.absolute);
    const std::vector<int> body_row = A.rows_of_bodies(system);
    // to = (A + F F^T) from; returns from.to.
    const auto multiply = [&](const PaddedVector& from, PaddedVector& to) {
        const double sum = A.multiply(from, to);
        return sum + (system.bodies ? add_bodies(*system.bodies, body_row, from, to) : 0.0);
    };
    const auto true_residual = [&] {
        multiply(x, q);
        double worst = 0;
        for (int i = 0; i < n; ++i) {
            r[i] = system.rhs.data()[A.cell[i]] - q[i];
            worst = std::max(worst, std::abs(r[i]));
        }
        return worst;
    };

    // The recurrence's residual drifts from the true one, so its word is checked; a solve that was
    // told too soon goes on from the true residual.
    report.residual = true_residual();
    if (options.history) options.history->assign(1, report.residual);
    while (report.residual > goal && report.iterations < options.max_iterations) {
        double rho = 0, worst = report.residual;
        const int first = report.iterations;
        while (worst > goal && report.iterations < options.max_iterations) {
            const double rho_new = A.precondition(r, z);
            const double beta = report.iterations == first ? 0 : rho_new / rho;
            rho = rho_new;
            for (int i = 0; i < n; ++i) p[i] = z[i] + beta * p[i];
            const double curvature = multiply(p, q);
            if (!(curvature > 0) || !(rho > 0)) break;
            const double alpha = rho / curvature;
            worst = 0;
            for (int i = 0; i < n; ++i) {
                x[i] += alpha * p[i];
                r[i] -= alpha * q[i];
                worst = std::max(worst, std::abs(r[i]));
            }
            ++report.iterations;
            if (options.history) options.history->push_back(worst);
        }
        const double before = report.residual;
        report.residual = true_residual();
        if (report.iterations == first || !(report.residual < before)) break;
    }
    for (int i = 0; i < n; ++i) x_field.data()[A.cell[i]] = x[i];

    report.converged = report.residual <= goal;
    report.relative_residual = largest > 0 ? report.residual / largest : 0;
    report.seconds = wall_seconds() - wall;
    report.cpu_seconds = cpu_seconds() - cpu;
    return report;
}

}  // namespace

template <int D>
SolveReport solve_mic(const BlockSystem<D>& system, const SolveOptions& options,
                      Field<double, D>& x) {
    return solve_factored(system, options, kTuning, x);
}

template <int D>
SolveReport solve_ic(const BlockSystem<D>& system, const SolveOptions& options,
                     Field<double, D>& x) {
    return solve_factored(system, options, 0, x);
}

template SolveReport solve_mic<2>(const BlockSystem<2>&, const SolveOptions&, Field<double, 2>&);
template SolveReport solve_mic<3>(const BlockSystem<3>&, const SolveOptions&, Field<double, 3>&);
template SolveReport solve_ic<2>(const BlockSystem<2>&, const SolveOptions&, Field<double, 2>&);
template SolveReport solve_ic<3>(const BlockSystem<3>&, const SolveOptions&, Field<double, 3>&);

}  // namespace slosh
