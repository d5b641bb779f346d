// The passes over memory that conjugate gradients around a multigrid cycle are made of.
//
// x is double; r, z, p and q = A p are float in the multigrid's layout.
#pragma once

#include <cmath>
#include <limits>
#include <optional>
#include <vector>

#include "slosh/linear/cycle_bodies.h"
#include "slosh/linear/light_bodies.h"
#include "slosh/linear/multigrid_kernels.h"
#include "slosh/linear/residual_block.h"

namespace slosh {

/// The largest magnitude in the blocks of a field that may hold unknowns; infinite if any value is
/// not a number.
template <int D>
double largest_of(const Field<double, D>& f, const MultigridLevel<D>& level) {
    return parallel_max(level.live.size(), [&](std::size_t i) {
        const double* v = f.block(level.live[i]);
        detail::Largest worst;
        for (int o = 0; o < kBlockCells<D>; o += kSide) worst.keep(detail::load_row(v + o));
        return worst.value();
    });
}

/// Whether a field is zero in all these blocks; most that are not say so in the first ones.
template <int D>
bool is_zero(const Field<double, D>& f, const MultigridLevel<D>& level) {
    constexpr std::size_t kFirst = 64;
    for (std::size_t i = 0; i < std::min(kFirst, level.live.size()); ++i) {
        const double* v = f.block(level.live[i]);
        bool some = false;
        for (int o = 0; o < kBlockCells<D>; ++o) some |= v[o] != 0;
        if (some) return false;
    }
    return largest_of(f, level) == 0;
}

/// The residual at which a solve ends, for a right-hand side of this magnitude. One that is not
/// finite has no solution.
template <class Options>
double goal_of(const Options& options, double largest) {
    return std::isfinite(largest) ? std::max(options.tolerance * largest, options.absolute) : 0;
}

template <int D>
class PcgPasses {
public:
    PcgPasses(const BlockSystem<D>& system, Multigrid<D>& multigrid, Field<double, D>& x)
        : system_(system),
          multigrid_(multigrid),
          level_(multigrid.finest()),
          x_(x),
          rhs_(system),
          r_(level_.size(), Fill::Nothing),
          z_(level_.zeros()),
          p_(level_.zeros()),
          q_(level_.size(), Fill::Nothing),
          partial_(level_.live.size()) {}

    std::size_t bytes() const { return 4 * r_.bytes(); }

    /// r = b - A x from scratch, in units of `unit`; returns max|b - A x|, but of rows at walls and
    /// surface in blocks that ever were early.
    double true_residual(double unit) {
        const __m256d zero = _mm256_setzero_pd();
        return true_residual(
            unit, [&](const ResidualBlock<D>& block, int, int y, int z, detail::Row& row) {
                row = block.row(y, z);
                return detail::Row{zero, zero};
            });
    }
    /// The same; watched(block's rows, b, y, z, row) finds each of those rows, and returns what
    /// counts instead.
    template <class Watched>
    double true_residual(double unit, const Watched& watched) {
        rhs_.set(x_);
        return parallel_max(level_.live.size(), [&](std::size_t i) {
            const int b = level_.live[i];
            const BlockKinds& k = level_.kinds[b];
            alignas(32) typename BodiesRhs<D>::Room room;
            const ResidualBlock<D> block(system_, x_, b, rhs_.block(b, room));
            detail::Largest worst;
            const std::uint32_t plain = k.plain[0] & k.plain[1];
            const ResidualAhead<D> ahead(system_, x_, block_after(level_.live, i));
            for (std::uint32_t bits = k.live(0) | k.live(1); bits; bits &= bits - 1) {
                const int v = std::countr_zero(bits), z = v >> 2;
                for (int y = 2 * (v & 3); y < 2 * (v & 3) + 2; ++y) {
                    detail::Row row;
                    ahead.call(y, z);
                    if (plain >> v & 1)
                        worst.keep(row = block.plain_row(y, z, level_.weight));
                    else if (is_watched(b))
                        worst.keep(watched(block, b, y, z, row));
                    else
                        worst.keep(row = block.row(y, z));
                    put_row(b, y, z, row, 1 / unit);
                }
            }
            return worst.value();
        });
    }

    /// The same for x = 0.
    void residual_of_zero(double unit) {
        parallel_for(level_.live.size(), 16, [&](std::size_t i) {
            const int b = level_.live[i];
            const double* rhs = system_.rhs.block(b);
            for (int z = 0; z < kPlanes<D>; ++z)
                for (int y = 0; y < kSide; ++y, rhs += kSide)
                    put_row(b, y, z, detail::load_row(rhs), 1 / unit);
        });
    }

    /// z = M^-1 r; returns r.z.
    double precondition() {
        if (light_) light_->begin(r_);
        const double rho = multigrid_.cycle(r_, z_);
        return rho + (light_ ? light_->end(r_, z_) : 0);
    }
    /// The same with z >= low (but for what light bodies do), at once or in the two halves of
    /// Multigrid.
    double cycle(const LowerBounds& low) {
        if (light_) light_->begin(r_);
        const double rho = multigrid_.cycle(r_, z_, low);
        return rho + (light_ ? light_->end(r_, z_) : 0);
    }
    void smooth(const LowerBounds& low) {
        if (light_) light_->begin(r_);
        multigrid_.smooth(r_, z_, low);
    }
    double precondition(const LowerBounds& low) {
        const double rho = multigrid_.finish(r_, z_, low);
        return rho + (light_ ? light_->end(r_, z_) : 0);
    }
    const SplitField<D>& z() const { return z_; }

    /// Lets the preconditioner know of the bodies, if there are any. To be called before the first
    /// residual.
    void know_bodies() {
        if (!system_.bodies) return;
        multigrid_.set_bodies(*system_.bodies);
        // A body may be out of reach of all liquid.
        if (system_.bodies->empty() || system_.bodies->lightness < kLightBody) return;
        light_.emplace(multigrid_.bodies()->finest(), level_);
        light_->build(nullptr);
    }
    /// Cells marked in `active` are at their bound: no body moves them.
    void set_active(const Field<std::uint8_t, D>& active) {
        if (light_) light_->build(&active);
    }
    const SplitField<D>& r() const { return r_; }

    /// r -= F F^T e, of the bodies.
    void subtract_bodies(const SplitField<D>& e) {
        const BodyRows<D>& F = multigrid_.bodies()->finest();
        F.transposed(e, answer_);
        F.subtract(answer_, r_);
    }

    /// Blocks whose x is brought up to date by advance(), not by search(), until set_late(): that
    /// only right after search(), when x of all blocks is at the same step.
    void set_early(const std::vector<int>& blocks) {
        watch_.assign(level_.size(), Watch::None);
        for (int b : blocks) watch_[b] = Watch::Early;
    }
    void set_late(int b) { watch_[b] = Watch::Late; }
    /// One of them again, right after finish().
    void set_early(int b) { watch_[b] = Watch::Early; }
    /// x += step p in an early block.
    void advance(int b, double step) { update_x(b, step, b); }

    /// The residual of one cell.
    float& r(int b, int o) { return cell(r_, b, o); }
    float& r(const SplitPlace<D>& place) { return place.in(r_); }
    /// The last direction p in one cell.
    float last(int b, int o) { return cell(p_, b, o); }
    /// A row that is held: neither r nor q = A p is looked at there.
    void forget_row(const SplitPlace<D>& place) { place.in(r_) = place.in(q_) = 0; }

    /// z.q, where q = A p still is that of the last direction.
    double along_last() {
        parallel_for(level_.live.size(), 16, [&](std::size_t i) {
            partial_[i] = dot_block(level_, z_, q_, level_.live[i]);
        });
        return sum();
    }

    /// x += step p (but in early blocks); p = z + beta p; q = A z + beta q (= A p). Returns p.q.
    double search(double step, double beta) {
        parallel_for(level_.live.size(), 16, [&](std::size_t i) {
            const int b = level_.live[i];
            const int next = block_after(level_.live, i);
            if (!is_early(b)) update_x(b, step, next);
            for (int t = 0; t < 2; ++t) call_for_faces(z_, level_.faces[next], t);
            partial_[i] = update_pq(b, static_cast<float>(beta), next);
        });
        return sum() + search_bodies(beta);
    }

    /// x += step p (but in early blocks).
    void finish(double step) {
        parallel_for(level_.live.size(), 16, [&](std::size_t i) {
            if (const int b = level_.live[i]; !is_early(b))
                update_x(b, step, block_after(level_.live, i));
        });
    }

    /// r -= alpha q; returns max|r|.
    double descend(double alpha) {
        return descend(alpha, nullptr, [](int) { return 0.f; });
    }
    /// The same; of early blocks only cells without a bound `low` count, and what early(block)
    /// returns once r is there.
    template <class Early>
    double descend(double alpha, const LowerBounds* low, const Early& early) {
        const Lanes a = lanes(static_cast<float>(-alpha)), sign = lanes(-0.f);
        const Lanes free = lanes(-std::numeric_limits<float>::infinity());
        return parallel_max(level_.live.size(), [&](std::size_t i) {
            const int b = level_.live[i];
            Lanes worst = _mm256_setzero_ps();
            float early_worst = 0;
            const auto step = [&](int t, int at) SLOSH_INLINE {
                float* r = r_.half(b, t) + at;
                const Lanes q = _mm256_load_ps(q_.half(b, t) + at);
                const Lanes v = _mm256_fmadd_ps(a, q, _mm256_load_ps(r));
                _mm256_store_ps(r, v);
                return _mm256_andnot_ps(sign, v);
            };
            if (!is_early(b)) {
                for_each_live(level_, b, [&](int t, int at) SLOSH_INLINE {
                    worst = _mm256_max_ps(worst, step(t, at));
                });
            } else {
                const BlockKinds& k = level_.kinds[b];
                for (int t = 0; t < 2; ++t) {
                    for (std::uint32_t bits = k.plain[t]; bits; bits &= bits - 1)
                        worst = _mm256_max_ps(worst, step(t, 8 * std::countr_zero(bits)));
                    std::uint32_t number = k.first[t];
                    for (std::uint32_t bits = k.mixed[t]; bits; bits &= bits - 1, ++number) {
                        const Lanes unbounded =
                            _mm256_cmp_ps(_mm256_load_ps((*low)[number].v), free, _CMP_EQ_OQ);
                        worst = _mm256_max_ps(
                            worst, _mm256_and_ps(unbounded, step(t, 8 * std::countr_zero(bits))));
                    }
                }
                early_worst = early(b);
            }
            return static_cast<double>(std::max(early_worst, largest_lane(worst)));
        });
    }

private:
    enum class Watch : std::uint8_t { None, Early, Late };
    bool is_watched(int b) const { return !watch_.empty() && watch_[b] != Watch::None; }
    bool is_early(int b) const { return !watch_.empty() && watch_[b] == Watch::Early; }
    static float& cell(SplitField<D>& f, int b, int o) { return split_place<D>(b, o).in(f); }
    /// The part of the bodies in q = A z + beta q; returns their part of p.q. With t = F^T z and
    /// s = F^T p = t + beta s, the new part of q is F t, and p.(F t) = s.t.
    double search_bodies(double beta) {
        if (!system_.bodies) return 0;
        const BodyRows<D>& F = multigrid_.bodies()->finest();
        F.transposed(z_, answer_);
        along_.resize(answer_.size(), 0.0);
        double curvature = 0;
        for (std::size_t k = 0; k < answer_.size(); ++k) {
            along_[k] = beta == 0 ? answer_[k] : answer_[k] + beta * along_[k];
            curvature += along_[k] * answer_[k];
            answer_[k] = -answer_[k];
        }
        F.subtract(answer_, q_);
        return curvature;
    }
    double sum() const {
        double s = 0;
        for (double v : partial_) s += v;
        return s;
    }

    void put_row(int b, int y, int z, const detail::Row& row, double scale) {
        const __m256d s = _mm256_set1_pd(scale);
        const __m128 low = _mm256_cvtpd_ps(_mm256_mul_pd(row.low, s));
        const __m128 high = _mm256_cvtpd_ps(_mm256_mul_pd(row.high, s));
        const int at = 32 * z + 4 * y, even_colour = (y + z) & 1;
        _mm_store_ps(r_.half(b, even_colour) + at,
                     _mm_shuffle_ps(low, high, _MM_SHUFFLE(2, 0, 2, 0)));
        _mm_store_ps(r_.half(b, 1 - even_colour) + at,
                     _mm_shuffle_ps(low, high, _MM_SHUFFLE(3, 1, 3, 1)));
    }

    /// x += step p in block b, calling for x of block `next`.
    void update_x(int b, double step, int next) {
        if (step == 0) return;
        const BlockKinds& k = level_.kinds[b];
        const __m256d a = _mm256_set1_pd(step);
        for (std::uint32_t bits = k.live(0) | k.live(1); bits; bits &= bits - 1) {
            const int v = std::countr_zero(bits), z = v >> 2;
            double* x = x_.block(b) + 16 * v;
            const double* later = x_.block(next) + 16 * v;
            call_for(later);
            call_for(later + kLine / sizeof(double));
            for (int y = 0; y < 2; ++y, x += kSide) {
                const int even_colour = (y + z) & 1, at = 8 * v + 4 * y;
                const __m128 even = _mm_load_ps(p_.half(b, even_colour) + at);
                const __m128 odd = _mm_load_ps(p_.half(b, 1 - even_colour) + at);
                const __m256d low = _mm256_cvtps_pd(_mm_unpacklo_ps(even, odd));
                const __m256d high = _mm256_cvtps_pd(_mm_unpackhi_ps(even, odd));
                _mm256_store_pd(x, _mm256_fmadd_pd(a, low, _mm256_load_pd(x)));
                _mm256_store_pd(x + 4, _mm256_fmadd_pd(a, high, _mm256_load_pd(x + 4)));
            }
        }
    }

    /// p and q of block b, calling for those of block `next`; returns p.q.
    double update_pq(int b, float beta, int next) {
        return update_colour<0>(b, beta, next) + update_colour<1>(b, beta, next);
    }

    template <int T>
    double update_colour(int b, float beta, int next) {
        const SplitNear<D> near(z_, level_.faces[b], b, 1 - T);
        const float* centre = z_.half(b, T);
        float *p = p_.half(b, T), *q = q_.half(b, T);
        const Lanes beta8 = lanes(beta);
        // In a first step p and q hold anything, even NaN.
        const Lanes keep = _mm256_cmp_ps(beta8, _mm256_setzero_ps(), _CMP_NEQ_OQ);
        Lanes sum = _mm256_setzero_ps();
        const float *next_p = p_.half(next, T), *next_q = q_.half(next, T);
        const auto step = [&](int at, Lanes z, Lanes Az) SLOSH_INLINE {
            if (at % kLineFloats == 0) {
                call_for(next_p + at);
                call_for(next_q + at);
            }
            const Lanes p8 = _mm256_fmadd_ps(beta8, _mm256_and_ps(keep, _mm256_load_ps(p + at)), z);
            const Lanes q8 =
                _mm256_fmadd_ps(beta8, _mm256_and_ps(keep, _mm256_load_ps(q + at)), Az);
            _mm256_store_ps(p + at, p8);
            _mm256_store_ps(q + at, q8);
            sum = _mm256_fmadd_ps(p8, q8, sum);
        };
        for_each_vector<D, T>(
            level_, b,
            [&](int zz, int m, int parity) SLOSH_INLINE {
                const int at = 32 * zz + 8 * m;
                const Lanes z = _mm256_load_ps(centre + at);
                step(at, z, apply(neighbours(near, zz, m, parity), z));
            },
            [&](std::uint32_t number, int zz, int m, int parity) SLOSH_INLINE {
                const int at = 32 * zz + 8 * m;
                const Lanes z = _mm256_load_ps(centre + at);
                call_ahead(level_.exact, number);
                step(at, z, apply(level_.exact[number], neighbours(near, zz, m, parity), z));
            });
        return sum_lanes(sum);
    }

    const BlockSystem<D>& system_;
    Multigrid<D>& multigrid_;
    const MultigridLevel<D>& level_;
    Field<double, D>& x_;
    BodiesRhs<D> rhs_;
    std::vector<double> along_, answer_;  // F^T p and F^T z
    std::optional<LightBodies<D>> light_;
    SplitField<D> r_, z_, p_, q_;
    std::vector<double> partial_;
    std::vector<Watch> watch_;
};

}  // namespace slosh
