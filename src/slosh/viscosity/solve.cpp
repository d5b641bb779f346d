#include "slosh/viscosity/solve.h"

#include <cmath>
#include <optional>

#include "slosh/base/error.h"
#include "slosh/base/timer.h"
#include "slosh/viscosity/deflation.h"
#include "slosh/viscosity/incomplete.h"
#include "slosh/viscosity/multigrid.h"

namespace slosh {

namespace {

/// Below this nu Gauss-Seidel alone needs fewer seconds than a hierarchy.
constexpr double kSmallNu = 2;
/// Unknowns of bodies that get an answer of the liquid; the others go alone.
constexpr int kMostAnswers = 12;

/// M^-1 of rows, then bodies: z = M r.
template <int D>
class Preconditioner {
public:
    Preconditioner(const ViscousSystem<D>& system, const BodyColumns<D>* bodies,
                   const std::string& solver)
        : system_(system), bodies_(bodies), rows_(system.rows.size()) {
        if (solver == "mic") {
            incomplete_.emplace(system.matrix);
        } else if (system.stiffest < kSmallNu) {
            multigrid_.emplace(system.matrix, system.rows, ViscousMultigridOptions{.levels = 1});
        } else {
            multigrid_.emplace(system.matrix, system.rows);
            modes_.emplace(system);
        }
        if (bodies_) add_bodies();
    }

    void apply(const std::vector<double>& r, std::vector<double>& z) {
        rows_only(r, z);
        if (!bodies_) return;
        const int m = bodies_->size();
        std::vector<double> t(r.begin() + rows_, r.end());
        for (std::size_t k = 0; k < answer_.size(); ++k)
            t[k] += parallel_sum(rows_, [&](std::size_t i) { return answer_[k][i] * r[i]; }, 4096);
        schur_.solve(t.data());
        for (int k = 0; k < m; ++k) z[rows_ + k] = t[k];
        if (answer_.empty()) return;
        parallel_for(rows_, kRowGrain, [&](std::size_t i) {
            for (int k = 0; k < m; ++k) z[i] += answer_[k][i] * t[k];
        });
    }

    std::size_t bytes() const {
        std::size_t n = schur_.bytes();
        if (incomplete_) n += incomplete_->bytes();
        if (multigrid_) n += multigrid_->bytes();
        if (modes_) n += modes_->bytes();
        for (const auto& a : answer_) n += 4 * a.size();
        return n;
    }

private:
    void rows_only(const std::vector<double>& r, std::vector<double>& z) {
        z.resize(r.size());
        if (incomplete_) incomplete_->apply(r, z);
        if (!multigrid_) return;
        if (!modes_) return multigrid_->apply(r, z);
        modes_->take_out(r, balanced_, coarse_);
        multigrid_->apply(balanced_, z);
        modes_->put_back(coarse_, z);
    }

    /// The answer -W of the liquid to each unknown of the bodies, W about A^-1 B, and the energy
    /// of those motions: S - W^T B - B^T W + W^T A W, never less than the true Schur complement.
    void add_bodies() {
        const int m = bodies_->size();
        std::vector<double> energy = bodies_->stiffness;
        if (m <= kMostAnswers && modes_) {
            std::vector<std::vector<double>> column(m), product(m);
            answer_.resize(m);
            for (int k = 0; k < m; ++k) {
                column[k] = column_of(k);
                std::vector<double> w;
                rows_only(column[k], w);
                multiply(system_.matrix, w, product[k]);
                answer_[k].resize(rows_);
                for (int i = 0; i < rows_; ++i) answer_[k][i] = static_cast<float>(-w[i]);
            }
            for (int k = 0; k < m; ++k)
                for (int l = 0; l < m; ++l)
                    energy[static_cast<std::size_t>(k) * m + l] += parallel_sum(
                        rows_,
                        [&](std::size_t i) {
                            return answer_[k][i] * (column[l][i] - product[l][i]) +
                                   answer_[l][i] * column[k][i];
                        },
                        4096);
            for (int k = 0; k < m; ++k)
                for (int l = 0; l < k; ++l) {
                    double& a = energy[static_cast<std::size_t>(k) * m + l];
                    double& b = energy[static_cast<std::size_t>(l) * m + k];
                    a = b = 0.5 * (a + b);
                }
        }
        schur_ = DenseCholesky(std::move(energy), m, 1e-12);
    }

    std::vector<double> column_of(int k) const {
        constexpr int K = kTwist<D>;
        std::vector<double> column(rows_, 0.0);
        for (std::size_t i = bodies_->first[k / K]; i < bodies_->first[k / K + 1]; ++i)
            column[bodies_->entries[i].row] += bodies_->entries[i].f[k % K];
        return column;
    }

    const ViscousSystem<D>& system_;
    const BodyColumns<D>* bodies_;
    int rows_;
    std::optional<ZeroFillCholesky> incomplete_;
    std::optional<ViscousMultigrid<D>> multigrid_;
    std::optional<RigidModes<D>> modes_;
    std::vector<double> balanced_, coarse_;
    std::vector<std::vector<float>> answer_;
    DenseCholesky schur_;
};

}  // namespace

namespace {

/// What the tolerance refers to: the momentum in the first guess and in the solids beside it, as a
/// root of a sum and as the largest of a face.
struct Momentum {
    double norm = 0, most = 0;
};

template <int D>
Momentum momentum(const ViscousSystem<D>& s, const BodyColumns<D>* bodies,
                  const std::vector<double>& x) {
    const int rows = s.rows.size();
    const double solids = s.solid_speed * s.solid_speed;
    double sum = parallel_sum(
        rows, [&](std::size_t i) { return s.liquid[i] * (x[i] * x[i] / s.open[i] + solids); }, 4096);
    Momentum m;
    m.most = parallel_max(rows, [&](std::size_t i) { return s.liquid[i] * std::abs(x[i]) / s.open[i]; },
                          s.solid_speed, 4096);
    for (int k = 0; bodies && k < bodies->size(); ++k) {
        sum += bodies->mass[k] * x[rows + k] * x[rows + k];
        if (k % kTwist<D> < D) m.most = std::max(m.most, std::abs(x[rows + k]));
    }
    m.norm = std::sqrt(sum);
    return m;
}

}  // namespace

template <int D>
SolveReport solve_viscosity(const ViscousSystem<D>& system, const BodyColumns<D>* bodies,
                            const ViscousOptions& options, const std::vector<double>& rhs,
                            std::vector<double>& x) {
    SLOSH_EXPECT(options.solver == "auto" || options.solver == "mic");
    const double wall = wall_seconds(), cpu = cpu_seconds();
    const int rows = system.rows.size();
    const std::size_t total = static_cast<std::size_t>(rows + (bodies ? bodies->size() : 0));
    SLOSH_EXPECT(rhs.size() == total && x.size() == total);
    const auto product = [&](const std::vector<double>& v, std::vector<double>& y) {
        multiply(system.matrix, v, y);
        if (bodies) bodies->multiply(rows, v, y);
    };

    SolveReport report;
    report.unknowns = total;
    const Momentum scale = momentum(system, bodies, x);
    Preconditioner<D> precondition(system, bodies, options.solver);
    report.bytes = system.matrix.bytes() + precondition.bytes();
    report.setup_seconds = wall_seconds() - wall;

    std::vector<double> r, z, p, q;
    double rz = 0;
    const auto error = [&] {
        const double size = options.solver == "mic" ? max_abs(r) : std::sqrt(std::max(rz, 0.0));
        const double of = options.solver == "mic" ? scale.most : scale.norm;
        return of > 0 ? size / of : size > 0 ? 1.0 : 0.0;
    };
    const auto measure = [&] {
        product(x, q);
        r = rhs;
        add(-1, q, r);
        precondition.apply(r, z);
        rz = dot(r, z);
        return error();
    };
    double now = measure();
    // The recurrence drifts, so when it says that it is done a fresh residual must agree; if it
    // does not, the iteration starts anew from there, as long as that gains anything.
    for (double before = 1e300; now > options.tolerance && now < 0.5 * before;) {
        before = now;
        p = z;
        while (report.iterations < options.max_iterations) {
            product(p, q);
            const double pq = dot(p, q);
            if (!(pq > 0)) break;
            add(rz / pq, p, x);
            add(-rz / pq, q, r);
            ++report.iterations;
            precondition.apply(r, z);
            const double last = rz;
            rz = dot(r, z);
            if (!(error() > options.tolerance)) break;
            parallel_for(total, 4096,
                         [&](std::size_t i) { p[i] = z[i] + rz / last * p[i]; });
        }
        now = measure();
    }
    report.converged = now <= options.tolerance;
    report.residual = max_abs(r);
    report.relative_residual = now;
    report.seconds = wall_seconds() - wall;
    report.cpu_seconds = cpu_seconds() - cpu;
    return report;
}

#define SLOSH_INSTANTIATE(D)                                                                 \
    template SolveReport solve_viscosity<D>(const ViscousSystem<D>&, const BodyColumns<D>*,  \
                                            const ViscousOptions&,                           \
                                            const std::vector<double>&,                      \
                                            std::vector<double>&);
SLOSH_INSTANTIATE(2)
SLOSH_INSTANTIATE(3)
#undef SLOSH_INSTANTIATE

}  // namespace slosh
