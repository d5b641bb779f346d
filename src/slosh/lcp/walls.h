// Truncated non-smooth Newton multigrid: what happens at the walls (internal to auto.cpp).
#pragma once

#include <algorithm>
#include <bit>
#include <limits>
#include <utility>
#include <vector>

#include "slosh/lcp/natural_row.h"
#include "slosh/lcp/wall_vectors.h"
#include "slosh/linear/pcg_passes.h"
#include "slosh/linear/stencil_row.h"

namespace slosh {

/// The bounds of the correction, who sits on them, and the residual there. Everything goes over
/// the vectors that hold cells of S, block by block.
template <int D>
class Walls {
public:
    Walls(const BlockLcp<D>& lcp, const MultigridLevel<D>& level, Field<double, D>& p,
          Field<std::uint8_t, D>& active)
        : lcp_(lcp),
          level_(level),
          p_(p),
          active_(active),
          low_(level.mixed.bytes() / sizeof(MixedVector<D>), level.size()),
          vectors_(lcp, level, active, low_),
          blocks_(vectors_.blocks()) {
        for (int b : blocks_) low_.set_near(b, true);
        stale_.assign(blocks_.size(), 0);
        clips_.resize(blocks_.size());
        judged_.resize(blocks_.size());
    }

    /// Blocks that hold cells of S.
    const std::vector<int>& blocks() const { return blocks_; }
    const LowerBounds& low() const { return low_; }
    /// Cells of S.
    std::size_t constrained_count() const { return vectors_.constrained_count(); }

    /// Marks as active the cells whose z is at its bound; returns how many cells changed. If z is a
    /// `whole` correction, says where the pressure that it leads to is far from its bound, too.
    std::size_t find_active(const SplitField<D>& z, bool whole) {
        const bool all = std::exchange(guessed_, false);
        std::vector<std::uint32_t> changed(blocks_.size());
        for_each_block([&](std::size_t i) {
            const int b = blocks_[i];
            if (!all && !low_.is_near(b)) return;
            const Lanes infinity = lanes(std::numeric_limits<float>::infinity());
            Lanes largest = _mm256_setzero_ps(), least = infinity;
            unsigned active = 0;
            for (WallVector& w : vectors_.of(i)) {
                const Lanes value = _mm256_load_ps(z.half(b, w.colour) + 8 * w.v);
                const Lanes low = _mm256_load_ps(low_[w.number].v);
                const Lanes at = _mm256_cmp_ps(value, low, _CMP_LE_OQ);
                const auto now = static_cast<std::uint8_t>(_mm256_movemask_ps(at) & w.in_s);
                // Where there is no bound, low is minus infinity.
                least = _mm256_min_ps(least, _mm256_sub_ps(value, low));
                largest = _mm256_max_ps(largest, _mm256_andnot_ps(lanes(-0.f), value));
                active |= now;
                for (unsigned bits = now ^ w.active; bits; bits &= bits - 1) {
                    const int lane = std::countr_zero(bits);
                    const int o = split_cell<D>(w.colour, w.v, lane);
                    active_.block(b)[o] = now >> lane & 1;
                    stale_[i] |= touched_by(local_cell<D>(o));
                    ++changed[i];
                }
                w.active = now;
            }
            // A correction that meets a bound unseen is found out by judge().
            const float least_p = -largest_lane(_mm256_xor_ps(least, lanes(-0.f)));
            if (whole) low_.set_near(b, active || !(least_p > kNear * largest_lane(largest)));
        });
        std::size_t sum = 0;
        for (std::uint32_t n : changed) sum += n;
        return sum;
    }
    /// Whether cells changed sides since take_stale_blocks(), which returns the blocks that hold or
    /// touch them: the rows of their neighbours change, too.
    bool is_stale() const {
        return std::any_of(stale_.begin(), stale_.end(), [](std::uint8_t s) { return s; });
    }
    std::vector<int> take_stale_blocks() {
        std::vector<int> list;
        for (std::size_t i = 0; i < blocks_.size(); ++i) {
            if (!stale_[i]) continue;
            list.push_back(blocks_[i]);
            for (int side = 0; side < 2 * D; ++side)
                if (const int near = level_.faces[blocks_[i]][side];
                    (stale_[i] >> side & 1) && near < level_.size())
                    list.push_back(near);
        }
        stale_.assign(blocks_.size(), 0);
        std::sort(list.begin(), list.end());
        list.erase(std::unique(list.begin(), list.end()), list.end());
        return list;
    }

    /// Puts p < 0 in S to zero, in r as well, and sets the bounds of the next correction: it may
    /// take p down to zero. In the blocks looked after; returns the natural residual (C3) there, or
    /// a little more, from the float residual r in units of `unit`.
    double settle(PcgPasses<D>& it, double unit) {
        const double worst = parallel_max(blocks_.size(), [&](std::size_t i) {
            const int b = blocks_[i];
            if (!low_.is_near(b)) return 0.f;
            const float in_s = settle_block(it, b, 0, unit);  // first: it sets the bounds
            return std::max(in_s, largest_off_walls(it.r(), b));
        });
        subtract_clips(it);
        return unit * worst;
    }
    /// Right after settle(), before the first correction: where the pressure is a good share of the
    /// largest at walls, takes it to be far from its bound. find_active() will see if it is.
    void guess_near() {
        std::vector<float> least(blocks_.size()), most(blocks_.size());
        for_each_block([&](std::size_t i) {
            Lanes lowest = lanes(-std::numeric_limits<float>::infinity());
            Lanes highest = _mm256_setzero_ps();
            unsigned active = 0;
            for (const WallVector& w : vectors_.of(i)) {
                const Lanes low = _mm256_load_ps(low_[w.number].v);
                const Lanes in_s = w.mask_of_s(), p = _mm256_xor_ps(low, lanes(-0.f));
                lowest = _mm256_max_ps(lowest, low);  // minus infinity where there is no bound
                highest = _mm256_max_ps(highest, _mm256_and_ps(in_s, p));
                active |= w.active;
            }
            least[i] = active ? 0 : -largest_lane(lowest);
            most[i] = largest_lane(highest);
        });
        const float far = kFar * *std::max_element(most.begin(), most.end());
        for (std::size_t i = 0; i < blocks_.size(); ++i)
            low_.set_near(blocks_[i], !(least[i] > far));
        guessed_ = true;
    }
    /// r -= alpha A d, where d is the search direction; then the same with p + step d for p.
    /// Returns the natural residual in all blocks, or a little more.
    double descend(PcgPasses<D>& it, double alpha, double step, double unit) {
        const double worst =
            it.descend(alpha, &low_, [&](int b) { return settle_block(it, b, step, unit); });
        subtract_clips(it);
        return unit * worst;
    }

    /// Blocks whose pressure is far from its bound need no looking after: they are *late* from now
    /// on, ordinary ones. Right after it.search() only.
    void let_be(PcgPasses<D>& it) const {
        for (int b : blocks_)
            if (!low_.is_near(b)) it.set_late(b);
    }
    /// Holds the active cells at p = 0 from the next cycle on: what is left is a linear problem,
    /// without bounds to mind, and judge() tells whether it was the right one. Right after
    /// descend(). Returns whether r is as it was and the last direction leaves these cells alone.
    bool hold_active(PcgPasses<D>& it, Multigrid<D>& multigrid, double unit) {
        const double p_scale = level_.weight / unit;
        std::vector<std::size_t> from(blocks_.size() + 1);
        for (std::size_t i = 0; i < blocks_.size(); ++i)
            from[i + 1] = from[i] + vectors_.active_count(i);
        held_.resize(from.back());
        std::vector<std::uint8_t> off(blocks_.size());  // whether some cell is not at its bound
        for_each_block([&](std::size_t i) {
            std::size_t next = from[i];
            vectors_.for_each_active(i, [&](int b, int o) {
                held_[next++] = split_place<D>(b, o);
                off[i] |= p_.block(b)[o] != 0 || it.last(b, o) != 0;
            });
        });
        // Cells that came to their bound in the last cycles may be a little off it. Their columns
        // reach into other blocks: one after the other.
        for (std::size_t i = 0; i < blocks_.size(); ++i) {
            if (!off[i]) continue;
            vectors_.for_each_active(i, [&](int b, int o) {
                double& p = p_.block(b)[o];
                if (p != 0) subtract_column(it, b, {o, static_cast<float>(-p * p_scale)});
                p = 0;
            });
        }
        multigrid.hold(held_);
        forget_held(it);
        for (int b : blocks_) low_.set_near(b, false);
        is_held_ = true;
        return std::none_of(off.begin(), off.end(), [](std::uint8_t some) { return some; });
    }
    bool is_held() const { return is_held_; }
    /// Whenever r was computed afresh: it is not looked at where cells are held.
    void forget_held(PcgPasses<D>& it) const {
        parallel_for(held_.size(), 64, [&](std::size_t i) { it.forget_row(held_[i]); });
    }
    /// Right after judge(), with cells held: goes on with them if it found just these active. If
    /// not, minds the bounds of all blocks again, and returns false.
    bool hold_on_or_release(PcgPasses<D>& it, Multigrid<D>& multigrid, double unit) {
        std::size_t same = 0;
        for (std::size_t i = 0; i < blocks_.size(); ++i)
            vectors_.for_each_active(
                i, [&](int, int o) { same += judged_[i][o / 64] >> (o % 64) & 1; });
        if (same == held_.size() && same == judged_count()) {
            forget_held(it);
            return true;
        }
        multigrid.release();
        held_.clear();
        is_held_ = false;
        look_after_again(it, unit, true);
        return false;
    }

    /// Right after judge(): looks after blocks again in which it found active cells, or after all,
    /// as at the start.
    void look_after_again(PcgPasses<D>& it, double unit, bool all) {
        for (std::size_t i = 0; i < blocks_.size(); ++i) {
            if (!all && !any<D>(judged_[i])) continue;
            it.set_early(blocks_[i]);
            low_.set_near(blocks_[i], true);
        }
        (void)settle(it, unit);
    }

    /// The natural residual in all blocks, in double on the true system, and who is active. r
    /// becomes the residual of p. It alone tells if a block that was let be came to its bound.
    double judge(PcgPasses<D>& it, double unit) {
        std::fill(judged_.begin(), judged_.end(), CellMask<D>{});
        return it.true_residual(
            unit, [&](const ResidualBlock<D>& rows, int b, int y, int z, detail::Row& row) {
                unsigned who;
                const detail::Row natural = natural_row(lcp_, rows, b, y, z, row, who);
                judged_[vectors_.number(b)][z] |= static_cast<std::uint64_t>(who) << (kSide * y);
                return natural;
            });
    }
    /// Marks in the active set whom judge() found active. Returns how many that are.
    std::size_t mark_judged() {
        for_each_block(
            [&](std::size_t i) { store_marks<D>(judged_[i], active_.block(blocks_[i])); });
        return judged_count();
    }

    /// The largest p that settle() put to zero, in the units of r.
    double largest_rise() const { return largest_rise_; }

private:
    /// A correction is about a tenth of the last one: p that is as large as that is safe, but for
    /// what a set that still changes does. (Four times as large gives the same cycles.)
    static constexpr float kNear = 1;
    /// From one step to the next pressure seldom changes by more than this share of the largest.
    static constexpr float kFar = 0.1f;

    /// A cell whose p was raised to zero.
    struct Clip {
        int offset;
        float rise;  // in the units of r
    };

    std::size_t judged_count() const {
        std::size_t n = 0;
        for (const CellMask<D>& cells : judged_) n += count<D>(cells);
        return n;
    }
    /// What settle() does in one block, but for what its clips do to r.
    float settle_block(PcgPasses<D>& it, int b, double step, double unit) {
        const double p_scale = level_.weight / unit;
        const SplitField<D>& r = it.r();
        const int i = vectors_.number(b);
        it.advance(b, step);
        double* p = p_.block(b);
        Lanes largest = _mm256_setzero_ps();
        for (const WallVector& v : vectors_.of(i)) {
            Lanes q = v.load(p, p_scale);
            if (_mm256_movemask_ps(q) & v.in_s) {  // some are below zero
                clip(p, v, p_scale, clips_[i]);
                q = v.load(p, p_scale);
            }
            const Lanes in_s = v.mask_of_s(), sign = lanes(-0.f), zero = _mm256_setzero_ps();
            const Lanes none = lanes(-std::numeric_limits<float>::infinity());
            _mm256_store_ps(low_[v.number].v, _mm256_blendv_ps(none, _mm256_xor_ps(q, sign), in_s));
            const Lanes w = _mm256_xor_ps(_mm256_load_ps(r.half(b, v.colour) + 8 * v.v), sign);
            // min(a_ii p, w), but w itself where p > 0: that is at least as much, and spares the
            // diagonal. Only cells on their way to their bound have p > 0 and a large w.
            const Lanes presses = _mm256_cmp_ps(q, zero, _CMP_GT_OQ);
            Lanes natural = _mm256_blendv_ps(_mm256_min_ps(w, zero), w, presses);
            if (_mm256_movemask_ps(presses) & v.active)
                natural = _mm256_min_ps(
                    w, _mm256_div_ps(q, _mm256_load_ps(level_.mixed[v.number].inverse)));
            largest = _mm256_max_ps(largest, _mm256_andnot_ps(sign, _mm256_and_ps(in_s, natural)));
        }
        return largest_lane(largest);
    }
    void subtract_clips(PcgPasses<D>& it) {
        largest_rise_ = 0;
        for (std::size_t i = 0; i < blocks_.size(); ++i)
            for (const Clip& c : clips_[i]) {
                subtract_column(it, blocks_[i], c);
                largest_rise_ = std::max<double>(largest_rise_, c.rise);
            }
        if (largest_rise_ == 0) return;
        if (lcp_.system.bodies) subtract_bodies(it);
        for (std::vector<Clip>& clips : clips_) clips.clear();
    }

    /// What a cell's change makes stale: bits of the faces of its block that it lies at, and
    /// kSelf.
    static constexpr std::uint8_t kSelf = 64;
    static std::uint8_t touched_by(const Index<D>& cell) {
        unsigned bits = kSelf;
        for (int axis = 0; axis < D; ++axis) {
            if (cell[axis] == 0) bits |= 1u << (2 * axis);
            if (cell[axis] == kSide - 1) bits |= 2u << (2 * axis);
        }
        return static_cast<std::uint8_t>(bits);
    }

    /// The largest |r_i| of a block's cells outside S, those without a bound, in rows that are not
    /// plain: of others true_residual() knows.
    float largest_off_walls(const SplitField<D>& r, int b) const {
        const BlockKinds& k = level_.kinds[b];
        const Lanes free = lanes(-std::numeric_limits<float>::infinity());
        const Lanes magnitude = _mm256_castsi256_ps(_mm256_set1_epi32(0x7fffffff));
        Lanes worst = _mm256_setzero_ps();
        for (int t = 0; t < 2; ++t) {
            const auto keep = [&](int v, Lanes mask) SLOSH_INLINE {
                const Lanes value = _mm256_load_ps(r.half(b, t) + 8 * v);
                worst = _mm256_max_ps(worst, _mm256_and_ps(mask, value));
            };
            for (std::uint32_t bits = k.plain[t] & ~k.plain[1 - t]; bits; bits &= bits - 1)
                keep(std::countr_zero(bits), magnitude);
            std::uint32_t number = k.first[t];
            for (std::uint32_t bits = k.mixed[t]; bits; bits &= bits - 1, ++number) {
                const Lanes low = _mm256_load_ps(low_[number].v);
                keep(std::countr_zero(bits),
                     _mm256_and_ps(magnitude, _mm256_cmp_ps(low, free, _CMP_EQ_OQ)));
            }
        }
        return largest_lane(worst);
    }

    static void clip(double* p, const WallVector& v, double scale, std::vector<Clip>& clips) {
        for (unsigned bits = v.in_s; bits; bits &= bits - 1) {
            const int lane = std::countr_zero(bits), o = split_cell<D>(v.colour, v.v, lane);
            if (p[o] >= 0) continue;
            clips.push_back({o, static_cast<float>(-p[o] * scale)});
            p[o] = 0;
        }
    }
    /// r -= A e, where e is the rise of one cell.
    void subtract_column(PcgPasses<D>& it, int b, const Clip& clip) const {
        const StencilRow<D> row(level_, b, clip.offset);
        for (int side = 0; side < 2 * D; ++side)
            if (row.c[side] > 0) it.r(row.near[side]) += row.c[side] * clip.rise;
        it.r(b, clip.offset) -= row.diagonal * clip.rise;
    }
    /// r -= F F^T e, where e is the rise of all clipped cells.
    void subtract_bodies(PcgPasses<D>& it) {
        if (rise_.bytes() == 0) rise_ = SplitField<D>(level_.size());
        const auto each = [&](const auto& body) {
            for (std::size_t i = 0; i < blocks_.size(); ++i)
                for (const Clip& c : clips_[i])
                    body(split_place<D>(blocks_[i], c.offset).in(rise_), c);
        };
        each([](float& e, const Clip& c) { e = c.rise; });
        it.subtract_bodies(rise_);
        each([](float& e, const Clip&) { e = 0; });
    }
    template <class Body>
    void for_each_block(const Body& body) const {
        parallel_for(blocks_.size(), 16, body);
    }

    const BlockLcp<D>& lcp_;
    const MultigridLevel<D>& level_;
    Field<double, D>& p_;
    Field<std::uint8_t, D>& active_;
    LowerBounds low_;
    WallVectors<D> vectors_;
    const std::vector<int>& blocks_;        // those of vectors_
    std::vector<std::uint8_t> stale_;       // by block: touched_by() of cells that changed
    std::vector<std::vector<Clip>> clips_;  // by block
    std::vector<CellMask<D>> judged_;       // by block: who is active, of p in double
    std::vector<SplitPlace<D>> held_;       // cells held at p = 0
    bool is_held_ = false;
    bool guessed_ = false;  // guess_near() said where bounds are near, not yet find_active()
    double largest_rise_ = 0;
    SplitField<D> rise_;  // zero between uses
};

}  // namespace slosh
