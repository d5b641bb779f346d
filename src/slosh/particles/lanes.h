// Eight particles at a time: AVX2 vectors of floats, and the loads and transposes that bring grid
// values to lanes and back.
//
// A hardware gather is slow on several processors, so the 2^D corner values of eight particles are
// read as pairs of neighbours along x and transposed in registers.
#pragma once

#include <immintrin.h>

namespace slosh {

constexpr int kLanes = 8;

using Floats = float __attribute__((vector_size(32)));
using Ints = int __attribute__((vector_size(32)));

inline Floats all_lanes(float s) {
    return Floats(_mm256_set1_ps(s));
}
inline Floats as_floats(Ints i) {
    return Floats(_mm256_cvtepi32_ps(__m256i(i)));
}
/// Rounds towards zero.
inline Ints truncated(Floats f) {
    return Ints(_mm256_cvttps_epi32(__m256(f)));
}
inline Floats min_lanes(Floats a, Floats b) {
    return Floats(_mm256_min_ps(__m256(a), __m256(b)));
}
inline Floats max_lanes(Floats a, Floats b) {
    return Floats(_mm256_max_ps(__m256(a), __m256(b)));
}
inline Floats root(Floats a) {
    return Floats(_mm256_sqrt_ps(__m256(a)));
}
/// a where the mask is set, else b.
inline Floats choose(Ints mask, Floats a, Floats b) {
    return Floats(_mm256_blendv_ps(__m256(b), __m256(a), _mm256_castsi256_ps(__m256i(mask))));
}
/// One bit per lane.
inline int bits(Ints mask) {
    return _mm256_movemask_ps(_mm256_castsi256_ps(__m256i(mask)));
}

inline float largest(Floats a) {
    float m = a[0];
    for (int i = 1; i < kLanes; ++i) m = a[i] > m ? a[i] : m;
    return m;
}

/// All ones in the first n lanes.
inline Ints first_lanes(int n) {
    const Ints number = {0, 1, 2, 3, 4, 5, 6, 7};
    return number < Ints(_mm256_set1_epi32(n));
}
/// The n values from p on, n <= 8; zero in the other lanes.
inline Floats load_lanes(const float* p, int n) {
    if (n == kLanes) return Floats(_mm256_loadu_ps(p));
    return Floats(_mm256_maskload_ps(p, __m256i(first_lanes(n))));
}
inline void store_lanes(float* p, Floats f, int n) {
    if (n == kLanes)
        _mm256_storeu_ps(p, __m256(f));
    else
        _mm256_maskstore_ps(p, __m256i(first_lanes(n)), __m256(f));
}

/// Transposes the 4x4 matrices in the lower and the upper halves.
inline void transpose_halves(__m256 (&r)[4]) {
    const __m256 a = _mm256_unpacklo_ps(r[0], r[1]), b = _mm256_unpackhi_ps(r[0], r[1]);
    const __m256 c = _mm256_unpacklo_ps(r[2], r[3]), d = _mm256_unpackhi_ps(r[2], r[3]);
    r[0] = _mm256_shuffle_ps(a, c, 0x44);
    r[1] = _mm256_shuffle_ps(a, c, 0xee);
    r[2] = _mm256_shuffle_ps(b, d, 0x44);
    r[3] = _mm256_shuffle_ps(b, d, 0xee);
}

/// Adds to the eight floats at each of eight places, one for each lane, that lane of `low` and of
/// `up`. Places are aligned, so that what one lane stores the next can read at once.
inline void add_octets(float* v, const int (&place)[kLanes], const Floats (&low)[4],
                       const Floats (&up)[4]) {
    __m256 r[4], s[4];
    for (int i = 0; i < 4; ++i) r[i] = __m256(low[i]), s[i] = __m256(up[i]);
    transpose_halves(r);
    transpose_halves(s);
    const auto add_one = [&](int lane, __m256 q) {
        float* p = v + 8 * place[lane];
        _mm256_store_ps(p, _mm256_add_ps(_mm256_load_ps(p), q));
    };
    for (int i = 0; i < 4; ++i) add_one(i, _mm256_permute2f128_ps(r[i], s[i], 0x20));
    for (int i = 0; i < 4; ++i) add_one(i + 4, _mm256_permute2f128_ps(r[i], s[i], 0x31));
}

/// Eight integers to memory. The barrier keeps the compiler from taking lanes out of the register
/// one by one instead of reading them back, which costs three times as many instructions.
inline void spill(Ints i, int (&out)[kLanes]) {
    _mm256_store_si256(reinterpret_cast<__m256i*>(out), __m256i(i));
    asm volatile("" : "+m"(out));
}

/// The values at the 2^D corners of eight cells of a dense array (Array: a tile with steps between
/// neighbours): corner k is one further along axis a where bit a of k is set.
template <int D, class Array>
inline void load_corners(const float* v, Ints offset, Floats (&corner)[1 << D]) {
    alignas(32) int o[kLanes];
    spill(offset, o);
    const auto quad = [](const float* p) {
        const __m128 low = _mm_castsi128_ps(_mm_loadl_epi64(reinterpret_cast<const __m128i*>(p)));
        return _mm_loadh_pi(low, reinterpret_cast<const __m64*>(p + Array::step(1)));
    };
    for (int z = 0; z < (D == 3 ? 2 : 1); ++z) {
        const float* base = v + z * Array::step(2);
        __m256 r[4];
        for (int i = 0; i < 4; ++i)
            r[i] = _mm256_insertf128_ps(_mm256_castps128_ps256(quad(base + o[i])),
                                        quad(base + o[i + 4]), 1);
        transpose_halves(r);
        for (int i = 0; i < 4; ++i) corner[4 * z + i] = Floats(r[i]);
    }
}

/// A multilinear sample with its gradient (per cell).
template <int D>
struct Sample {
    Floats value;
    Floats gradient[D];
};

/// Where eight points lie in a dense array whose entry i sits at i; every point at or above 0.
template <int D, class Array>
inline Ints locate(const Floats (&x)[D], Floats (&t)[D]) {
    Ints offset = {};
    for (int d = 0; d < D; ++d) {
        const Ints i = truncated(x[d]);
        t[d] = x[d] - as_floats(i);
        offset += i * Array::step(d);
    }
    return offset;
}

/// Value at eight points.
template <int D, class Array>
inline Floats sample_value(const float* v, const Floats (&x)[D]) {
    Floats t[D];
    const Ints offset = locate<D, Array>(x, t);
    Floats c[1 << D];
    load_corners<D, Array>(v, offset, c);
    for (int d = D - 1; d >= 0; --d)
        for (int k = 0; k < 1 << d; ++k) c[k] += t[d] * (c[k + (1 << d)] - c[k]);
    return c[0];
}

/// The same with the exact gradient of the interpolant.
template <int D, class Array>
inline Sample<D> sample_gradient(const float* v, const Floats (&x)[D]) {
    Floats t[D];
    const Ints offset = locate<D, Array>(x, t);
    Floats c[1 << D];
    load_corners<D, Array>(v, offset, c);
    Sample<D> s;
    // Collapse the axes from the last to the first; a collapsed axis leaves the differences along
    // it, which are collapsed along the axes that follow.
    for (int d = D - 1; d >= 0; --d) {
        Floats g[1 << (D - 1)];
        for (int k = 0; k < 1 << d; ++k) {
            g[k] = c[k + (1 << d)] - c[k];
            c[k] += t[d] * g[k];
        }
        for (int e = d - 1; e >= 0; --e)
            for (int k = 0; k < 1 << e; ++k) g[k] += t[e] * (g[k + (1 << e)] - g[k]);
        s.gradient[d] = g[0];
    }
    s.value = c[0];
    return s;
}

}  // namespace slosh
