#include "slosh/lcp/auto.h"

#include <cmath>
#include <limits>
#include <memory>

#include "slosh/base/timer.h"
#include "slosh/linear/cell_mask.h"
#include "slosh/linear/pcg_passes.h"

namespace slosh {

namespace {

/// Share of the active cells that may change sides before the coarser levels are told.
constexpr double kStale = 0.02;
/// Share of the goal by which p may fall below zero in S before its neighbours count as disturbed.
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

    /// A correction z in units of `unit` may take p down to zero in S.
    void set_bounds(double unit) {
        const double scale = -1 / unit;
        for_each_block([&](std::size_t i) {
            for_each(i, [&](const Cell& c) {
                low_[c.number].v[c.lane] = static_cast<float>(*c.p * scale);
            });
        });
    }

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

    /// The natural residual (C3) in the wall blocks, from the float residual r in units of `unit`.
    double residual(const SplitField<D>& r, double unit) const {
        const double p_scale = level_.weight / unit;
        return unit * parallel_max(blocks_.size(), [&](std::size_t i) {
            const int b = blocks_[i];
            double worst = residual_off_walls(r, b);
            for_each(i, [&](const Cell& c) {
                // min(w, a_ii p), but dividing by 1 / a_ii only where that is the smaller
                const double w = -r.half(b, c.colour)[c.split], q = *c.p * p_scale;
                const double inverse = level_.mixed[c.number].inverse[c.lane];
                worst = std::max(worst, std::abs(w * inverse < q ? w : q / inverse));
            });
            return worst;
        });
    }

    /// Puts p < 0 in S to zero. Returns whether any was below -slack, so that the residual of its
    /// neighbours is no longer what it was.
    bool clip(double slack) {
        std::vector<std::uint8_t> far(blocks_.size());
        for_each_block([&](std::size_t i) {
            for_each(i, [&](const Cell& c) {
                if (*c.p >= 0) return;
                far[i] |= *c.p < -slack;
                *c.p = 0;
            });
        });
        return std::any_of(far.begin(), far.end(), [](std::uint8_t f) { return f; });
    }

private:
    struct WallVector {
        std::uint32_t number;       // in the level's mixed lists
        std::uint8_t colour, v;     // of its block
        std::uint8_t in_s, active;  // lanes
    };
    struct Cell {
        std::uint32_t number;
        int colour, lane, split;
        double* p;
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
    double residual_off_walls(const SplitField<D>& r, int b) const {
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
        alignas(32) float w[8];
        _mm256_store_ps(w, worst);
        return *std::max_element(w, w + 8);
    }

    /// body(cell) for the cells of S in a block.
    template <class Body>
    void for_each(std::size_t i, const Body& body) const {
        double* p = p_.block(blocks_[i]);
        for (std::size_t k = first_[i]; k < first_[i + 1]; ++k) {
            const WallVector& w = vectors_[k];
            for (unsigned bits = w.in_s; bits; bits &= bits - 1) {
                const int lane = std::countr_zero(bits);
                body(Cell{w.number, w.colour, lane, 8 * w.v + lane,
                          p + split_cell<D>(w.colour, w.v, lane)});
            }
        }
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
    const double slack = kSlack * goal / weight;
    PcgPasses<D> it(system, multigrid, p);
    it.set_early(walls.blocks());
    report.unknowns = system.unknowns();
    report.bytes = multigrid.bytes() + it.bytes() + walls.low().bytes();
    report.setup_seconds = wall_seconds() - wall;

    walls.clip(0);
    double worst = largest;
    Field<std::uint8_t, D> judged(system.blocks);  // the active set, of p in double
    if (largest_of(p) == 0) {
        it.residual_of_zero(unit);
    } else {
        (void)it.true_residual(unit);
        worst = natural_residual(lcp, p, &judged);
    }
    double rho = 0, alpha = 0;
    while (worst > goal && report.iterations < options.max_iterations) {
        if (options.history) report.history.push_back(worst);
        walls.set_bounds(p_unit);
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
        const double beta = rho > 0 && changed == 0 ? rho_new / rho : 0;
        const double curvature = it.search(alpha * p_unit, beta);
        alpha = 0;
        if (!(rho_new > 0) || !(curvature > 0)) {
            // The direction is spoilt by rounding: start afresh, once.
            if (rho == 0) break;
            rho = 0;
            (void)it.true_residual(unit);
            continue;
        }
        rho = rho_new;
        alpha = rho / curvature;
        // On a set that still changes, z itself is known to respect the bounds; more of it is not.
        if (changed) alpha = std::min(alpha, 1.0);
        worst = it.descend(alpha) * unit;
        it.finish_early(alpha * p_unit);
        ++report.iterations;
        const bool clipped = walls.clip(slack);
        worst = std::max(worst, walls.residual(it.r(), unit));
        if (clipped || worst <= goal) {
            it.finish(alpha * p_unit);
            alpha = 0;
            worst = natural_residual(lcp, p, &judged);
            if (worst <= goal) break;
            rho = 0;
            (void)it.true_residual(unit);
        }
    }
    if (alpha != 0) it.finish(alpha * p_unit);
    if (worst > goal) worst = natural_residual(lcp, p, &judged);
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
