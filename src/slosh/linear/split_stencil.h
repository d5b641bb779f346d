// The 2D+1-point stencil on the split layout (split.h), one vector of eight cells at a time.
#pragma once

#include "slosh/linear/split.h"

namespace slosh {

using Lanes = __m256;

inline Lanes lanes(float v) {
    return _mm256_set1_ps(v);
}
inline Lanes two_rows(const float* low, const float* high) {
    return _mm256_insertf128_ps(_mm256_castps128_ps256(_mm_load_ps(low)), _mm_load_ps(high), 1);
}
inline float largest_lane(Lanes v) {
    const __m128 four = _mm_max_ps(_mm256_castps256_ps128(v), _mm256_extractf128_ps(v, 1));
    const __m128 two = _mm_max_ps(four, _mm_movehl_ps(four, four));
    return _mm_cvtss_f32(_mm_max_ss(two, _mm_movehdup_ps(two)));
}
/// Sum of the eight lanes, in double.
inline double sum_lanes(Lanes v) {
    const __m256d s = _mm256_add_pd(_mm256_cvtps_pd(_mm256_castps256_ps128(v)),
                                    _mm256_cvtps_pd(_mm256_extractf128_ps(v, 1)));
    const __m128d t = _mm_add_pd(_mm256_castpd256_pd128(s), _mm256_extractf128_pd(s, 1));
    return _mm_cvtsd_f64(_mm_add_sd(t, _mm_unpackhi_pd(t, t)));
}

/// One colour of a block and of its face neighbours.
template <int D>
struct SplitNear {
    const float* self;
    const float* near[2 * D];

    SplitNear(const SplitField<D>& f, const std::array<int, 2 * D>& faces, int b, int t)
        : self(f.half(b, t)) {
        for (int side = 0; side < 2 * D; ++side) near[side] = f.half(faces[side], t);
    }
};

/// The 2D neighbours of a vector. Order: own, shift, -y, +y, -z, +z.
template <int D>
struct Neighbours {
    Lanes v[2 * D];

    Lanes sum() const {
        Lanes s = _mm256_add_ps(_mm256_add_ps(v[0], v[1]), _mm256_add_ps(v[2], v[3]));
        if constexpr (D == 3) s = _mm256_add_ps(s, _mm256_add_ps(v[4], v[5]));
        return s;
    }
};

/// Neighbours of vector (z, m) of the colour opposite to `n`; `parity` is (z + t) & 1 for the
/// colour t of the centre.
template <int D>
inline __attribute__((always_inline)) Neighbours<D> neighbours(const SplitNear<D>& n, int z, int m,
                                                               int parity) {
    const int at = 32 * z + 8 * m;
    const float* self = n.self + at;
    Neighbours<D> r;
    const Lanes own = _mm256_load_ps(self);
    r.v[0] = own;
    const __m256i own_i = _mm256_castps_si256(own);
    if (parity == 0) {
        const __m256i out = _mm256_castps_si256(two_rows(n.near[0] + at, n.near[1] + at + 4));
        r.v[1] = _mm256_blend_ps(_mm256_castsi256_ps(_mm256_alignr_epi8(own_i, out, 12)),
                                 _mm256_castsi256_ps(_mm256_alignr_epi8(out, own_i, 4)), 0xf0);
    } else {
        const __m256i out = _mm256_castps_si256(two_rows(n.near[1] + at, n.near[0] + at + 4));
        r.v[1] = _mm256_blend_ps(_mm256_castsi256_ps(_mm256_alignr_epi8(out, own_i, 4)),
                                 _mm256_castsi256_ps(_mm256_alignr_epi8(own_i, out, 12)), 0xf0);
    }
    r.v[2] = m > 0 ? _mm256_loadu_ps(self - 4) : two_rows(n.near[2] + at + 28, self);
    r.v[3] = m < 3 ? _mm256_loadu_ps(self + 4) : two_rows(self + 4, n.near[3] + at - 24);
    if constexpr (D == 3) {
        r.v[4] = _mm256_load_ps(z > 0 ? self - 32 : n.near[4] + at + 7 * 32);
        r.v[5] = _mm256_load_ps(z < 7 ? self + 32 : n.near[5] + at - 7 * 32);
    }
    return r;
}

}  // namespace slosh
