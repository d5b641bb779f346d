// Sorts the vectors of a level into plain, mixed and empty ones by bit masks, then copies the
// coefficients of the mixed ones.
#include <atomic>
#include <bit>

#include "slosh/linear/cell_mask.h"
#include "slosh/linear/multigrid_build.h"

namespace slosh {

namespace {

/// Cells of colour t in two rows of plane z, as the 16 bits of a vector's rows.
constexpr std::uint64_t colour_bits(int t, int z) {
    return ((z + t) & 1) ? 0x55aa : 0xaa55;
}

template <int D>
struct BlockCells {
    CellMask<D> plain, live;  // all coefficients `weight` and no excess; any coefficient at all
};

template <int D>
BlockCells<D> sort_cells(const PlainArrays<D>& A, int b, float weight) {
    BlockCells<D> r;
    r.plain = compare<D, _CMP_EQ_OQ>(A.excess->block(b), 0);
    r.live = compare<D, _CMP_GT_OQ>(A.excess->block(b), 0);
    for (int axis = 0; axis < D; ++axis) {
        const Field<float, D>& f = A.coefficient->axis(axis);
        const int above = f.blocks().neighbour(b, face_code<D>(2 * axis + 1));
        const auto full = compare<D, _CMP_EQ_OQ>(f.block(b), weight);
        const auto open = compare<D, _CMP_GT_OQ>(f.block(b), 0);
        const auto full_up = from_above<D>(
            full, compare_first_layer<D, _CMP_EQ_OQ>(f.block(above), weight, axis), axis);
        const auto open_up =
            from_above<D>(open, compare_first_layer<D, _CMP_GT_OQ>(f.block(above), 0, axis), axis);
        for (int z = 0; z < kPlanes<D>; ++z) {
            r.plain[z] &= full[z] & full_up[z];
            r.live[z] |= open[z] | open_up[z];
        }
    }
    if (A.unknown) {
        const auto unknown = nonzero<D>(A.unknown->block(b));
        for (int z = 0; z < kPlanes<D>; ++z) {
            r.plain[z] &= unknown[z];
            r.live[z] &= unknown[z];
        }
    }
    if (A.constrained) {
        const auto constrained = nonzero<D>(A.constrained->block(b));
        for (int z = 0; z < kPlanes<D>; ++z) r.plain[z] &= ~constrained[z];
    }
    return r;
}

/// One bit for each of a plane's four vectors: whether any of its 16 bits is set.
inline std::uint32_t any_of_vectors(std::uint64_t cells) {
    constexpr std::uint64_t kTop = 0x8000800080008000ull;
    // Anything but zero carries into the top bit of its 16 ...
    const std::uint64_t top = (((cells & ~kTop) + ~kTop) | cells) & kTop;
    // ... and the four meet side by side in a product none of whose other terms reach up there.
    return static_cast<std::uint32_t>((top >> 15) * 0x0001000200040008ull >> 48);
}

/// Without branches: which vectors are plain follows no pattern.
template <int D>
void sort_vectors(const BlockCells<D>& cells, BlockKinds& kinds) {
    for (int z = 0; z < kPlanes<D>; ++z)
        for (int t = 0; t < 2; ++t) {
            const std::uint64_t colour = 0x0001000100010001ull * colour_bits(t, z);
            const std::uint32_t plain = ~any_of_vectors(~cells.plain[z] & colour) & 0xf;
            const std::uint32_t live = any_of_vectors(cells.live[z] & colour);
            kinds.plain[t] |= plain << (4 * z);
            kinds.mixed[t] |= (live & ~plain) << (4 * z);
        }
}

/// Every second value of a row: those at even x, or at odd x.
inline __m128 pick(const float* row, int odd) {
    const __m128 low = _mm_load_ps(row), high = _mm_load_ps(row + 4);
    return odd ? _mm_shuffle_ps(low, high, _MM_SHUFFLE(3, 1, 3, 1))
               : _mm_shuffle_ps(low, high, _MM_SHUFFLE(2, 0, 2, 0));
}

/// All ones in the lanes of a row's cells x = 2k + odd whose bit is set.
inline __m128 lane_mask(std::uint64_t row_bits, int odd) {
    const __m128i bit = odd ? _mm_set_epi32(128, 32, 8, 2) : _mm_set_epi32(64, 16, 4, 1);
    const __m128i all = _mm_set1_epi32(static_cast<int>(row_bits & 0xff));
    return _mm_castsi128_ps(_mm_cmpeq_epi32(_mm_and_si128(all, bit), bit));
}

/// Copies the coefficients of a block's mixed vectors.
template <int D>
class Copier {
public:
    Copier(const PlainArrays<D>& A, int b, float weight)
        : cx_(A.coefficient->axis(0), b),
          cy_(A.coefficient->axis(1), b),
          cz_(A.coefficient->axis(D - 1), b),
          excess_(A.excess->block(b)),
          scale_(_mm_set1_ps(1 / weight)) {}

    ExactVector<D> copy(int t, int v, const CellMask<D>& live) const {
        ExactVector<D> e;
        const int z = v >> 2;
        for (int half = 0; half < 2; ++half) {
            const int y = 2 * (v & 3) + half, odd = (y + z + t) & 1, row = 64 * z + kSide * y;
            const __m128 scale = _mm_and_ps(scale_, lane_mask(live[z] >> (8 * y), odd));
            const auto put = [&](float* to, __m128 value) {
                _mm_store_ps(to + 4 * half, _mm_mul_ps(value, scale));
            };
            // The face between x = 2k and 2k + 1 leads to the own neighbour, whichever of the two
            // the cell is; the shifted one is across the other face.
            put(e.c[0], pick(cx_.self + row, 1));
            __m128 even = pick(cx_.self + row, 0);
            if (odd) {
                const __m128 right = _mm_set_ss(cx_.right(y, z));
                even = _mm_castsi128_ps(
                    _mm_alignr_epi8(_mm_castps_si128(right), _mm_castps_si128(even), 4));
            }
            put(e.c[1], even);
            put(e.c[2], pick(cy_.self + row, odd));
            put(e.c[3], pick(cy_.row(y + 1, z), odd));
            if constexpr (D == 3) {
                put(e.c[4], pick(cz_.self + row, odd));
                put(e.c[5], pick(cz_.row(y, z + 1), odd));
            }
            put(e.excess, pick(excess_ + row, odd));
        }
        return e;
    }

private:
    BlockRows<float, D> cx_, cy_, cz_;
    const float* excess_;
    __m128 scale_;
};

/// Rounds the coefficients to 16 bits. The diagonal is that of the rounded row, so a constant
/// stays in the null space of a pocket.
template <int D>
void round_to_mixed(const ExactVector<D>& e, MixedVector<D>& m) {
    __m256 diagonal = _mm256_load_ps(e.excess);
    const __m256i upper_half = _mm256_set1_epi32(static_cast<int>(0xffff0000u));
    const auto rounded = [&](int side) {
        const __m256i c = _mm256_load_si256(reinterpret_cast<const __m256i*>(e.c[side]));
        const __m256i r =
            _mm256_and_si256(_mm256_add_epi32(c, _mm256_set1_epi32(0x8000)), upper_half);
        diagonal = _mm256_add_ps(diagonal, _mm256_castsi256_ps(r));
        return r;
    };
    for (int axis = 0; axis < D; ++axis) {
        const __m256i first = rounded(2 * axis), second = rounded(2 * axis + 1);
        _mm256_store_si256(reinterpret_cast<__m256i*>(m.c[axis]),
                           _mm256_or_si256(_mm256_srli_epi32(first, 16), second));
    }
    const __m256 live = _mm256_cmp_ps(diagonal, _mm256_setzero_ps(), _CMP_GT_OQ);
    _mm256_store_ps(m.inverse, _mm256_and_ps(live, _mm256_div_ps(_mm256_set1_ps(1), diagonal)));
}

/// Sorts the cells and vectors of a block; returns the cells that hold unknowns.
template <int D>
CellMask<D> sort_block(const PlainArrays<D>& A, int b, MultigridLevel<D>& level) {
    const BlockCells<D> cells = sort_cells(A, b, level.weight);
    level.kinds[b] = {};
    sort_vectors(cells, level.kinds[b]);
    return cells.live;
}

template <int D>
void copy_block(const PlainArrays<D>& A, int b, const CellMask<D>& live, MultigridLevel<D>& level) {
    const BlockKinds& k = level.kinds[b];
    if ((k.mixed[0] | k.mixed[1]) == 0) return;
    const Copier<D> copier(A, b, level.weight);
    for (int t = 0; t < 2; ++t) {
        std::uint32_t number = k.first[t];
        for (std::uint32_t bits = k.mixed[t]; bits; bits &= bits - 1, ++number) {
            const ExactVector<D> e = copier.copy(t, std::countr_zero(bits), live);
            round_to_mixed(e, level.mixed[number]);
            if (level.exact.size() > 0) level.exact[number] = e;
        }
    }
}

}  // namespace

template <int D>
void build_level(const PlainArrays<D>& A, float weight, bool finest, int room,
                 MultigridLevel<D>& level) {
    const Blocks<D>& blocks = *level.blocks;
    const int n = blocks.size();
    level.weight = weight;
    level.faces.resize(n);
    level.kinds.assign(n, {});
    level.end.assign(n, {});
    const std::size_t live = level.live.size();
    std::vector<std::uint8_t> is_live(n + 1, 0);
    for (int b : level.live) is_live[b] = 1;
    std::vector<CellMask<D>> cells(live);
    std::vector<int> unknowns(live);
    parallel_for(live, 16, [&](std::size_t i) {
        const int b = level.live[i];
        for (int side = 0; side < 2 * D; ++side) {
            const int near = blocks.neighbour(b, face_code<D>(side));
            level.faces[b][side] = is_live[near] ? near : n;
        }
        cells[i] = sort_block(A, b, level);
        unknowns[i] = count<D>(cells[i]);
    });

    level.unknowns = 0;
    for (std::size_t i = 0; i < live; ++i) level.unknowns += unknowns[i];
    std::uint32_t next = 0;
    for (int t = 0; t < 2; ++t)
        for (int b : level.live) {
            BlockKinds& k = level.kinds[b];
            k.first[t] = next;
            next += k.mixed_count(t) + (k.mixed_count() > 0 ? room : 0);
            level.end[b][t] = next;
        }
    level.mixed = PageArray<MixedVector<D>>(next);
    if (finest) level.exact = PageArray<ExactVector<D>>(next);
    parallel_for(live, 16, [&](std::size_t i) { copy_block(A, level.live[i], cells[i], level); });
}

template <int D>
void rebuild_level(const PlainArrays<D>& A, const std::vector<int>& blocks,
                   MultigridLevel<D>& level) {
    std::atomic<bool> fits = true;
    parallel_for(blocks.size(), 4, [&](std::size_t i) {
        const int b = blocks[i];
        BlockKinds& k = level.kinds[b];
        const std::uint32_t first[2] = {k.first[0], k.first[1]};
        const CellMask<D> live = sort_block(A, b, level);
        bool has_room = true;
        for (int t = 0; t < 2; ++t) {
            k.first[t] = first[t];
            has_room &= first[t] + k.mixed_count(t) <= level.end[b][t];
        }
        if (!has_room)
            fits = false;
        else
            copy_block(A, b, live, level);
    });
    if (!fits) build_level(A, level.weight, false, kRoom, level);
}

template void build_level<2>(const PlainArrays<2>&, float, bool, int, MultigridLevel<2>&);
template void build_level<3>(const PlainArrays<3>&, float, bool, int, MultigridLevel<3>&);
template void rebuild_level<2>(const PlainArrays<2>&, const std::vector<int>&, MultigridLevel<2>&);
template void rebuild_level<3>(const PlainArrays<3>&, const std::vector<int>&, MultigridLevel<3>&);

}  // namespace slosh
