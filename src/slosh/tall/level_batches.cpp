// Columns that are solved together, and their pivots.
#include <immintrin.h>

#include "slosh/tall/column_kernels.h"
#include "slosh/tall/level.h"
#include "slosh/tall/transpose.h"

namespace slosh::tall {

namespace {

constexpr int kLanes = Batch::kLanes;

/// A pivot of a closed pocket without air would be zero: such a column has no unique pressure.
__m256 reciprocal(__m256 pivot, __m256 diagonal) {
    const __m256 least = _mm256_mul_ps(diagonal, _mm256_set1_ps(1e-4f));
    const __m256 m = _mm256_div_ps(_mm256_set1_ps(1), _mm256_max_ps(pivot, least));
    return _mm256_and_ps(m, _mm256_cmp_ps(diagonal, _mm256_setzero_ps(), _CMP_GT_OQ));
}

void compute_pivots(Level& level, const Batch& batch) {
    alignas(32) float taken[kLanes];
    for (int k = 0; k < kLanes; ++k) {
        const TallPair& p = level.pair[batch.column[k]];
        taken[k] = p.top_bottom * p.bottom_top * p.pivot;
    }
    __m256 m = batch.first == 0 ? _mm256_load_ps(taken) : _mm256_setzero_ps();
    float* out = level.pivots.data() + batch.pivots;
    for (int i = batch.first; i < batch.last; i += 8) {
        __m256 d[8];
        for (int k = 0; k < kLanes; ++k)
            d[k] = _mm256_load_ps(level.diagonal.at(batch.column[k]) + i);
        transpose(d);
        for (int k = 0; k < 8; ++k, out += 8) {
            m = reciprocal(_mm256_sub_ps(d[k], m), d[k]);
            _mm256_store_ps(out, m);
        }
    }
}

/// The batches of one row and colour.
std::vector<Batch> batches_of(const Level& level, int z, int colour) {
    const Grid& g = level.grid;
    std::vector<Batch> all;
    const int from = g.column(0, z);
    for (int c = from + ((z + colour) & 1); c < from + g.nx(); c += 2) {
        if (!level.has_unknowns(c)) continue;
        if (all.empty() || all.back().count == kLanes) {
            all.emplace_back();
            all.back().first = kMaxLength;
        }
        Batch& b = all.back();
        for (int k = b.count; k < kLanes; ++k) b.column[k] = c;
        ++b.count;
        b.apart = b.apart || level.beside[c].apart();
        if (level.first[c] < level.last[c]) {
            b.first = std::min<int>(b.first, level.first[c]);
            b.last = std::max<int>(b.last, level.last[c]);
        }
    }
    for (Batch& b : all)
        if (b.first > b.last) b.first = b.last = 0;
    return all;
}

}  // namespace

void build_batches(Level& level) {
    const int rows = 2 * level.grid.nz();
    level.batches.clear();
    std::size_t pivots = 0;
    for (int r = 0; r < rows; ++r) {
        level.row_batches[r] = static_cast<int>(level.batches.size());
        for (Batch& b : batches_of(level, r / 2, r % 2)) {
            b.pivots = pivots;
            pivots += static_cast<std::size_t>(kLanes) * (b.last - b.first);
            level.batches.push_back(b);
        }
    }
    level.row_batches[rows] = static_cast<int>(level.batches.size());
    if (level.pivots.size() < pivots) level.pivots.resize(pivots);
    parallel_for(level.batches.size(), 32,
                 [&](std::size_t k) { compute_pivots(level, level.batches[k]); });
}

}  // namespace slosh::tall
