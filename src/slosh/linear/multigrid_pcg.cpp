// Conjugate gradients around the V-cycle.
//
// x and the true residual are double; r, z, p and q = A p are float in the multigrid's layout. r
// follows the recurrence r -= alpha q and is replaced by the true residual b - A x, computed in
// double, each time it has fallen by kReplace: between two replacements float rounding (about 1e-6
// of the largest residual since) cannot be felt, and the last word is always the true residual.
#include <cmath>
#include <vector>

#include "slosh/base/timer.h"
#include "slosh/linear/multigrid_kernels.h"
#include "slosh/linear/pockets.h"
#include "slosh/linear/residual_block.h"

namespace slosh {

namespace {

constexpr std::size_t kGrain = 16;
constexpr double kReplace = 2e-3;

template <int D>
class Iteration {
public:
    Iteration(const BlockSystem<D>& system, Multigrid<D>& multigrid, Field<double, D>& x)
        : system_(system),
          multigrid_(multigrid),
          level_(multigrid.finest()),
          x_(x),
          r_(level_.size()),
          z_(level_.size()),
          p_(level_.size()),
          q_(level_.size()),
          partial_(level_.size()) {}

    std::size_t bytes() const { return 4 * r_.bytes(); }

    /// r = b - A x from scratch, in units of `unit`; returns max|b - A x|.
    double true_residual(double unit) {
        const double scale = 1 / unit;
        return parallel_max(level_.size(), [&](std::size_t i) {
            const int b = static_cast<int>(i);
            alignas(64) double r[kBlockCells<D>];
            const double worst = level_.is_plain(b)
                                     ? residual_block_plain(system_, x_, b, level_.weight, r)
                                     : residual_block(system_, x_, b, r);
            float* out = r_.block(b);
            for (int t = 0; t < 2; ++t)
                for (int v = 0; v < kVectors<D>; ++v)
                    for (int l = 0; l < 8; ++l)
                        *out++ = static_cast<float>(r[split_cell<D>(t, v, l)] * scale);
            return worst;
        });
    }

    /// z = M^-1 r; returns r.z.
    double precondition() { return multigrid_.v_cycle(r_, z_); }

    /// x += step p; p = z + beta p; q = A z + beta q (= A p). Returns p.q.
    double search(double step, double beta) {
        parallel_for(level_.size(), kGrain, [&](std::size_t i) {
            const int b = static_cast<int>(i);
            update_x(b, step);
            partial_[i] = update_pq(b, static_cast<float>(beta));
        });
        return sum();
    }

    /// x += step p.
    void finish(double step) {
        parallel_for(level_.size(), kGrain,
                     [&](std::size_t i) { update_x(static_cast<int>(i), step); });
    }

    /// r -= alpha q; returns max|r|.
    double descend(double alpha) {
        const Lanes a = lanes(static_cast<float>(-alpha)), sign = lanes(-0.f);
        return parallel_max(level_.size(), [&](std::size_t i) {
            float* r = r_.block(static_cast<int>(i));
            const float* q = q_.block(static_cast<int>(i));
            Lanes worst = _mm256_setzero_ps();
            for (int at = 0; at < kBlockCells<D>; at += 8) {
                const Lanes v = _mm256_fmadd_ps(a, _mm256_load_ps(q + at), _mm256_load_ps(r + at));
                _mm256_store_ps(r + at, v);
                worst = _mm256_max_ps(worst, _mm256_andnot_ps(sign, v));
            }
            alignas(32) float w[8];
            _mm256_store_ps(w, worst);
            return static_cast<double>(*std::max_element(w, w + 8));
        });
    }

private:
    double sum() const {
        double s = 0;
        for (double v : partial_) s += v;
        return s;
    }

    void update_x(int b, double step) {
        if (step == 0) return;
        double* x = x_.block(b);
        const float* p = p_.block(b);
        const __m256d a = _mm256_set1_pd(step);
        for (int z = 0; z < kPlanes<D>; ++z)
            for (int y = 0; y < kSide; ++y, x += kSide) {
                const int at = 32 * z + 4 * y, even_colour = (y + z) & 1;
                const __m128 even = _mm_load_ps(p + at + even_colour * kHalf<D>);
                const __m128 odd = _mm_load_ps(p + at + (1 - even_colour) * kHalf<D>);
                const __m256d low = _mm256_cvtps_pd(_mm_unpacklo_ps(even, odd));
                const __m256d high = _mm256_cvtps_pd(_mm_unpackhi_ps(even, odd));
                _mm256_store_pd(x, _mm256_fmadd_pd(a, low, _mm256_load_pd(x)));
                _mm256_store_pd(x + 4, _mm256_fmadd_pd(a, high, _mm256_load_pd(x + 4)));
            }
    }

    double update_pq(int b, float beta) {
        return update_colour<0>(b, beta) + update_colour<1>(b, beta);
    }

    template <int T>
    double update_colour(int b, float beta) {
        const SplitNear<D> near(z_, level_.faces[b], b, 1 - T);
        const float* centre = z_.half(b, T);
        float *p = p_.half(b, T), *q = q_.half(b, T);
        const Lanes weight = lanes(level_.weight), beta8 = lanes(beta);
        Lanes sum = _mm256_setzero_ps();
        const auto step = [&](int at, Lanes z, Lanes Az) SLOSH_INLINE {
            const Lanes p8 = _mm256_fmadd_ps(beta8, _mm256_load_ps(p + at), z);
            const Lanes q8 = _mm256_fmadd_ps(beta8, _mm256_load_ps(q + at), Az);
            _mm256_store_ps(p + at, p8);
            _mm256_store_ps(q + at, q8);
            sum = _mm256_fmadd_ps(p8, q8, sum);
        };
        for_each_vector<D, T>(
            level_, b,
            [&](int zz, int m, int parity) SLOSH_INLINE {
                const int at = 32 * zz + 8 * m;
                const Lanes z = _mm256_load_ps(centre + at);
                step(at, z, apply(weight, neighbours(near, zz, m, parity), z));
            },
            [&](const MixedVector<D>& c, int zz, int m, int parity) SLOSH_INLINE {
                const int at = 32 * zz + 8 * m;
                const Lanes z = _mm256_load_ps(centre + at);
                step(at, z, apply(c, neighbours(near, zz, m, parity), z));
            });
        return sum_lanes(sum);
    }

    const BlockSystem<D>& system_;
    Multigrid<D>& multigrid_;
    const MultigridLevel<D>& level_;
    Field<double, D>& x_;
    SplitField<D> r_, z_, p_, q_;
    std::vector<double> partial_;
};

}  // namespace

template <int D>
SolveReport solve_multigrid(const BlockSystem<D>& system, const SolveOptions& options,
                            Field<double, D>& x) {
    const double wall = wall_seconds(), cpu = cpu_seconds();
    Multigrid<D> multigrid(system);
    const double built = wall_seconds() - wall, built_cpu = cpu_seconds() - cpu;
    SolveReport report = solve_multigrid(system, multigrid, options, x);
    report.setup_seconds += built;
    report.seconds += built;
    report.cpu_seconds += built_cpu;
    return report;
}

template <int D>
SolveReport solve_multigrid(const BlockSystem<D>& system, Multigrid<D>& multigrid,
                            const SolveOptions& options, Field<double, D>& x) {
    const double wall = wall_seconds(), cpu = cpu_seconds();
    SolveReport report;
    Iteration<D> it(system, multigrid, x);
    report.unknowns = system.unknowns();
    std::vector<std::uint8_t> full(multigrid.finest().size());
    for (std::size_t b = 0; b < full.size(); ++b)
        full[b] = multigrid.finest().is_plain(static_cast<int>(b));
    report.pockets = find_pockets(system, full).count;
    report.bytes = multigrid.bytes() + it.bytes();
    report.setup_seconds = wall_seconds() - wall;

    const double largest = parallel_max(system.blocks->size(), [&](std::size_t b) {
        const double* f = system.rhs.block(static_cast<int>(b));
        double m[8] = {};
        for (int o = 0; o < kBlockCells<D>; ++o) m[o & 7] = std::max(m[o & 7], std::abs(f[o]));
        return *std::max_element(m, m + 8);
    });
    const double goal = std::max(options.tolerance * largest, options.absolute);

    // r in units of about max|b|, so that float neither overflows nor loses small systems. A power
    // of two: scaling is exact.
    const double unit = largest > 0 ? std::exp2(std::ilogb(largest)) : 1;
    double worst = it.true_residual(unit);
    double replaced = worst;  // the true residual at the last replacement
    double rho = 0, alpha = 0;
    while (worst > goal && report.iterations < options.max_iterations) {
        const double rho_new = it.precondition();
        const double beta = rho > 0 ? rho_new / rho : 0;
        const double curvature = it.search(alpha * unit, beta);
        alpha = 0;
        if (!(rho_new > 0) || !(curvature > 0)) break;
        rho = rho_new;
        alpha = rho / curvature;
        worst = it.descend(alpha) * unit;
        ++report.iterations;
        if (worst <= std::max(goal, kReplace * replaced)) {
            it.finish(alpha * unit);
            alpha = 0;
            worst = replaced = it.true_residual(unit);
        }
    }
    if (alpha != 0) {
        it.finish(alpha * unit);
        worst = it.true_residual(unit);
    }

    report.residual = worst;
    report.converged = worst <= goal;
    report.relative_residual = largest > 0 ? worst / largest : 0;
    report.seconds = wall_seconds() - wall;
    report.cpu_seconds = cpu_seconds() - cpu;
    return report;
}

template SolveReport solve_multigrid<2>(const BlockSystem<2>&, const SolveOptions&,
                                        Field<double, 2>&);
template SolveReport solve_multigrid<2>(const BlockSystem<2>&, Multigrid<2>&, const SolveOptions&,
                                        Field<double, 2>&);
template SolveReport solve_multigrid<3>(const BlockSystem<3>&, const SolveOptions&,
                                        Field<double, 3>&);
template SolveReport solve_multigrid<3>(const BlockSystem<3>&, Multigrid<3>&, const SolveOptions&,
                                        Field<double, 3>&);

}  // namespace slosh
