// b - A x on one block, in double. Differences first (c (x_i - x_j)): a large constant in x, as
// pockets have, then costs no digits.
#pragma once

#include <immintrin.h>

#include <algorithm>
#include <cmath>
#include <cstring>

#include "slosh/linear/block_rows.h"
#include "slosh/linear/call_ahead.h"
#include "slosh/linear/system.h"

namespace slosh {

namespace detail {

struct Row {
    __m256d low, high;  ///< x = 0..3 and 4..7
};
inline Row load_row(const double* p) {
    return {_mm256_load_pd(p), _mm256_load_pd(p + 4)};
}
inline Row load_row(const float* p) {
    return {_mm256_cvtps_pd(_mm_load_ps(p)), _mm256_cvtps_pd(_mm_load_ps(p + 4))};
}
inline void store_row(double* p, const Row& r) {
    _mm256_store_pd(p, r.low);
    _mm256_store_pd(p + 4, r.high);
}
/// The row moved by one cell: value i is that of x = i - 1, or of x = i + 1.
inline Row from_left(const Row& r, double left) {
    const __m256d low = _mm256_permute4x64_pd(r.low, 0x90),
                  high = _mm256_permute4x64_pd(r.high, 0x90);
    return {_mm256_blend_pd(low, _mm256_set1_pd(left), 1),
            _mm256_blend_pd(high, _mm256_permute4x64_pd(r.low, 0xff), 1)};
}
inline Row from_right(const Row& r, double right) {
    const __m256d low = _mm256_permute4x64_pd(r.low, 0xf9),
                  high = _mm256_permute4x64_pd(r.high, 0xf9);
    return {_mm256_blend_pd(low, _mm256_permute4x64_pd(r.high, 0x00), 8),
            _mm256_blend_pd(high, _mm256_set1_pd(right), 8)};
}
/// s -= c (x - n)
inline void subtract_flux(Row& s, const Row& c, const Row& x, const Row& n) {
    s.low = _mm256_fnmadd_pd(c.low, _mm256_sub_pd(x.low, n.low), s.low);
    s.high = _mm256_fnmadd_pd(c.high, _mm256_sub_pd(x.high, n.high), s.high);
}
/// s += c
inline void add(Row& s, const Row& c) {
    s.low = _mm256_add_pd(s.low, c.low);
    s.high = _mm256_add_pd(s.high, c.high);
}
/// The largest magnitude of the rows it is shown; infinite if any value is not a number, which
/// comparisons alone would pass over.
class Largest {
public:
    void keep(const Row& r) {
        const __m256d sign = _mm256_set1_pd(-0.0);
        low_ = _mm256_max_pd(low_, _mm256_andnot_pd(sign, r.low));
        high_ = _mm256_max_pd(high_, _mm256_andnot_pd(sign, r.high));
        nan_ = _mm256_or_pd(nan_, _mm256_cmp_pd(r.low, r.high, _CMP_UNORD_Q));
    }
    double value() const {
        if (_mm256_movemask_pd(nan_)) return HUGE_VAL;
        alignas(32) double v[4];
        _mm256_store_pd(v, _mm256_max_pd(low_, high_));
        return *std::max_element(v, v + 4);
    }

private:
    __m256d low_ = _mm256_setzero_pd(), high_ = low_, nan_ = low_;
};

}  // namespace detail

/// Rows of b - A x of one block.
template <int D>
class ResidualBlock {
public:
    /// Of the stencil alone; `rhs` is what stands for the block's b (BodiesRhs).
    ResidualBlock(const BlockSystem<D>& system, const Field<double, D>& x, int b, const double* rhs)
        : x_(x, b),
          cx_(system.coefficient.axis(0), b),
          cy_(system.coefficient.axis(1), b),
          cz_(system.coefficient.axis(D - 1), b),
          excess_(system.excess.block(b)),
          rhs_(rhs),
          unknown_(system.unknown.block(b)) {}

    bool has_unknowns(int y, int z) const {
        std::uint64_t bytes;
        std::memcpy(&bytes, unknown_ + 64 * z + kSide * y, 8);
        return bytes != 0;
    }

    detail::Row row(int y, int z) const { return sum<false>(y, z, nullptr); }
    /// The same, with a_ii of the row as it sees them.
    detail::Row row(int y, int z, detail::Row& diagonal) const {
        return sum<true>(y, z, &diagonal);
    }

    /// The same where all cells of the row are unknowns with 2D coefficients `weight`, no excess.
    detail::Row plain_row(int y, int z, double weight) const {
        using namespace detail;
        const int o = 64 * z + kSide * y;
        const __m256d w = _mm256_set1_pd(weight);
        const Row c = load_row(x_.self + o), cr{w, w};
        Row s = load_row(rhs_ + o);
        subtract_flux(s, cr, c, from_left(c, x_.left(y, z)));
        subtract_flux(s, cr, c, from_right(c, x_.right(y, z)));
        subtract_flux(s, cr, c, load_row(x_.row(y - 1, z)));
        subtract_flux(s, cr, c, load_row(x_.row(y + 1, z)));
        if constexpr (D == 3) {
            subtract_flux(s, cr, c, load_row(x_.row(y, z - 1)));
            subtract_flux(s, cr, c, load_row(x_.row(y, z + 1)));
        }
        return s;
    }

    /// x of the row.
    detail::Row values(int y, int z) const {
        return detail::load_row(x_.self + 64 * z + kSide * y);
    }

private:
    template <bool kDiagonal>
    detail::Row sum(int y, int z, detail::Row* diagonal) const {
        using namespace detail;
        const int o = 64 * z + kSide * y;
        const Row x = load_row(x_.self + o), cr = load_row(cx_.self + o);
        const __m256d zero = _mm256_setzero_pd();
        Row s = load_row(rhs_ + o), d{zero, zero};
        const auto flux = [&](const Row& c, const Row& n) __attribute__((always_inline)) {
            subtract_flux(s, c, x, n);
            if constexpr (kDiagonal) add(d, c);
        };
        flux(load_row(excess_ + o), {zero, zero});
        flux(cr, from_left(x, x_.left(y, z)));
        flux(from_right(cr, cx_.right(y, z)), from_right(x, x_.right(y, z)));
        flux(load_row(cy_.self + o), load_row(x_.row(y - 1, z)));
        flux(load_row(cy_.row(y + 1, z)), load_row(x_.row(y + 1, z)));
        if constexpr (D == 3) {
            flux(load_row(cz_.self + o), load_row(x_.row(y, z - 1)));
            flux(load_row(cz_.row(y, z + 1)), load_row(x_.row(y, z + 1)));
        }
        if constexpr (kDiagonal) *diagonal = d;
        s.low = _mm256_andnot_pd(no_unknown(o), s.low);
        s.high = _mm256_andnot_pd(no_unknown(o + 4), s.high);
        return s;
    }
    /// All ones in the lanes of the four cells from o that are no unknowns.
    __m256d no_unknown(int o) const {
        int bytes;
        std::memcpy(&bytes, unknown_ + o, 4);
        const __m256i u = _mm256_cvtepu8_epi64(_mm_cvtsi32_si128(bytes));
        return _mm256_castsi256_pd(_mm256_cmpeq_epi64(u, _mm256_setzero_si256()));
    }

    BlockRows<double, D> x_;
    BlockRows<float, D> cx_, cy_, cz_;
    const float* excess_;
    const double* rhs_;
    const std::uint8_t* unknown_;
};

/// Calls for what rows of a ResidualBlock read: one block ahead, row by row.
template <int D>
class ResidualAhead {
public:
    ResidualAhead(const BlockSystem<D>& system, const Field<double, D>& x, int b)
        : x_(x, b), rhs_(system.rhs.block(b)) {}
    /// Inlined in any case: what only calls for memory does nothing in the compiler's eyes, and it
    /// left the call out.
    SLOSH_INLINE void call(int y, int z) const {
        const int o = 64 * z + kSide * y;
        call_for(rhs_ + o);
        call_for(x_.self + o);
        if (y == 0) call_for(x_.row(kSide, z));
        if (D == 3 && z == 0) call_for(x_.row(y, kSide));
    }

private:
    BlockRows<double, D> x_;
    const double* rhs_;
};

}  // namespace slosh
