// What a multigrid does to one block of a level: relax, restrict, prolong, apply the operator.
#pragma once

#include <bit>

#include "slosh/base/inline.h"
#include "slosh/linear/call_ahead.h"
#include "slosh/linear/multigrid.h"
#include "slosh/linear/split_stencil.h"

namespace slosh {

/// Calls plain(z, m, parity) or mixed(number, z, m, parity) for every vector of colour T that
/// holds unknowns. parity is what neighbours() wants, number counts in the level's mixed lists.
template <int D, int T, class Plain, class Mixed>
inline SLOSH_INLINE void for_each_vector(const MultigridLevel<D>& level, int b, const Plain& plain,
                                         const Mixed& mixed) {
    const BlockKinds& k = level.kinds[b];
    if (k.plain[T] == MultigridLevel<D>::kAll) {
        for (int z = 0; z < kPlanes<D>; z += 2) {
            plain(z, 0, T);
            plain(z, 1, T);
            plain(z, 2, T);
            plain(z, 3, T);
            if constexpr (D == 3) {
                plain(z + 1, 0, 1 - T);
                plain(z + 1, 1, 1 - T);
                plain(z + 1, 2, 1 - T);
                plain(z + 1, 3, 1 - T);
            }
        }
        return;
    }
    for (std::uint32_t bits = k.plain[T]; bits; bits &= bits - 1) {
        const int v = std::countr_zero(bits);
        plain(v >> 2, v & 3, ((v >> 2) + T) & 1);
    }
    std::uint32_t number = k.first[T];
    for (std::uint32_t bits = k.mixed[T]; bits; bits &= bits - 1) {
        const int v = std::countr_zero(bits);
        mixed(number++, v >> 2, v & 3, ((v >> 2) + T) & 1);
    }
}

/// sum_j c_j x_j over the neighbours of a mixed vector.
template <int D>
inline SLOSH_INLINE Lanes weighted_sum(const MixedVector<D>& c, const Neighbours<D>& n) {
    const __m256i upper_half = _mm256_set1_epi32(static_cast<int>(0xffff0000u));
    Lanes s = _mm256_setzero_ps();
    for (int axis = 0; axis < D; ++axis) {
        const __m256i pair = _mm256_load_si256(reinterpret_cast<const __m256i*>(c.c[axis]));
        const Lanes first = _mm256_castsi256_ps(_mm256_slli_epi32(pair, 16));
        const Lanes second = _mm256_castsi256_ps(_mm256_and_si256(pair, upper_half));
        s = _mm256_fmadd_ps(first, n.v[2 * axis], s);
        s = _mm256_fmadd_ps(second, n.v[2 * axis + 1], s);
    }
    return s;
}

/// (A x) of a mixed vector, differences first: a large constant in x costs no digits.
template <int D>
inline SLOSH_INLINE Lanes apply(const ExactVector<D>& c, const Neighbours<D>& n, Lanes x) {
    Lanes s = _mm256_mul_ps(_mm256_load_ps(c.excess), x);
    for (int side = 0; side < 2 * D; ++side)
        s = _mm256_fmadd_ps(_mm256_load_ps(c.c[side]), _mm256_sub_ps(x, n.v[side]), s);
    return s;
}

/// (A x) of a plain vector, differences first.
template <int D>
inline SLOSH_INLINE Lanes apply(const Neighbours<D>& n, Lanes x) {
    Lanes s = _mm256_add_ps(_mm256_sub_ps(x, n.v[0]), _mm256_sub_ps(x, n.v[1]));
    s = _mm256_add_ps(s, _mm256_add_ps(_mm256_sub_ps(x, n.v[2]), _mm256_sub_ps(x, n.v[3])));
    if constexpr (D == 3)
        s = _mm256_add_ps(s, _mm256_add_ps(_mm256_sub_ps(x, n.v[4]), _mm256_sub_ps(x, n.v[5])));
    return s;
}

/// All ones in the lanes of a mixed vector that may move: unknowns above their bound.
template <int D, bool kBounded>
inline SLOSH_INLINE Lanes movable(const MixedVector<D>& c, Lanes x, const LowerBounds* low,
                                  std::uint32_t number) {
    const Lanes unknown = _mm256_cmp_ps(_mm256_load_ps(c.inverse), _mm256_setzero_ps(), _CMP_GT_OQ);
    if constexpr (!kBounded) return unknown;
    const Lanes above = _mm256_cmp_ps(x, _mm256_load_ps((*low)[number].v), _CMP_GT_OQ);
    return _mm256_and_ps(unknown, above);
}

/// One Gauss-Seidel half-sweep over colour T of a block: x becomes omega times the value that
/// solves its row, plus (1 - omega) x if kKeep.
template <int D, int T, bool kKeep = false>
inline void relax_block(const MultigridLevel<D>& level, int b, const SplitField<D>& rhs,
                        SplitField<D>& x, float omega = 1) {
    const SplitNear<D> near(x, level.faces[b], b, 1 - T);
    float* out = x.half(b, T);
    const float* f = rhs.half(b, T);
    const Lanes over = lanes(omega), share = lanes(omega / (2 * D)), kept = lanes(1 - omega);
    const auto keep = [&](int at, Lanes step) SLOSH_INLINE {
        return kKeep ? _mm256_fmadd_ps(kept, _mm256_load_ps(out + at), step) : step;
    };
    for_each_vector<D, T>(
        level, b,
        [&](int z, int m, int parity) SLOSH_INLINE {
            const int at = 32 * z + 8 * m;
            const Lanes s = neighbours(near, z, m, parity).sum();
            const Lanes step = _mm256_mul_ps(_mm256_add_ps(_mm256_load_ps(f + at), s), share);
            _mm256_store_ps(out + at, keep(at, step));
        },
        [&](std::uint32_t number, int z, int m, int parity) SLOSH_INLINE {
            const int at = 32 * z + 8 * m;
            const MixedVector<D>& c = level.mixed[number];
            call_ahead(level.mixed, number);
            const Lanes s = weighted_sum(c, neighbours(near, z, m, parity));
            const Lanes step = _mm256_mul_ps(_mm256_add_ps(_mm256_load_ps(f + at), s),
                                             _mm256_mul_ps(over, _mm256_load_ps(c.inverse)));
            _mm256_store_ps(out + at, keep(at, step));
        });
}

/// A half-sweep over the mixed vectors only.
template <int D, int T>
inline void relax_mixed(const MultigridLevel<D>& level, int b, const SplitField<D>& rhs,
                        SplitField<D>& x) {
    const BlockKinds& k = level.kinds[b];
    if (!k.mixed[T]) return;
    const SplitNear<D> near(x, level.faces[b], b, 1 - T);
    float* out = x.half(b, T);
    const float* f = rhs.half(b, T);
    std::uint32_t number = k.first[T];
    for (std::uint32_t bits = k.mixed[T]; bits; bits &= bits - 1, ++number) {
        const int v = std::countr_zero(bits), z = v >> 2, m = v & 3, at = 8 * v;
        const MixedVector<D>& c = level.mixed[number];
        call_ahead(level.mixed, number);
        const Lanes s = weighted_sum(c, neighbours(near, z, m, (z + T) & 1));
        const Lanes solved =
            _mm256_mul_ps(_mm256_add_ps(_mm256_load_ps(f + at), s), _mm256_load_ps(c.inverse));
        _mm256_store_ps(out + at, solved);
    }
}

/// Projects colour T of a block onto the bounds. Cells of one colour do not look at each other, so
/// after a half-sweep is as good as in it.
template <int D>
inline void raise_to_bounds(int T, const MultigridLevel<D>& level, int b, const LowerBounds& low,
                            SplitField<D>& x) {
    const BlockKinds& k = level.kinds[b];
    std::uint32_t number = k.first[T];
    for (std::uint32_t bits = k.mixed[T]; bits; bits &= bits - 1, ++number) {
        float* at = x.half(b, T) + 8 * std::countr_zero(bits);
        _mm256_store_ps(at, _mm256_max_ps(_mm256_load_ps(at), _mm256_load_ps(low[number].v)));
    }
}

/// The first half-sweep, over red cells from x = 0.
template <int D>
inline void relax_red_from_zero(const MultigridLevel<D>& level, int b, const SplitField<D>& rhs,
                                SplitField<D>& x) {
    float* out = x.half(b, 0);
    const float* f = rhs.half(b, 0);
    const Lanes share = lanes(1.f / (2 * D));
    for_each_vector<D, 0>(
        level, b,
        [&](int z, int m, int) SLOSH_INLINE {
            const int at = 32 * z + 8 * m;
            _mm256_store_ps(out + at, _mm256_mul_ps(_mm256_load_ps(f + at), share));
        },
        [&](std::uint32_t number, int z, int m, int) SLOSH_INLINE {
            const int at = 32 * z + 8 * m;
            const Lanes solved =
                _mm256_mul_ps(_mm256_load_ps(f + at), _mm256_load_ps(level.mixed[number].inverse));
            _mm256_store_ps(out + at, solved);
        });
}

/// Where the coarse cells under row pair m, plane pair z/2 of a fine block start: in colour
/// `even_colour` those with even x, in the other colour those with odd x, two each.
struct CoarsePlace {
    int at, even_colour;
    CoarsePlace(int octant, int z, int m) {
        const int Y = 4 * (octant >> 1 & 1) + m, Z = 4 * (octant >> 2 & 1) + (z >> 1);
        at = 32 * Z + 4 * Y + 2 * (octant & 1);
        even_colour = (Y + Z) & 1;
    }
};

/// Restricts the residual of a fine block to its octant of block B of `coarse`, right after a
/// black half-sweep: black residuals are zero then, so only red ones are summed. Cells at their
/// bound take no part in the coarse correction.
template <int D, bool kBounded = false>
inline void restrict_red(const MultigridLevel<D>& level, int b, const SplitField<D>& rhs,
                         const SplitField<D>& x, int octant, SplitField<D>& coarse, int B,
                         const LowerBounds* low = nullptr) {
    const SplitNear<D> near(x, level.faces[b], b, 1);
    const float* centre = x.half(b, 0);
    const float* f = rhs.half(b, 0);
    alignas(32) float r[kHalf<D>];
    if (level.kinds[b].plain[0] != MultigridLevel<D>::kAll)
        for (int at = 0; at < kHalf<D>; at += 8) _mm256_store_ps(r + at, _mm256_setzero_ps());
    for_each_vector<D, 0>(
        level, b,
        [&](int z, int m, int parity) SLOSH_INLINE {
            const int at = 32 * z + 8 * m;
            const Lanes s = neighbours(near, z, m, parity).sum();
            _mm256_store_ps(r + at, _mm256_fnmadd_ps(lanes(2 * D), _mm256_load_ps(centre + at),
                                                     _mm256_add_ps(_mm256_load_ps(f + at), s)));
        },
        [&](std::uint32_t number, int z, int m, int parity) SLOSH_INLINE {
            const int at = 32 * z + 8 * m;
            const MixedVector<D>& c = level.mixed[number];
            call_ahead(level.mixed, number);
            const Lanes s = weighted_sum(c, neighbours(near, z, m, parity));
            // diagonal x; where there is no unknown, x = 0 and the bound keeps 0 / 0 out
            const Lanes dx = _mm256_div_ps(_mm256_load_ps(centre + at),
                                           _mm256_max_ps(_mm256_load_ps(c.inverse), lanes(1e-30f)));
            Lanes left = _mm256_sub_ps(_mm256_add_ps(_mm256_load_ps(f + at), s), dx);
            if constexpr (kBounded)
                left = _mm256_and_ps(left,
                                     movable<D, true>(c, _mm256_load_ps(centre + at), low, number));
            _mm256_store_ps(r + at, left);
        });
    // A coarse level's unit is twice the fine one in 3D, the same in 2D.
    const __m128 unit = _mm_set1_ps(D == 3 ? 0.5f : 1.f);
    for (int z = 0; z < kPlanes<D>; z += 2)
        for (int m = 0; m < 4; ++m) {
            const int at = 32 * z + 8 * m;
            Lanes two = _mm256_load_ps(r + at);
            if constexpr (D == 3) two = _mm256_add_ps(two, _mm256_load_ps(r + at + 32));
            const __m128 sum = _mm_mul_ps(
                unit, _mm_add_ps(_mm256_castps256_ps128(two), _mm256_extractf128_ps(two, 1)));
            const CoarsePlace place(octant, z, m);
            const __m128 even = _mm_shuffle_ps(sum, sum, _MM_SHUFFLE(3, 1, 2, 0));
            _mm_storel_pi(reinterpret_cast<__m64*>(coarse.half(B, place.even_colour) + place.at),
                          even);
            _mm_storeh_pi(
                reinterpret_cast<__m64*>(coarse.half(B, 1 - place.even_colour) + place.at), even);
        }
}

/// Adds the coarse correction to the red cells of a fine block, but for those at their bound. Black
/// cells need none: the next half-sweep overwrites them.
template <int D, bool kBounded = false>
inline void prolong_red(const MultigridLevel<D>& level, int b, int octant,
                        const SplitField<D>& coarse, int B, SplitField<D>& x,
                        const LowerBounds* low = nullptr) {
    float* out = x.half(b, 0);
    const auto add = [&](int z, int m, Lanes mask) SLOSH_INLINE {
        const CoarsePlace place(octant, z, m);
        const __m128 zero = _mm_setzero_ps();
        const __m128 even = _mm_loadl_pi(
            zero, reinterpret_cast<const __m64*>(coarse.half(B, place.even_colour) + place.at));
        const __m128 odd = _mm_loadl_pi(
            zero, reinterpret_cast<const __m64*>(coarse.half(B, 1 - place.even_colour) + place.at));
        const __m128 four = _mm_unpacklo_ps(even, odd);
        const int at = 32 * z + 8 * m;
        const Lanes correction = _mm256_and_ps(_mm256_set_m128(four, four), mask);
        _mm256_store_ps(out + at, _mm256_add_ps(_mm256_load_ps(out + at), correction));
    };
    const Lanes all = _mm256_castsi256_ps(_mm256_set1_epi32(-1));
    for_each_vector<D, 0>(
        level, b, [&](int z, int m, int) SLOSH_INLINE { add(z, m, all); },
        [&](std::uint32_t number, int z, int m, int) SLOSH_INLINE {
            float* at = out + 32 * z + 8 * m;
            add(z, m, movable<D, kBounded>(level.mixed[number], _mm256_load_ps(at), low, number));
        });
}

/// Calls body(t, offset in the half-block) for every vector that holds unknowns, of both colours.
template <int D, class Body>
inline SLOSH_INLINE void for_each_live(const MultigridLevel<D>& level, int b, const Body& body) {
    const BlockKinds& k = level.kinds[b];
    for (int t = 0; t < 2; ++t) {
        const std::uint32_t live = k.live(t);
        if (live == MultigridLevel<D>::kAll) {
            for (int at = 0; at < kHalf<D>; at += 8) body(t, at);
        } else {
            for (std::uint32_t bits = live; bits; bits &= bits - 1)
                body(t, 8 * std::countr_zero(bits));
        }
    }
}

/// f.x of a block.
template <int D>
inline double dot_block(const MultigridLevel<D>& level, const SplitField<D>& f,
                        const SplitField<D>& x, int b) {
    Lanes s = _mm256_setzero_ps();
    for_each_live(level, b, [&](int t, int at) SLOSH_INLINE {
        s = _mm256_fmadd_ps(_mm256_load_ps(f.half(b, t) + at), _mm256_load_ps(x.half(b, t) + at),
                            s);
    });
    return sum_lanes(s);
}

}  // namespace slosh
