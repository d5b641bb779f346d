// The natural residual (C3) of one row of a block.
#pragma once

#include <bit>

#include "slosh/lcp/problem.h"
#include "slosh/linear/residual_block.h"

namespace slosh {

/// `row` is b - A x there, so -w; w becomes min(a_ii p_i, w_i) in S. `active`, if given, is told
/// who is active in the row.
template <int D>
detail::Row natural_row(const BlockLcp<D>& lcp, const ResidualBlock<D>& rows, int b, int y, int z,
                        const detail::Row& row, Field<std::uint8_t, D>* active) {
    const int o = 64 * z + kSide * y;
    std::uint64_t in_s;
    std::memcpy(&in_s, lcp.constrained.block(b) + o, 8);
    std::uint8_t* mark = active ? active->block(b) + o : nullptr;
    if (mark) std::fill_n(mark, kSide, 0);
    if (in_s == 0) return row;
    const detail::Row dp = rows.diagonal_times_x(y, z);
    const __m256d sign = _mm256_set1_pd(-0.0);
    // -min(dp, w) where the cell is in S; `who` gets a bit for each cell where that is -dp.
    unsigned who = 0;
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
    const detail::Row result{natural(row.low, dp.low, 0), natural(row.high, dp.high, 4)};
    if (mark)
        for (; who; who &= who - 1) mark[std::countr_zero(who)] = 1;
    return result;
}

}  // namespace slosh
