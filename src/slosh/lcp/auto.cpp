#include "slosh/lcp/auto.h"

#include <cmath>
#include <limits>
#include <memory>

#include "slosh/base/timer.h"
#include "slosh/linear/pcg_passes.h"

namespace slosh {

namespace {

/// Share of the active cells that may change sides before the coarser levels are told.
constexpr double kStale = 0.02;
/// Share of the goal by which p may fall below zero in S before its neighbours count as disturbed.
constexpr double kSlack = 0.01;

template <int D>
double largest_of(const Field<double, D>& f) {
    return parallel_max(f.blocks().size(), [&](std::size_t b) {
        const double* v = f.block(static_cast<int>(b));
        double m[8] = {};
        for (int o = 0; o < kBlockCells<D>; ++o) m[o & 7] = std::max(m[o & 7], std::abs(v[o]));
        return *std::max_element(m, m + 8);
    });
}

/// What happens at the walls: the bounds of the correction, who sits on them, and the residual
/// there. All loops go over the blocks that hold cells of S.
template <int D>
class Walls {
public:
    Walls(const BlockLcp<D>& lcp, Field<double, D>& p, Field<std::uint8_t, D>& active)
        : lcp_(lcp), p_(p), active_(active) {
        const Blocks<D>& blocks = *lcp.system.blocks;
        std::vector<std::uint8_t> has(blocks.size());
        parallel_for(blocks.size(), 16, [&](std::size_t b) {
            const std::uint8_t* c = lcp.constrained.block(static_cast<int>(b));
            has[b] = std::any_of(c, c + kBlockCells<D>, [](std::uint8_t k) { return k; });
        });
        for (int b = 0; b < blocks.size(); ++b)
            if (has[b]) list_.push_back(b);
    }
    const std::vector<int>& blocks() const { return list_; }
    const LowerBounds& low() const { return low_; }

    /// Bounds for every mixed vector of the level: none yet.
    void allocate(const MultigridLevel<D>& level) {
        level_ = &level;
        const std::size_t vectors = level.mixed.bytes() / sizeof(MixedVector<D>);
        low_ = LowerBounds(vectors);
        parallel_for(vectors, 4096, [&](std::size_t i) {
            for (float& v : low_[i].v) v = -std::numeric_limits<float>::infinity();
        });
    }

    std::size_t constrained_count() const { return count(lcp_.constrained); }
    std::size_t active_count() const { return count(active_); }

    /// A correction z in units of `unit` may take p down to zero in S.
    void set_bounds(double unit) {
        const double scale = -1 / unit;
        each_lane([&](int b, int o, std::uint32_t number, int lane, int, int) {
            low_[number].v[lane] = static_cast<float>(p_.block(b)[o] * scale);
        });
    }

    /// Marks as active the cells whose z is at its bound; returns how many cells changed.
    std::size_t find_active(const SplitField<D>& z) {
        std::vector<std::uint32_t> changed(list_.size());
        each_lane_of([&](std::size_t i, int b, int o, std::uint32_t number, int lane, int t, int at) {
            const std::uint8_t now = z.half(b, t)[at + lane] <= low_[number].v[lane];
            std::uint8_t& held = active_.block(b)[o];
            changed[i] += now != held;
            held = now;
        });
        std::size_t sum = 0;
        is_stale_.resize(list_.size());
        for (std::size_t i = 0; i < list_.size(); ++i) {
            sum += changed[i];
            is_stale_[i] |= changed[i] > 0;
        }
        stale_ += sum;
        return sum;
    }
    /// Cells that changed sides since take_stale_blocks(), which returns their blocks.
    std::size_t stale() const { return stale_; }
    std::vector<int> take_stale_blocks() {
        std::vector<int> blocks;
        for (std::size_t i = 0; i < list_.size(); ++i)
            if (is_stale_[i]) blocks.push_back(list_[i]);
        is_stale_.assign(list_.size(), 0);
        stale_ = 0;
        return blocks;
    }

    /// The natural residual in the wall blocks, from the float residual r in units of `unit`.
    double residual(const SplitField<D>& r, double unit) const {
        return unit * parallel_max(list_.size(), [&](std::size_t i) {
            const int b = list_[i];
            const BlockKinds& k = level_->kinds[b];
            double worst = 0;
            for (int t = 0; t < 2; ++t) {
                for (std::uint32_t bits = k.plain[t]; bits; bits &= bits - 1) {
                    const int at = 8 * std::countr_zero(bits);
                    for (int lane = 0; lane < 8; ++lane)
                        worst = std::max<double>(worst, std::abs(r.half(b, t)[at + lane]));
                }
                std::uint32_t number = k.first[t];
                for (std::uint32_t bits = k.mixed[t]; bits; bits &= bits - 1, ++number) {
                    const int v = std::countr_zero(bits);
                    for (int lane = 0; lane < 8; ++lane) {
                        const float inverse = level_->mixed[number].inverse[lane];
                        if (inverse == 0) continue;
                        const int o = split_cell<D>(t, v, lane);
                        double w = -r.half(b, t)[8 * v + lane];
                        if (lcp_.constrained.block(b)[o])
                            w = std::min(w, p_.block(b)[o] * level_->weight / (unit * inverse));
                        worst = std::max(worst, std::abs(w));
                    }
                }
            }
            return worst;
        });
    }

    /// Puts p < 0 in S to zero. Returns whether any was below -slack, so that the residual of its
    /// neighbours is no longer what it was.
    bool clip(double slack) {
        std::vector<std::uint8_t> far(list_.size());
        each_lane_of([&](std::size_t i, int b, int o, std::uint32_t, int, int, int) {
            double& v = p_.block(b)[o];
            if (v >= 0) return;
            far[i] |= v < -slack;
            v = 0;
        });
        return std::any_of(far.begin(), far.end(), [](std::uint8_t f) { return f; });
    }

private:
    std::size_t count(const Field<std::uint8_t, D>& marks) const {
        return static_cast<std::size_t>(parallel_sum(list_.size(), [&](std::size_t i) {
            const std::uint8_t* m = marks.block(list_[i]);
            int n = 0;
            for (int o = 0; o < kBlockCells<D>; ++o) n += m[o];
            return static_cast<double>(n);
        }));
    }

    /// body(i, block, offset, mixed vector, lane, colour, offset of the vector) for every cell of S.
    template <class Body>
    void each_lane_of(const Body& body) const {
        parallel_for(list_.size(), 8, [&](std::size_t i) {
            const int b = list_[i];
            const BlockKinds& k = level_->kinds[b];
            const std::uint8_t* in_s = lcp_.constrained.block(b);
            for (int t = 0; t < 2; ++t) {
                std::uint32_t number = k.first[t];
                for (std::uint32_t bits = k.mixed[t]; bits; bits &= bits - 1, ++number) {
                    const int v = std::countr_zero(bits);
                    for (int lane = 0; lane < 8; ++lane) {
                        const int o = split_cell<D>(t, v, lane);
                        if (in_s[o]) body(i, b, o, number, lane, t, 8 * v);
                    }
                }
            }
        });
    }
    template <class Body>
    void each_lane(const Body& body) const {
        each_lane_of([&](std::size_t, int b, int o, std::uint32_t number, int lane, int t, int at) {
            body(b, o, number, lane, t, at);
        });
    }

    const BlockLcp<D>& lcp_;
    Field<double, D>& p_;
    Field<std::uint8_t, D>& active_;
    const MultigridLevel<D>* level_ = nullptr;
    std::vector<int> list_;
    std::vector<std::uint8_t> is_stale_;  // by place in list_
    std::size_t stale_ = 0;
    LowerBounds low_;
};

}  // namespace

template <int D>
LcpReport solve_auto(const BlockLcp<D>& lcp, const LcpOptions& options, Field<double, D>& p,
                     Field<std::uint8_t, D>& active) {
    const double wall = wall_seconds(), cpu = cpu_seconds();
    Multigrid<D> multigrid(lcp.system, {}, &lcp.constrained, &active);
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
    Walls<D> walls(lcp, p, active);
    const double largest = largest_of(system.rhs);
    const double goal = std::max(options.tolerance * largest, options.absolute);

    const double weight = multigrid.finest().weight;
    // r in units of max|b|, so that float neither overflows nor loses small systems; p likewise.
    const double unit = largest > 0 ? largest : 1, p_unit = unit / weight;
    const double slack = kSlack * goal / weight;
    walls.allocate(multigrid.finest());
    PcgPasses<D> it(system, multigrid, p);
    it.set_early(walls.blocks());
    report.unknowns = system.unknowns();
    report.bytes = multigrid.bytes() + it.bytes() + walls.low().bytes();
    report.setup_seconds = wall_seconds() - wall;

    walls.clip(0);
    double worst = largest;
    if (largest_of(p) == 0) {
        it.residual_of_zero(unit);
    } else {
        (void)it.true_residual(unit);
        worst = natural_residual(lcp, p);
    }
    double rho = 0, alpha = 0;
    while (worst > goal && report.iterations < options.max_iterations) {
        if (options.history) report.history.push_back(worst);
        walls.set_bounds(p_unit);
        it.smooth(walls.low());
        std::size_t changed = walls.find_active(it.z());
        if (walls.stale() > kStale * walls.active_count()) {
            multigrid.update_active(system, active, walls.take_stale_blocks());
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
            worst = natural_residual(lcp, p);
            if (worst <= goal) break;
            rho = 0;
            (void)it.true_residual(unit);
        }
    }
    if (alpha != 0) it.finish(alpha * p_unit);
    worst = natural_residual(lcp, p, &active);
    if (options.history) report.history.push_back(worst);
    report.constrained = walls.constrained_count();
    report.active = walls.active_count();
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
