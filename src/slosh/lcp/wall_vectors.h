// The vectors of the multigrid's layout (linear/split.h) that hold cells of S (internal to
// auto.cpp).
#pragma once

#include <bit>
#include <limits>
#include <span>
#include <vector>

#include "slosh/lcp/problem.h"
#include "slosh/linear/cell_mask.h"
#include "slosh/linear/multigrid_kernels.h"

namespace slosh {

struct WallVector {
    std::uint32_t number;       ///< In the level's mixed lists.
    std::uint8_t colour, v;     ///< Of its block.
    std::uint8_t in_s, active;  ///< Lanes.

    /// All ones in the lanes of S.
    Lanes mask_of_s() const {
        const __m256i bit = _mm256_set_epi32(128, 64, 32, 16, 8, 4, 2, 1);
        return _mm256_castsi256_ps(
            _mm256_cmpeq_epi32(_mm256_and_si256(_mm256_set1_epi32(in_s), bit), bit));
    }
    /// Of the block's values p, stored x fastest, those of the vector's cells, scaled.
    Lanes load(const double* p, double scale) const {
        const __m256d s = _mm256_set1_pd(scale);
        __m128 rows[2];
        for (int half = 0; half < 2; ++half) {
            const double* row = p + 16 * v + kSide * half;
            const __m256d low = _mm256_load_pd(row), high = _mm256_load_pd(row + 4);
            const bool odd = (half + (v >> 2) + colour) & 1;
            const __m256d mine =
                odd ? _mm256_unpackhi_pd(low, high) : _mm256_unpacklo_pd(low, high);
            rows[half] = _mm256_cvtpd_ps(_mm256_mul_pd(_mm256_permute4x64_pd(mine, 0xd8), s));
        }
        return _mm256_set_m128(rows[1], rows[0]);
    }
};

/// Block by block, with the lanes that are in S and those that are active.
template <int D>
class WallVectors {
public:
    /// `low` gets no bounds in the other mixed vectors of blocks with cells of S; those of S are
    /// left to whoever knows them.
    WallVectors(const BlockLcp<D>& lcp, const MultigridLevel<D>& level,
                const Field<std::uint8_t, D>& active, LowerBounds& low) {
        find_blocks(lcp, level);
        std::vector<std::size_t> cells(blocks_.size());
        parallel_for(blocks_.size(), 16, [&](std::size_t i) {
            const int b = blocks_[i];
            cells[i] = find_vectors(i, level.kinds[b], nonzero<D>(lcp.constrained.block(b)),
                                    nonzero<D>(active.block(b)), low);
        });
        for (std::size_t n : cells) constrained_ += n;
    }

    /// Blocks that hold cells of S.
    const std::vector<int>& blocks() const { return blocks_; }
    /// Of a block of the grid that holds some: where it is in blocks().
    int number(int b) const { return number_[b]; }
    /// Cells of S.
    std::size_t constrained_count() const { return constrained_; }

    /// The vectors of blocks()[i].
    std::span<WallVector> of(std::size_t i) {
        return {vectors_.data() + first_[i], last_[i] - first_[i]};
    }
    std::span<const WallVector> of(std::size_t i) const {
        return {vectors_.data() + first_[i], last_[i] - first_[i]};
    }
    /// body(block, offset) for the active cells of blocks()[i].
    template <class Body>
    void for_each_active(std::size_t i, const Body& body) const {
        for (const WallVector& w : of(i))
            for (unsigned bits = w.active; bits; bits &= bits - 1)
                body(blocks_[i], split_cell<D>(w.colour, w.v, std::countr_zero(bits)));
    }
    std::size_t active_count(std::size_t i) const {
        std::size_t n = 0;
        for (const WallVector& w : of(i)) n += static_cast<std::size_t>(std::popcount(w.active));
        return n;
    }

private:
    /// The blocks that hold cells of S, with room for all of their mixed vectors.
    void find_blocks(const BlockLcp<D>& lcp, const MultigridLevel<D>& level) {
        std::vector<std::uint8_t> marks(level.live.size());
        parallel_for(marks.size(), 16, [&](std::size_t i) {
            marks[i] = any_nonzero<D>(lcp.constrained.block(level.live[i]));
        });
        number_.resize(level.size());
        std::size_t room = 0;
        for (std::size_t i = 0; i < marks.size(); ++i) {
            if (!marks[i]) continue;
            const int b = level.live[i];
            number_[b] = static_cast<int>(blocks_.size());
            blocks_.push_back(b);
            first_.push_back(room);
            room += level.kinds[b].mixed_count();
        }
        last_.resize(blocks_.size());
        vectors_.resize(room);
    }
    /// Lists the vectors of blocks_[i] that hold cells of S. Returns how many cells that are.
    std::size_t find_vectors(std::size_t i, const BlockKinds& k, const CellMask<D>& in_s,
                             const CellMask<D>& active, LowerBounds& low) {
        const bool some_active = any<D>(active);
        const Lanes none = lanes(-std::numeric_limits<float>::infinity());
        std::size_t next = first_[i], cells = 0;
        for (int t = 0; t < 2; ++t) {
            std::uint32_t in_s_lanes[kPlanes<D>], active_lanes[kPlanes<D>] = {};
            for (int z = 0; z < kPlanes<D>; ++z) {
                in_s_lanes[z] = lanes_of(in_s[z], t, z);
                if (some_active) active_lanes[z] = lanes_of(active[z], t, z);
            }
            std::uint32_t number = k.first[t];
            for (std::uint32_t bits = k.mixed[t]; bits; bits &= bits - 1, ++number) {
                const int v = std::countr_zero(bits), first = 8 * (v & 3);
                const auto of_s = static_cast<std::uint8_t>(in_s_lanes[v >> 2] >> first);
                const auto now = static_cast<std::uint8_t>(active_lanes[v >> 2] >> first & of_s);
                // Without a branch, which nobody could guess: what is not of S is overwritten.
                _mm256_store_ps(low[number].v, none);
                vectors_[next] = {number, static_cast<std::uint8_t>(t),
                                  static_cast<std::uint8_t>(v), of_s, now};
                next += of_s != 0;
                cells += static_cast<std::size_t>(std::popcount(of_s));
            }
        }
        last_[i] = next;
        return cells;
    }

    /// The cells of colour t among a plane's, as bits by lane: eight for each of its four vectors.
    static std::uint32_t lanes_of(std::uint64_t cells, int t, int z) {
        constexpr std::uint64_t kEvenRows = 0x0055005500550055ull, kOddRows = kEvenRows << 8;
        // The row's cells are x = 2k + odd: to 2k, and then together.
        const bool swapped = (z + t) & 1;
        std::uint64_t v = swapped ? (cells >> 1 & kEvenRows) | (cells & kOddRows)
                                  : (cells & kEvenRows) | (cells >> 1 & kOddRows);
        v = (v | v >> 1) & 0x3333333333333333ull;
        v = (v | v >> 2) & 0x0f0f0f0f0f0f0f0full;
        v = (v | v >> 4) & 0x00ff00ff00ff00ffull;
        v = (v | v >> 8) & 0x0000ffff0000ffffull;
        return static_cast<std::uint32_t>(v | v >> 16);
    }

    std::vector<int> blocks_;
    std::vector<WallVector> vectors_;
    std::vector<std::size_t> first_, last_;  // of each block, in vectors_
    std::vector<int> number_;                // in blocks_, of each block of the grid
    std::size_t constrained_ = 0;
};

}  // namespace slosh
