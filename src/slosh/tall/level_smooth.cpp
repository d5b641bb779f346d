// Solving columns, and the residual.
#include <immintrin.h>

#include <cmath>

#include "slosh/tall/column_kernels.h"
#include "slosh/tall/level.h"
#include "slosh/tall/separation.h"
#include "slosh/tall/transpose.h"

namespace slosh::tall {

namespace {

/// out[i] = sum of q beside cell i, less b, for i in [first, last); out is 32-byte aligned.
void sum_beside(const float* const side[4], const float* b, int first, int last, float* out) {
    for (int i = first; i < last; i += 8) {
        const __m256 x = _mm256_add_ps(_mm256_loadu_ps(side[0] + i), _mm256_loadu_ps(side[1] + i));
        const __m256 z = _mm256_add_ps(_mm256_loadu_ps(side[2] + i), _mm256_loadu_ps(side[3] + i));
        _mm256_store_ps(out + i, _mm256_sub_ps(_mm256_add_ps(x, z), _mm256_load_ps(b + i)));
    }
}

}  // namespace

float bottom_neighbours(const Level& level, int c) {
    const Grid& g = level.grid;
    const Beside& at = level.beside[c];
    const float* q = level.q.at(c);
    const float* bottom = &level.q.bottom(c);
    const int x = g.step_x(), z = g.step_z();
    const __m128 values =
        _mm_setr_ps(q[at.value[0]], q[at.value[1]], q[at.value[2]], q[at.value[3]]);
    const __m128 bottoms = _mm_setr_ps(bottom[-x], bottom[x], bottom[-z], bottom[z]);
    const __m128 four = _mm_fmadd_ps(_mm_load_ps(at.value_share), values,
                                     _mm_mul_ps(_mm_load_ps(at.bottom_share), bottoms));
    const __m128 two = _mm_add_ps(four, _mm_movehl_ps(four, four));
    return level.beside_bottom * (_mm_cvtss_f32(two) + _mm_cvtss_f32(_mm_movehdup_ps(two)));
}

void beside_less_b(const Level& level, int c, int first, int last, float* out) {
    const Beside& at = level.beside[c];
    const float* b = level.b.at(c);
    if (at.apart()) {
        const Neighbourhood<Under::Nothing> q(level.q, level.grid, c, last);
        return sum_beside(q.side, b, first, last, out);
    }
    const float* q = level.q.at(c);
    const float* side[4] = {q + at.shift[0], q + at.shift[1], q + at.shift[2], q + at.shift[3]};
    sum_beside(side, b, first, last, out);
}

namespace {

constexpr int kLanes = Batch::kLanes;

/// The sums beside of a batch, column by column: eight cells of eight lanes, then the next eight
/// cells, n[8 (i - first) + 8 lane] for i in whole eights.
void gather_sums(const Level& level, const Batch& batch, float* n) {
    const int first = batch.first, last = batch.last;
    for (int k = 0; k < kLanes; ++k, n += 8) {
        const int c = batch.column[k];
        if (batch.apart) {
            alignas(32) float line[kMaxLength + 8];
            beside_less_b(level, c, first, last, line);
            for (int i = first; i < last; i += 8)
                _mm256_store_ps(n + 8 * (i - first), _mm256_load_ps(line + i));
            continue;
        }
        const Beside& at = level.beside[c];
        const float *q = level.q.at(c), *b = level.b.at(c);
        const float *left = q + at.shift[0], *right = q + at.shift[1];
        const float *before = q + at.shift[2], *behind = q + at.shift[3];
        for (int i = first; i < last; i += 8) {
            const __m256 x = _mm256_add_ps(_mm256_loadu_ps(left + i), _mm256_loadu_ps(right + i));
            const __m256 z =
                _mm256_add_ps(_mm256_loadu_ps(before + i), _mm256_loadu_ps(behind + i));
            _mm256_store_ps(n + 8 * (i - first),
                            _mm256_sub_ps(_mm256_add_ps(x, z), _mm256_load_ps(b + i)));
        }
    }
}

void load_eight(const float* n, __m256 r[8]) {
    for (int k = 0; k < 8; ++k) r[k] = _mm256_load_ps(n + 8 * k);
}

/// Elimination from the sums beside, upwards; `z` is what the bottoms pass on. From columns to
/// lanes.
void eliminate(const float* m, int cells, __m256 z, float* n) {
    for (int i = 0; i < cells; i += 8, n += 64, m += 64) {
        __m256 r[8];
        load_eight(n, r);
        transpose(r);
        for (int k = 0; k < 8; ++k) {
            const __m256 pivot = _mm256_load_ps(m + 8 * k);
            z = _mm256_fmadd_ps(pivot, z, _mm256_mul_ps(pivot, r[k]));
            _mm256_store_ps(n + 8 * k, z);
        }
    }
}

/// Substitution, downwards, and the solution to its columns.
void substitute(Level& level, const Batch& batch, const float* m, const float* n) {
    float* q[kLanes];
    for (int k = 0; k < batch.count; ++k) q[k] = level.q.at(batch.column[k]);
    __m256 z = _mm256_setzero_ps();
    for (int i = batch.last - 8; i >= batch.first; i -= 8) {
        const int at = 8 * (i - batch.first);
        __m256 r[8];
        for (int k = 7; k >= 0; --k)
            r[k] = z =
                _mm256_fmadd_ps(_mm256_load_ps(m + at + 8 * k), z, _mm256_load_ps(n + at + 8 * k));
        transpose(r);
        for (int k = 0; k < batch.count; ++k) _mm256_store_ps(q[k] + i, r[k]);
    }
}

void solve_batch(Level& level, const Batch& batch) {
    alignas(32) float n[kLanes * (kMaxLength + 8)];
    alignas(32) float from_bottom[kLanes], to_top[kLanes];
    gather_sums(level, batch, n);
    for (int k = 0; k < kLanes; ++k) {
        const int c = batch.column[k];
        const TallPair& pair = level.pair[c];
        from_bottom[k] = (bottom_neighbours(level, c) - level.b.bottom(c)) * pair.pivot;
        to_top[k] = pair.top_bottom * from_bottom[k];
    }
    const float* m = level.pivots.data() + batch.pivots;
    // What the bottoms pass on enters with the top, offset 0.
    const __m256 below = batch.first == 0 ? _mm256_load_ps(to_top) : _mm256_setzero_ps();
    eliminate(m, batch.last - batch.first, below, n);
    substitute(level, batch, m, n);
    for (int k = 0; k < batch.count; ++k) {
        const int c = batch.column[k];
        const TallPair& pair = level.pair[c];
        level.q.bottom(c) = from_bottom[k] + pair.pivot * pair.bottom_top * level.q.at(c)[0];
        level.q.refresh(level.grid, c, Under::Nothing);
    }
}

/// One Gauss-Seidel step for every second cell of a column, those with y + parity even.
void relax_points(Level& level, int c, int parity) {
    const Grid& g = level.grid;
    const int first = level.first[c], last = level.last[c];
    alignas(32) float sum[kMaxLength + 8];
    beside_less_b(level, c, first, last, sum);
    float* q = level.q.at(c);
    const float* d = level.diagonal.at(c);
    const TallPair& pair = level.pair[c];
    for (int i = first; i < last; ++i) {
        if (d[i] <= 0 || ((g.top(c) + i + parity) & 1)) continue;
        const float below = i == 0 ? pair.top_bottom * level.q.bottom(c) : q[i - 1];
        q[i] = (sum[i] + below + q[i + 1]) / d[i];
    }
    if (((g.bottom(c) + parity) & 1) == 0)
        level.q.bottom(c) =
            (bottom_neighbours(level, c) - level.b.bottom(c) + pair.bottom_top * q[0]) * pair.pivot;
    level.q.refresh(g, c, Under::Nothing);
}

}  // namespace

void smooth_row(Level& level, int z, int colour) {
    const int row = 2 * z + colour;
    if (level.as_printed) {
        const int from = level.grid.column(0, z);
        for (int x = 0; x < level.grid.nx(); ++x)
            if (level.has_unknowns(from + x)) relax_points(level, from + x, (x + z + colour) & 1);
        return;
    }
    for (int k = level.row_batches[row]; k < level.row_batches[row + 1]; ++k) {
        solve_batch(level, level.batches[k]);
        if (level.separates) hold_bounds(level, level.batches[k]);
    }
}

float column_residual(const Level& level, int c, float* r) {
    const int first = level.first[c], last = level.last[c];
    if (!level.has_unknowns(c)) return 0;
    beside_less_b(level, c, first, last, r);
    const float* q = level.q.at(c);
    const float* d = level.diagonal.at(c);
    const TallPair& pair = level.pair[c];
    const float top = r[0] + pair.top_bottom * level.q.bottom(c) + q[1];
    const __m256 none = _mm256_setzero_ps();
    for (int i = first; i < last; i += 8) {
        const __m256 along = _mm256_add_ps(_mm256_loadu_ps(q + i - 1), _mm256_loadu_ps(q + i + 1));
        // Sweeps have left all but the diagonal in cache: it is read where it has something to say.
        const __m256 own =
            level.all_plain(c, i) ? _mm256_set1_ps(Level::kPlain) : _mm256_load_ps(d + i);
        const __m256 left = _mm256_fmsub_ps(own, _mm256_load_ps(q + i),
                                            _mm256_add_ps(_mm256_load_ps(r + i), along));
        _mm256_store_ps(r + i, _mm256_and_ps(left, _mm256_cmp_ps(own, none, _CMP_GT_OQ)));
    }
    if (first == 0 && last > 0) r[0] = pair.top > 0 ? pair.top * q[0] - top : 0.0f;
    if (level.separates) drop_held(level, c, r);
    const float bottom = level.diagonal.bottom(c);
    if (bottom <= 0) return 0;
    return bottom * level.q.bottom(c) - pair.bottom_top * q[0] -
           (bottom_neighbours(level, c) - level.b.bottom(c));
}

ResidualNorm residual_norm(const Level& level) {
    const Grid& g = level.grid;
    std::vector<ResidualNorm> rows(g.nz());
    parallel_for(static_cast<std::size_t>(g.nz()), 1, [&](std::size_t z) {
        ResidualNorm& sum = rows[z];
        alignas(32) float r[kMaxLength + 8];
        const auto add = [&](double value) {
            sum.l2 += value * value;
            sum.max = std::max(sum.max, std::abs(value));
        };
        const int from = g.column(0, static_cast<int>(z));
        for (int c = from; c < from + g.nx(); ++c) {
            add(column_residual(level, c, r));
            for (int i = level.first[c]; i < level.last[c]; ++i) {
                add(r[i]);
                sum.unknowns += level.diagonal.at(c)[i] > 0;
            }
            sum.unknowns += level.diagonal.bottom(c) > 0;
        }
    });
    ResidualNorm all;
    for (const ResidualNorm& r : rows) {
        all.l2 += r.l2;
        all.max = std::max(all.max, r.max);
        all.unknowns += r.unknowns;
    }
    all.l2 = std::sqrt(all.l2 / static_cast<double>(std::max<std::size_t>(1, all.unknowns)));
    return all;
}

}  // namespace slosh::tall
