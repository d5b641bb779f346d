// The natural residual (C3) of one row of a block.
#pragma once

#include "slosh/lcp/problem.h"
#include "slosh/linear/residual_block.h"

namespace slosh {

/// `row` becomes b - A x there, so -w; returned is the same with min(a_ii p_i, w_i) for w_i in S.
/// `who` gets a bit for each cell of the row that is active.
template <int D>
detail::Row natural_row(const BlockLcp<D>& lcp, const ResidualBlock<D>& rows, int b, int y, int z,
                        detail::Row& row, unsigned& who) {
    std::uint64_t in_s;
    std::memcpy(&in_s, lcp.constrained.block(b) + 64 * z + kSide * y, 8);
    who = 0;
    if (in_s == 0) return row = rows.row(y, z);
    detail::Row d;
    row = rows.row(y, z, d);
    const detail::Row p = rows.values(y, z);
    const __m256d sign = _mm256_set1_pd(-0.0);
    // -min(dp, w) where the cell is in S
    const auto natural = [&](__m256d minus_w, __m256d scaled, int shift) {
        const auto bytes = static_cast<int>(in_s >> (8 * shift));
        const __m256i marks = _mm256_cvtepu8_epi64(_mm_cvtsi32_si128(bytes));
        const __m256d free = _mm256_castsi256_pd(_mm256_cmpeq_epi64(marks, _mm256_setzero_si256()));
        const __m256d minus_dp = _mm256_xor_pd(scaled, sign);
        const __m256d is_active =
            _mm256_andnot_pd(free, _mm256_cmp_pd(minus_dp, minus_w, _CMP_GT_OQ));
        who |= static_cast<unsigned>(_mm256_movemask_pd(is_active)) << shift;
        return _mm256_blendv_pd(minus_w, minus_dp, is_active);
    };
    return {natural(row.low, _mm256_mul_pd(d.low, p.low), 0),
            natural(row.high, _mm256_mul_pd(d.high, p.high), 4)};
}

}  // namespace slosh
