// The natural residual (C3) of one row of a block.
#pragma once

#include "slosh/lcp/problem.h"
#include "slosh/linear/residual_block.h"

namespace slosh {

/// `row` is b - A x there, so -w; w becomes min(a_ii p_i, w_i) in S. `active`, if given, is told
/// who is active in the row.
template <int D>
detail::Row natural_row(const BlockLcp<D>& lcp, const Field<double, D>& p,
                        const ResidualBlock<D>& rows, int b, int y, int z, const detail::Row& row,
                        Field<std::uint8_t, D>* active) {
    const int o = 64 * z + kSide * y;
    const std::uint8_t* constrained = lcp.constrained.block(b) + o;
    std::uint64_t in_s;
    std::memcpy(&in_s, constrained, 8);
    std::uint8_t* mark = active ? active->block(b) + o : nullptr;
    if (mark) std::fill_n(mark, kSide, 0);
    if (in_s == 0) return row;
    alignas(32) double minus_w[kSide];
    _mm256_store_pd(minus_w, row.low);
    _mm256_store_pd(minus_w + 4, row.high);
    for (int x = 0; x < kSide; ++x) {
        if (!constrained[x]) continue;
        const double dp = rows.diagonal(x, y, z) * p.block(b)[o + x];
        if (!(dp < -minus_w[x])) continue;
        minus_w[x] = -dp;
        if (mark) mark[x] = 1;
    }
    return detail::load_row(minus_w);
}

}  // namespace slosh
