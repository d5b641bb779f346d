// Sums the arrays of a level up to the next, eight cells at a time.
#include <algorithm>

#include "slosh/linear/cell_mask.h"
#include "slosh/linear/multigrid_build.h"
#include "slosh/linear/split_stencil.h"

namespace slosh {

namespace {

/// The excess a cell passes on to its coarse cell. A surface that touches the cell's centre
/// (e = infinity) is about half a fine cell from the coarse centre, which bounds what may be
/// passed. Passing half of it, as for faces, costs twice the iterations.
inline Lanes carried(Lanes e, Lanes bound) {
    return _mm256_div_ps(e, _mm256_add_ps(lanes(1), _mm256_div_ps(e, bound)));
}

/// A block's excess and lower-face coefficients, as they are in the fields or, once cells were
/// taken out, in copies.
template <int D>
struct BlockArrays {
    const float* c[D];

    BlockArrays(const PlainArrays<D>& fine, int b)
        : e_(fine.excess->block(b)), unknown_(fine.unknown ? fine.unknown->block(b) : nullptr) {
        for (int d = 0; d < D; ++d) c[d] = fine.coefficient->axis(d).block(b);
    }

    /// The excess of the eight cells from o; zero where there is no unknown.
    Lanes excess(int o) const {
        const Lanes e = _mm256_load_ps(e_ + o);
        if (!unknown_) return e;
        const __m256i marks =
            _mm256_cvtepu8_epi32(_mm_loadl_epi64(reinterpret_cast<const __m128i*>(unknown_ + o)));
        const __m256i none = _mm256_cmpeq_epi32(marks, _mm256_setzero_si256());
        return _mm256_andnot_ps(_mm256_castsi256_ps(none), e);
    }

    /// Takes active cells out: for their neighbours they are what air would be.
    void remove(const PlainArrays<D>& fine, const MultigridLevel<D>& level, int b) {
        const auto mask_of = [&](int block) { return nonzero<D>(fine.active->block(block)); };
        const CellMask<D> self = mask_of(b);
        for (int o = 0; o < kBlockCells<D>; o += kSide) _mm256_store_ps(changed_e_ + o, excess(o));
        e_ = changed_e_;
        unknown_ = nullptr;
        for (int d = 0; d < D; ++d) {
            std::copy_n(c[d], kBlockCells<D>, changed_[d]);
            c[d] = changed_[d];
        }
        for (int d = 0; d < D; ++d) {
            const Field<float, D>& from = fine.coefficient->axis(d);
            const int upper = level.faces[b][2 * d + 1];
            const int step = d == 0 ? 1 : d == 1 ? kSide : kSide * kSide;
            each(from_below<D>(self, mask_of(level.faces[b][2 * d]), d), [&](int o) {
                changed_e_[o] += changed_[d][o];
                changed_[d][o] = 0;
            });
            each(from_above<D>(self, mask_of(upper), d), [&](int o) {
                const bool inside = local_cell<D>(o)[d] < kSide - 1;
                changed_e_[o] +=
                    inside ? from.block(b)[o + step] : from.block(upper)[o - (kSide - 1) * step];
            });
        }
        each(self, [&](int o) {
            changed_e_[o] = 0;
            for (int d = 0; d < D; ++d) changed_[d][o] = 0;
        });
    }

private:
    const float* e_;
    const std::uint8_t* unknown_;  // null: e_ is zero where there is none
    alignas(32) float changed_[D][kBlockCells<D>];
    alignas(32) float changed_e_[kBlockCells<D>];

    template <class Body>
    static void each(const CellMask<D>& m, const Body& body) {
        for (int z = 0; z < kPlanes<D>; ++z)
            for (std::uint64_t bits = m[z]; bits; bits &= bits - 1)
                body(64 * z + std::countr_zero(bits));
    }
};

/// The sums of neighbouring lanes, and every second lane.
inline __m128 pairs(Lanes v) {
    return _mm_hadd_ps(_mm256_castps256_ps128(v), _mm256_extractf128_ps(v, 1));
}
inline __m128 evens(Lanes v) {
    return _mm_shuffle_ps(_mm256_castps256_ps128(v), _mm256_extractf128_ps(v, 1),
                          _MM_SHUFFLE(2, 0, 2, 0));
}

/// One octant of a coarse block from a fine block.
template <int D>
void sum_up(const BlockArrays<D>& fine, float weight, int octant, int B, CoarseArrays<D>& coarse) {
    const Lanes bound = lanes(3 * weight);
    const __m128 half = _mm_set1_ps(0.5f);
    for (int z = 0; z < (D == 3 ? 4 : 1); ++z)
        for (int y = 0; y < 4; ++y) {
            const int to = 4 * (octant & 1) + kSide * (y + 4 * (octant >> 1 & 1)) +
                           64 * (z + 4 * (octant >> 2 & 1));
            Lanes e = _mm256_setzero_ps(), sum[D];
            for (Lanes& s : sum) s = _mm256_setzero_ps();
            for (int child = 0; child < (D == 3 ? 4 : 2); ++child) {
                const int in_y = child & 1, in_z = child >> 1;
                const int o = kSide * (2 * y + in_y) + 64 * (2 * z + in_z);
                const Lanes mine = fine.excess(o);
                if (_mm256_movemask_ps(_mm256_cmp_ps(mine, _mm256_setzero_ps(), _CMP_NEQ_UQ)))
                    e = _mm256_add_ps(e, carried(mine, bound));
                sum[0] = _mm256_add_ps(sum[0], _mm256_load_ps(fine.c[0] + o));
                if (!in_y) sum[1] = _mm256_add_ps(sum[1], _mm256_load_ps(fine.c[1] + o));
                if constexpr (D == 3)
                    if (!in_z) sum[2] = _mm256_add_ps(sum[2], _mm256_load_ps(fine.c[2] + o));
            }
            _mm_storeu_ps(coarse.excess.block(B) + to, pairs(e));
            _mm_storeu_ps(coarse.coefficient.axis(0).block(B) + to,
                          _mm_mul_ps(half, evens(sum[0])));
            for (int d = 1; d < D; ++d)
                _mm_storeu_ps(coarse.coefficient.axis(d).block(B) + to,
                              _mm_mul_ps(half, pairs(sum[d])));
        }
}

/// The same for a list of blocks; has_active(block) tells if any of its cells is active.
template <int D, class HasActive>
void coarsen_blocks(const PlainArrays<D>& fine, const MultigridLevel<D>& level,
                    const std::vector<int>& fine_blocks, const HasActive& has_active,
                    CoarseArrays<D>& coarse) {
    const Coarsening<D>& up = level.coarsening;
    const float plain = level.weight * (D == 3 ? 2 : 1);
    const auto touches_active = [&](int b) {
        return has_active(b) ||
               std::any_of(level.faces[b].begin(), level.faces[b].end(), has_active);
    };
    parallel_for(fine_blocks.size(), 4, [&](std::size_t i) {
        const int b = fine_blocks[i], B = up.parent[b], octant = up.octant[b];
        const bool is_empty = level.is_empty(b);
        if (!is_empty && !level.is_plain(b)) {
            BlockArrays<D> arrays(fine, b);
            if (fine.active && touches_active(b)) arrays.remove(fine, level, b);
            sum_up(arrays, level.weight, octant, B, coarse);
            return;
        }
        for (int z = 0; z < (D == 3 ? 4 : 1); ++z)
            for (int y = 0; y < 4; ++y) {
                const int to = 4 * (octant & 1) + kSide * (y + 4 * (octant >> 1 & 1)) +
                               64 * (z + 4 * (octant >> 2 & 1));
                std::fill_n(coarse.excess.block(B) + to, 4, 0.0f);  // once perhaps there was some
                for (int d = 0; d < D; ++d)
                    std::fill_n(coarse.coefficient.axis(d).block(B) + to, 4, is_empty ? 0 : plain);
            }
    });
}

}  // namespace

template <int D>
void coarsen_arrays(const PlainArrays<D>& fine, const MultigridLevel<D>& level,
                    const std::vector<int>& fine_blocks, CoarseArrays<D>& coarse) {
    const auto has_active = [&](int b) { return any_nonzero<D>(fine.active->block(b)); };
    coarsen_blocks(fine, level, fine_blocks, has_active, coarse);
}

template <int D>
CoarseArrays<D> coarsen_arrays(const PlainArrays<D>& fine, const MultigridLevel<D>& level) {
    const BlocksPtr<D>& blocks = level.coarsening.coarse;
    CoarseArrays<D> coarse{FaceField<float, D>(blocks), Field<float, D>(blocks)};
    // Every block is asked, by itself and by its neighbours: looked at once, not seven times.
    std::vector<std::uint8_t> active(level.size() + 1, 0);
    if (fine.active)
        parallel_for(level.live.size(), 64, [&](std::size_t i) {
            active[level.live[i]] = any_nonzero<D>(fine.active->block(level.live[i]));
        });
    coarsen_blocks(
        fine, level, level.live, [&](int b) { return active[b] != 0; }, coarse);
    return coarse;
}

template CoarseArrays<2> coarsen_arrays<2>(const PlainArrays<2>&, const MultigridLevel<2>&);
template CoarseArrays<3> coarsen_arrays<3>(const PlainArrays<3>&, const MultigridLevel<3>&);
template void coarsen_arrays<2>(const PlainArrays<2>&, const MultigridLevel<2>&,
                                const std::vector<int>&, CoarseArrays<2>&);
template void coarsen_arrays<3>(const PlainArrays<3>&, const MultigridLevel<3>&,
                                const std::vector<int>&, CoarseArrays<3>&);

}  // namespace slosh
