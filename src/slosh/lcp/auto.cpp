#include "slosh/lcp/auto.h"

#include <cmath>
#include <limits>
#include <memory>
#include <unordered_map>

#include "slosh/base/timer.h"
#include "slosh/linear/cell_mask.h"
#include "slosh/linear/pcg_passes.h"

namespace slosh {

namespace {

/// Share of the active cells that may change sides before the coarser levels are told.
constexpr double kStale = 0.02;
/// Share of the active cells that may change sides while directions stay conjugate.
constexpr double kWaver = 0.001;
/// r is computed afresh, in double, each time it has fallen by this.
constexpr double kReplace = 1e-5;
/// Share of the goal by which p may fall below zero in S before directions start afresh.
constexpr double kSlack = 0.01;

/// What happens at the walls: the bounds of the correction, who sits on them, and the residual
/// there. Everything goes over a list of the vectors that hold cells of S, block by block.
template <int D>
class Walls {
public:
    Walls(const BlockLcp<D>& lcp, const MultigridLevel<D>& level, Field<double, D>& p,
          Field<std::uint8_t, D>& active)
        : lcp_(lcp), level_(level), p_(p), active_(active) {
        find_vectors();
        const std::size_t vectors = level.mixed.bytes() / sizeof(MixedVector<D>);
        low_ = LowerBounds(vectors);
        parallel_for(vectors, 4096, [&](std::size_t i) {
            for (float& v : low_[i].v) v = -std::numeric_limits<float>::infinity();
        });
        for (const WallVector& w : vectors_)
            for (int lane = 0; lane < 8; ++lane)
                if (w.in_s >> lane & 1) low_[w.number].v[lane] = 0;
        is_stale_.assign(blocks_.size(), 0);
    }

    /// Blocks that hold cells of S.
    const std::vector<int>& blocks() const { return blocks_; }
    const LowerBounds& low() const { return low_; }
    std::size_t constrained_count() const {
        std::size_t n = 0;
        for (const WallVector& w : vectors_) n += std::popcount(w.in_s);
        return n;
    }
    /// As of the last find_active().
    std::size_t active_count() const { return active_count_; }

    /// Marks as active the cells whose z is at its bound; returns how many cells changed.
    std::size_t find_active(const SplitField<D>& z) {
        struct Count {
            std::uint32_t active = 0, changed = 0;
        };
        std::vector<Count> counts(blocks_.size());
        for_each_block([&](std::size_t i) {
            const int b = blocks_[i];
            for (std::size_t k = first_[i]; k < first_[i + 1]; ++k) {
                WallVector& w = vectors_[k];
                const Lanes value = _mm256_load_ps(z.half(b, w.colour) + 8 * w.v);
                const Lanes at = _mm256_cmp_ps(value, _mm256_load_ps(low_[w.number].v), _CMP_LE_OQ);
                const auto now = static_cast<std::uint8_t>(_mm256_movemask_ps(at) & w.in_s);
                counts[i].active += std::popcount(now);
                for (unsigned bits = now ^ w.active; bits; bits &= bits - 1) {
                    const int lane = std::countr_zero(bits);
                    active_.block(b)[split_cell<D>(w.colour, w.v, lane)] = now >> lane & 1;
                    ++counts[i].changed;
                }
                w.active = now;
            }
        });
        active_count_ = 0;
        std::size_t changed = 0;
        for (std::size_t i = 0; i < blocks_.size(); ++i) {
            active_count_ += counts[i].active;
            changed += counts[i].changed;
            is_stale_[i] |= counts[i].changed > 0;
        }
        stale_ += changed;
        return changed;
    }
    /// Cells that changed sides since take_stale_blocks(), which returns their blocks.
    std::size_t stale() const { return stale_; }
    std::vector<int> take_stale_blocks() {
        std::vector<int> list;
        for (std::size_t i = 0; i < blocks_.size(); ++i)
            if (is_stale_[i]) list.push_back(blocks_[i]);
        is_stale_.assign(blocks_.size(), 0);
        stale_ = 0;
        return list;
    }

    /// Brings p in the wall blocks up to date (p += step times the search direction), puts p < 0 in
    /// S to zero, in r as well, and sets the bounds of the next correction: it may take p down to
    /// zero. Returns the natural residual (C3) there, from the float residual r in units of `unit`.
    double settle(PcgPasses<D>& it, double step, double unit) {
        const double p_scale = level_.weight / unit;
        const SplitField<D>& r = it.r();
        std::vector<std::vector<Clip>> clips(blocks_.size());
        const double worst = parallel_max(blocks_.size(), [&](std::size_t i) {
            const int b = blocks_[i];
            it.advance(b, step);
            double* p = p_.block(b);
            Lanes largest = residual_off_walls(r, b);
            for (std::size_t k = first_[i]; k < first_[i + 1]; ++k) {
                const WallVector& v = vectors_[k];
                Lanes q = load_vector(p, v, p_scale);
                if (_mm256_movemask_ps(q) & v.in_s) {  // some are below zero
                    clip(p, v, p_scale, clips[i]);
                    q = load_vector(p, v, p_scale);
                }
                const Lanes in_s = lane_mask(v.in_s), sign = lanes(-0.f);
                const Lanes none = lanes(-std::numeric_limits<float>::infinity());
                _mm256_store_ps(low_[v.number].v,
                                _mm256_blendv_ps(none, _mm256_xor_ps(q, sign), in_s));
                const Lanes w = _mm256_xor_ps(
                    _mm256_load_ps(r.half(b, v.colour) + 8 * v.v), sign);
                const Lanes inverse = _mm256_load_ps(level_.mixed[v.number].inverse);
                const Lanes natural = _mm256_min_ps(w, _mm256_div_ps(q, inverse));
                largest = _mm256_max_ps(
                    largest, _mm256_andnot_ps(sign, _mm256_and_ps(in_s, natural)));
            }
            return largest_lane(largest);
        });
        largest_rise_ = 0;
        for (std::size_t i = 0; i < blocks_.size(); ++i)
            for (const Clip& c : clips[i]) {
                subtract_column(it, blocks_[i], c);
                largest_rise_ = std::max<double>(largest_rise_, c.rise);
            }
        if (lcp_.system.bodies && largest_rise_ > 0) subtract_bodies(it, clips);
        return unit * worst;
    }

    /// The largest p that settle() put to zero, in the units of r.
    double largest_rise() const { return largest_rise_; }

private:
    struct WallVector {
        std::uint32_t number;       // in the level's mixed lists
        std::uint8_t colour, v;     // of its block
        std::uint8_t in_s, active;  // lanes
    };
    /// A cell whose p was raised to zero.
    struct Clip {
        std::uint32_t number;
        int lane, offset;
        float rise;  // in the units of r
    };

    void find_vectors() {
        const Blocks<D>& blocks = *lcp_.system.blocks;
        std::vector<std::vector<WallVector>> found(blocks.size());
        parallel_for(blocks.size(), 16, [&](std::size_t i) {
            const int b = static_cast<int>(i);
            const BlockKinds& k = level_.kinds[b];
            const std::uint8_t* in_s = lcp_.constrained.block(b);
            if (!any<D>(nonzero<D>(in_s))) return;
            for (int t = 0; t < 2; ++t) {
                std::uint32_t number = k.first[t];
                for (std::uint32_t bits = k.mixed[t]; bits; bits &= bits - 1, ++number) {
                    const int v = std::countr_zero(bits);
                    WallVector w{number, static_cast<std::uint8_t>(t),
                                 static_cast<std::uint8_t>(v), 0, 0};
                    for (int lane = 0; lane < 8; ++lane) {
                        const int o = split_cell<D>(t, v, lane);
                        w.in_s |= (in_s[o] ? 1 : 0) << lane;
                        w.active |= (active_.block(b)[o] ? 1 : 0) << lane;
                    }
                    w.active &= w.in_s;
                    if (w.in_s) found[i].push_back(w);
                }
            }
        });
        for (int b = 0; b < blocks.size(); ++b) {
            if (found[b].empty()) continue;
            blocks_.push_back(b);
            vectors_.insert(vectors_.end(), found[b].begin(), found[b].end());
            first_.push_back(vectors_.size());
        }
    }

    /// The largest |r_i| of a block's cells outside S: those without a bound.
    Lanes residual_off_walls(const SplitField<D>& r, int b) const {
        const BlockKinds& k = level_.kinds[b];
        const Lanes free = lanes(-std::numeric_limits<float>::infinity());
        Lanes worst = _mm256_setzero_ps();
        for (int t = 0; t < 2; ++t) {
            const auto keep = [&](int v, Lanes mask) SLOSH_INLINE {
                const Lanes value = _mm256_load_ps(r.half(b, t) + 8 * v);
                worst = _mm256_max_ps(worst, _mm256_and_ps(mask, value));
            };
            const Lanes magnitude = _mm256_castsi256_ps(_mm256_set1_epi32(0x7fffffff));
            for (std::uint32_t bits = k.plain[t]; bits; bits &= bits - 1)
                keep(std::countr_zero(bits), magnitude);
            std::uint32_t number = k.first[t];
            for (std::uint32_t bits = k.mixed[t]; bits; bits &= bits - 1, ++number)
                keep(std::countr_zero(bits),
                     _mm256_and_ps(magnitude, _mm256_cmp_ps(_mm256_load_ps(low_[number].v), free,
                                                            _CMP_EQ_OQ)));
        }
        return worst;
    }

    /// p of a vector's cells, scaled.
    static Lanes load_vector(const double* p, const WallVector& v, double scale) {
        const __m256d s = _mm256_set1_pd(scale);
        __m128 rows[2];
        for (int half = 0; half < 2; ++half) {
            const double* row = p + 16 * v.v + kSide * half;
            const __m256d low = _mm256_load_pd(row), high = _mm256_load_pd(row + 4);
            const bool odd = (half + (v.v >> 2) + v.colour) & 1;
            const __m256d mine = odd ? _mm256_unpackhi_pd(low, high) : _mm256_unpacklo_pd(low, high);
            rows[half] = _mm256_cvtpd_ps(_mm256_mul_pd(_mm256_permute4x64_pd(mine, 0xd8), s));
        }
        return _mm256_set_m128(rows[1], rows[0]);
    }
    static void clip(double* p, const WallVector& v, double scale, std::vector<Clip>& clips) {
        for (unsigned bits = v.in_s; bits; bits &= bits - 1) {
            const int lane = std::countr_zero(bits), o = split_cell<D>(v.colour, v.v, lane);
            if (p[o] >= 0) continue;
            clips.push_back({v.number, lane, o, static_cast<float>(-p[o] * scale)});
            p[o] = 0;
        }
    }
    /// r -= A e, where e is the rise of one cell.
    void subtract_column(PcgPasses<D>& it, int b, const Clip& clip) const {
        const ExactVector<D>& row = level_.exact[clip.number];
        float diagonal = row.excess[clip.lane];
        const Index<D> cell = local_cell<D>(clip.offset);
        for (int side = 0; side < 2 * D; ++side) {
            const float c = row.c[side][clip.lane];
            diagonal += c;
            // The order of Neighbours: the first is the one that shares the cell's pair.
            const int axis = side / 2;
            const int upper = axis == 0 ? (side + cell[0] + 1) & 1 : side & 1;
            Index<D> near = cell;
            near[axis] += upper ? 1 : -1;
            const bool inside = near[axis] >= 0 && near[axis] < kSide;
            near[axis] &= kSide - 1;
            const int block = inside ? b : level_.faces[b][2 * axis + upper];
            if (c > 0) it.r(block, cell_offset<D>(near)) += c * clip.rise;
        }
        it.r(b, clip.offset) -= diagonal * clip.rise;
    }
    /// r -= F F^T e, where e is the rise of all clipped cells.
    void subtract_bodies(PcgPasses<D>& it, const std::vector<std::vector<Clip>>& clips) const {
        std::unordered_map<std::size_t, float> rise;
        for (std::size_t i = 0; i < blocks_.size(); ++i)
            for (const Clip& c : clips[i]) rise[key(blocks_[i], c.offset)] = c.rise;
        const LowRank<D>& F = *lcp_.system.bodies;
        const std::vector<double> t = F.transposed([&](int b, int o) {
            const auto at = rise.find(key(b, o));
            return at == rise.end() ? 0.0 : static_cast<double>(at->second);
        });
        F.each(t, [&](int b, int o, double s) {
            it.r(b, o) -= static_cast<float>(s / level_.weight);
        });
    }
    static std::size_t key(int b, int o) {
        return static_cast<std::size_t>(b) * kBlockCells<D> + static_cast<std::size_t>(o);
    }
    static Lanes lane_mask(std::uint8_t bits) {
        const __m256i bit = _mm256_set_epi32(128, 64, 32, 16, 8, 4, 2, 1);
        return _mm256_castsi256_ps(
            _mm256_cmpeq_epi32(_mm256_and_si256(_mm256_set1_epi32(bits), bit), bit));
    }
    static double largest_lane(Lanes v) {
        alignas(32) float w[8];
        _mm256_store_ps(w, v);
        return *std::max_element(w, w + 8);
    }


    template <class Body>
    void for_each_block(const Body& body) const {
        parallel_for(blocks_.size(), 16, body);
    }

    const BlockLcp<D>& lcp_;
    const MultigridLevel<D>& level_;
    Field<double, D>& p_;
    Field<std::uint8_t, D>& active_;
    std::vector<int> blocks_;
    std::vector<WallVector> vectors_;
    std::vector<std::size_t> first_ = {0};  // of each block, in vectors_
    std::vector<std::uint8_t> is_stale_;    // by block
    std::size_t stale_ = 0, active_count_ = 0;
    double largest_rise_ = 0;
    LowerBounds low_;
};

}  // namespace

template <int D>
LcpReport solve_auto(const BlockLcp<D>& lcp, const LcpOptions& options, Field<double, D>& p,
                     Field<std::uint8_t, D>& active) {
    const double wall = wall_seconds(), cpu = cpu_seconds();
    Multigrid<D> multigrid(lcp.system, {}, lcp.constrained);
    const double built = wall_seconds() - wall, built_cpu = cpu_seconds() - cpu;
    LcpReport report = solve_auto(lcp, multigrid, options, p, active);
    report.setup_seconds += built;
    report.seconds += built;
    report.cpu_seconds += built_cpu;
    return report;
}

template <int D>
LcpReport solve_auto(const BlockLcp<D>& lcp, Multigrid<D>& multigrid, const LcpOptions& options,
                     Field<double, D>& p, Field<std::uint8_t, D>& active) {
    const double wall = wall_seconds(), cpu = cpu_seconds();
    LcpReport report;
    const BlockSystem<D>& system = lcp.system;
    Walls<D> walls(lcp, multigrid.finest(), p, active);
    const double largest = largest_of(system.rhs);
    const double goal = std::max(options.tolerance * largest, options.absolute);

    const double weight = multigrid.finest().weight;
    // r in units of max|b|, so that float neither overflows nor loses small systems; p likewise.
    const double unit = largest > 0 ? largest : 1, p_unit = unit / weight;
    PcgPasses<D> it(system, multigrid, p);
    it.set_early(walls.blocks());
    report.unknowns = system.unknowns();
    report.bytes = multigrid.bytes() + it.bytes() + walls.low().bytes();
    report.setup_seconds = wall_seconds() - wall;

    Field<std::uint8_t, D> judged(system.blocks);  // the active set, of p in double
    double worst = largest;
    if (largest_of(p) == 0) {
        it.residual_of_zero(unit);
        (void)walls.settle(it, 0, unit);
    } else {
        worst = it.true_residual(unit);
        worst = std::max(worst, walls.settle(it, 0, unit));
        // The float residual is good to a few digits: close calls are for the double one.
        if (worst <= 1.1 * goal) worst = natural_residual(lcp, p, &judged);
    }
    double rho = 0, alpha = 0;
    double replaced = worst;  // the residual when r was last computed from p
    while (worst > goal && report.iterations < options.max_iterations) {
        it.smooth(walls.low());
        std::size_t changed = walls.find_active(it.z());
        if (!multigrid.has_active() || walls.stale() > kStale * walls.active_count()) {
            const double since = wall_seconds();
            multigrid.set_active(system, active, walls.take_stale_blocks());
            report.setup_seconds += wall_seconds() - since;
            ++report.outer;
        }
        const double rho_new = it.precondition(walls.low());
        changed += walls.find_active(it.z());
        // A few cells that waver at zero do not spoil the direction; a new set does.
        const bool same = changed <= kWaver * walls.active_count();
        const double beta = rho > 0 && same ? rho_new / rho : 0;
        const double curvature = it.search(alpha * p_unit, beta);
        alpha = 0;
        if (!(rho_new > 0) || !(curvature > 0)) {
            // The direction is spoilt by rounding: start afresh, once.
            if (rho == 0) break;
            rho = 0;
            (void)it.true_residual(unit);
            continue;
        }
        if (options.history) report.history.push_back(worst);
        rho = rho_new;
        alpha = rho / curvature;
        // On a set that still changes, z itself is known to respect the bounds; more of it is not.
        if (changed) alpha = std::min(alpha, 1.0);
        worst = it.descend(alpha) * unit;
        worst = std::max(worst, walls.settle(it, alpha * p_unit, unit));
        ++report.iterations;
        if (walls.largest_rise() * unit > kSlack * goal) rho = 0;
        if (worst <= std::max(goal, kReplace * replaced)) {
            it.finish(alpha * p_unit);
            alpha = 0;
            if (worst <= goal) worst = natural_residual(lcp, p, &judged);
            if (worst <= goal) break;
            worst = it.true_residual(unit);
            worst = replaced = std::max(worst, walls.settle(it, 0, unit));
        }
    }
    if (alpha != 0) it.finish(alpha * p_unit);
    if (worst > goal || report.iterations == 0) worst = natural_residual(lcp, p, &judged);
    active = std::move(judged);
    if (!multigrid.has_active()) multigrid.set_active(system, active, {});
    if (options.history) report.history.push_back(worst);
    report.constrained = walls.constrained_count();
    report.active = static_cast<std::size_t>(
        parallel_sum(active.blocks().size(), [&](std::size_t b) {
            return static_cast<double>(count<D>(nonzero<D>(active.block(static_cast<int>(b)))));
        }));
    report.residual = worst;
    report.converged = worst <= goal;
    report.relative_residual = largest > 0 ? worst / largest : 0;
    report.seconds = wall_seconds() - wall;
    report.cpu_seconds = cpu_seconds() - cpu;
    return report;
}

#define SLOSH_INSTANTIATE(D)                                                                  \
    template LcpReport solve_auto<D>(const BlockLcp<D>&, const LcpOptions&, Field<double, D>&, \
                                     Field<std::uint8_t, D>&);                                 \
    template LcpReport solve_auto<D>(const BlockLcp<D>&, Multigrid<D>&, const LcpOptions&,     \
                                     Field<double, D>&, Field<std::uint8_t, D>&);
SLOSH_INSTANTIATE(2)
SLOSH_INSTANTIATE(3)
#undef SLOSH_INSTANTIATE

}  // namespace slosh
