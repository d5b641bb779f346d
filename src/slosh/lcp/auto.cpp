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
/// there. Everything goes over a list of the cells of S, block by block.
template <int D>
class Walls {
public:
    Walls(const BlockLcp<D>& lcp, const MultigridLevel<D>& level, Field<double, D>& p,
          Field<std::uint8_t, D>& active)
        : lcp_(lcp), level_(level), p_(p), active_(active) {
        find_cells();
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
    std::size_t constrained_count() const { return cells_.size(); }
    std::size_t active_count() const {
        return static_cast<std::size_t>(parallel_sum(blocks_.size(), [&](std::size_t i) {
            int n = 0;
            for_each(i, [&](int b, const Cell& c) { n += active_.block(b)[c.offset]; });
            return static_cast<double>(n);
        }));
    }

    /// A correction z in units of `unit` may take p down to zero in S.
    void set_bounds(double unit) {
        const double scale = -1 / unit;
        for_each_block([&](std::size_t i) {
            for_each(i, [&](int b, const Cell& c) {
                low_[c.vector].v[c.lane] = static_cast<float>(p_.block(b)[c.offset] * scale);
            });
        });
    }

    /// Marks as active the cells whose z is at its bound; returns how many cells changed.
    std::size_t find_active(const SplitField<D>& z) {
        std::vector<std::uint32_t> changed(blocks_.size());
        for_each_block([&](std::size_t i) {
            for_each(i, [&](int b, const Cell& c) {
                const std::uint8_t now = value(z, b, c) <= low_[c.vector].v[c.lane];
                std::uint8_t& held = active_.block(b)[c.offset];
                changed[i] += now != held;
                held = now;
            });
        });
        std::size_t sum = 0;
        for (std::size_t i = 0; i < blocks_.size(); ++i) {
            sum += changed[i];
            is_stale_[i] |= changed[i] > 0;
        }
        stale_ += sum;
        return sum;
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

    /// The natural residual in the wall blocks, from the float residual r in units of `unit`.
    double residual(const SplitField<D>& r, double unit) const {
        return unit * parallel_max(blocks_.size(), [&](std::size_t i) {
            const int b = blocks_[i];
            Lanes worst = _mm256_setzero_ps();
            for_each_live(level_, b, [&](int t, int at) SLOSH_INLINE {
                if (has_wall_[i][t] >> (at / 8) & 1) return;
                const Lanes v = _mm256_load_ps(r.half(b, t) + at);
                worst = _mm256_max_ps(worst, _mm256_andnot_ps(lanes(-0.f), v));
            });
            alignas(32) float w[8];
            _mm256_store_ps(w, worst);
            return std::max<double>(*std::max_element(w, w + 8), residual_at_walls(r, unit, i));
        });
    }

    /// Puts p < 0 in S to zero. Returns whether any was below -slack, so that the residual of its
    /// neighbours is no longer what it was.
    bool clip(double slack) {
        std::vector<std::uint8_t> far(blocks_.size());
        for_each_block([&](std::size_t i) {
            for_each(i, [&](int b, const Cell& c) {
                double& v = p_.block(b)[c.offset];
                if (v >= 0) return;
                far[i] |= v < -slack;
                v = 0;
            });
        });
        return std::any_of(far.begin(), far.end(), [](std::uint8_t f) { return f; });
    }

private:
    struct Cell {
        std::uint32_t vector;  // in the level's mixed lists
        std::uint16_t offset;  // in the block
        std::uint16_t split;   // in the half block of its colour
        std::uint8_t lane, colour;
    };

    void find_cells() {
        const Blocks<D>& blocks = *lcp_.system.blocks;
        std::vector<std::vector<Cell>> found(blocks.size());
        std::vector<std::array<std::uint32_t, 2>> has(blocks.size());
        parallel_for(blocks.size(), 16, [&](std::size_t i) {
            const int b = static_cast<int>(i);
            const BlockKinds& k = level_.kinds[b];
            const std::uint8_t* in_s = lcp_.constrained.block(b);
            if (!any<D>(nonzero<D>(in_s))) return;
            for (int t = 0; t < 2; ++t) {
                std::uint32_t number = k.first[t];
                for (std::uint32_t bits = k.mixed[t]; bits; bits &= bits - 1, ++number) {
                    const int v = std::countr_zero(bits);
                    for (int lane = 0; lane < 8; ++lane) {
                        const int o = split_cell<D>(t, v, lane);
                        if (!in_s[o]) continue;
                        found[i].push_back({number, static_cast<std::uint16_t>(o),
                                            static_cast<std::uint16_t>(8 * v + lane),
                                            static_cast<std::uint8_t>(lane),
                                            static_cast<std::uint8_t>(t)});
                        has[i][t] |= 1u << v;
                    }
                }
            }
        });
        for (int b = 0; b < blocks.size(); ++b) {
            if (found[b].empty()) continue;
            blocks_.push_back(b);
            has_wall_.push_back(has[b]);
            cells_.insert(cells_.end(), found[b].begin(), found[b].end());
            first_.push_back(cells_.size());
        }
    }

    /// The largest |r_i| of (C3) in the vectors of a block that hold cells of S.
    double residual_at_walls(const SplitField<D>& r, double unit, std::size_t i) const {
        const int b = blocks_[i];
        const BlockKinds& k = level_.kinds[b];
        double worst = 0;
        for (int t = 0; t < 2; ++t) {
            std::uint32_t number = k.first[t];
            for (std::uint32_t bits = k.mixed[t]; bits; bits &= bits - 1, ++number) {
                const int v = std::countr_zero(bits);
                if (!(has_wall_[i][t] >> v & 1)) continue;
                for (int lane = 0; lane < 8; ++lane) {
                    const float inverse = level_.mixed[number].inverse[lane];
                    if (inverse == 0) continue;
                    const int o = split_cell<D>(t, v, lane);
                    double w = -r.half(b, t)[8 * v + lane];
                    if (lcp_.constrained.block(b)[o])
                        w = std::min(w, p_.block(b)[o] * level_.weight / (unit * inverse));
                    worst = std::max(worst, std::abs(w));
                }
            }
        }
        return worst;
    }

    static float value(const SplitField<D>& f, int b, const Cell& c) {
        return f.half(b, c.colour)[c.split];
    }
    template <class Body>
    void for_each(std::size_t i, const Body& body) const {
        for (std::size_t k = first_[i]; k < first_[i + 1]; ++k) body(blocks_[i], cells_[k]);
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
    std::vector<std::array<std::uint32_t, 2>> has_wall_;  // by block: vectors with cells of S
    std::vector<Cell> cells_;
    std::vector<std::size_t> first_ = {0};  // of each block, in cells_
    std::vector<std::uint8_t> is_stale_;    // by block
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
    if (largest_of(p) == 0) {
        it.residual_of_zero(unit);
    } else {
        (void)it.true_residual(unit);
        worst = natural_residual(lcp, p);
    }
    double rho = 0, alpha = 0;
    bool judged = false;  // whether `worst` and `active` are those of p, in double
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
            worst = natural_residual(lcp, p, &active);
            judged = true;
            if (worst <= goal) break;
            judged = false;
            rho = 0;
            (void)it.true_residual(unit);
        }
    }
    if (alpha != 0) it.finish(alpha * p_unit);
    if (!judged) worst = natural_residual(lcp, p, &active);
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
