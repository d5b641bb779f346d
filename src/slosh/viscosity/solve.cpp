#include "slosh/viscosity/solve.h"

#include <cmath>
#include <optional>

#include "slosh/base/error.h"
#include "slosh/base/timer.h"
#include "slosh/viscosity/deflation.h"
#include "slosh/viscosity/incomplete.h"
#include "slosh/viscosity/multigrid.h"
#include "slosh/viscosity/thin_parts.h"

namespace slosh {

namespace {

/// Below this nu Gauss-Seidel alone needs fewer seconds than a hierarchy.
constexpr double kSmallNu = 2;

/// M^-1 of rows, then bodies: z = M r.
template <int D>
class Preconditioner {
public:
    Preconditioner(const ViscousSystem<D>& system, const BodyColumns<D>* bodies,
                   const std::string& solver)
        : bodies_(bodies), rows_(static_cast<std::size_t>(system.rows.size())) {
        if (solver == "mic") {
            incomplete_.emplace(system.matrix);
            if (bodies_) stiffness_ = DenseCholesky(bodies_->stiffness, bodies_->size(), 1e-12);
        } else if (system.stiffest < kSmallNu) {
            multigrid_.emplace(system.matrix, system.rows, bodies,
                               ViscousMultigridOptions{.levels = 1});
        } else {
            multigrid_.emplace(system.matrix, system.rows, bodies);
            modes_.emplace(system, bodies);
            thin_.emplace(system);
        }
    }

    void apply(const std::vector<double>& r, std::vector<double>& z) {
        z.resize(r.size());
        if (incomplete_) {
            incomplete_->apply(r, z);
            std::copy(r.begin() + rows_, r.end(), z.begin() + rows_);
            if (bodies_) stiffness_.solve(&z[rows_]);
        } else if (modes_) {
            modes_->take_out(r, balanced_, coarse_);
            thin_and_thick(balanced_, z);
            modes_->put_back(coarse_, z);
        } else {
            multigrid_->apply(r, z);
        }
    }

    std::size_t bytes() const {
        std::size_t n = stiffness_.bytes();
        if (incomplete_) n += incomplete_->bytes();
        if (multigrid_) n += multigrid_->bytes();
        if (modes_) n += modes_->bytes();
        if (thin_) n += thin_->bytes();
        return n;
    }

private:
    /// (V6); the bodies belong to the cycle.
    void thin_and_thick(std::vector<double>& r, std::vector<double>& z) {
        if (thin_->empty()) return multigrid_->apply(r, z);
        thin_->before(r, first_, left_);
        if (bodies_) bodies_->add_to_bodies(-1, first_, &left_[rows_]);
        multigrid_->apply(left_, z);
        add(1, first_, z);
        if (bodies_) bodies_->add_to_rows(-1, &z[rows_], r);
        thin_->after(r, z);
    }

    const BodyColumns<D>* bodies_;
    std::size_t rows_;
    std::optional<ZeroFillCholesky> incomplete_;
    std::optional<ViscousMultigrid<D>> multigrid_;
    std::optional<RigidModes<D>> modes_;
    std::optional<ThinParts<D>> thin_;
    std::vector<double> balanced_, coarse_, first_, left_;
    DenseCholesky stiffness_;  // of the bodies, for incomplete_
};

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
        rows, [&](std::size_t i) { return s.liquid[i] * (x[i] * x[i] / s.open[i] + solids); },
        4096);
    Momentum m;
    m.most = parallel_max(
        rows, [&](std::size_t i) { return s.liquid[i] * std::abs(x[i]) / s.open[i]; },
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
    // The best multiple of the first guess: the thicker the liquid, the more energy the strain in a
    // guess has that does not know of it.
    product(x, q);
    const double energy = dot(x, q), best = energy > 0 ? dot(x, rhs) / energy : 0;
    parallel_for(total, 4096, [&](std::size_t i) { x[i] *= best; });
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
            parallel_for(total, 4096, [&](std::size_t i) { p[i] = z[i] + rz / last * p[i]; });
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

#define SLOSH_INSTANTIATE(D)                                                                   \
    template SolveReport solve_viscosity<D>(const ViscousSystem<D>&, const BodyColumns<D>*,    \
                                            const ViscousOptions&, const std::vector<double>&, \
                                            std::vector<double>&);
SLOSH_INSTANTIATE(2)
SLOSH_INSTANTIATE(3)
#undef SLOSH_INSTANTIATE

}  // namespace slosh
