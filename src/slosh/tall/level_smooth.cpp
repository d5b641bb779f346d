// Solving columns, and the residual.
#include <immintrin.h>

#include <cmath>

#include "slosh/tall/column_kernels.h"
#include "slosh/tall/level.h"

namespace slosh::tall {

namespace {

/// Sum of q over the four world neighbours of a bottom, at its own height.
float bottom_neighbours(const Level& level, int c) {
    const Grid& g = level.grid;
    const int y = g.bottom(c);
    float sum = 0;
    for (int step : {-g.step_x(), g.step_x(), -g.step_z(), g.step_z()})
        sum += level.q.value(g, c + step, y, Under::Nothing);
    return level.beside_bottom * sum;
}

/// out[i] = sum of q beside cell i, less b, for i in [first, last).
void beside_less_b(const Level& level, int c, int first, int last, float* out) {
    const Neighbourhood<Under::Nothing> q(level.q, level.grid, c, last);
    const float* b = level.b.at(c);
    for (int i = first; i < last; i += 8) {
        const __m256 x =
            _mm256_add_ps(_mm256_loadu_ps(q.side[0] + i), _mm256_loadu_ps(q.side[1] + i));
        const __m256 z =
            _mm256_add_ps(_mm256_loadu_ps(q.side[2] + i), _mm256_loadu_ps(q.side[3] + i));
        _mm256_store_ps(out + i, _mm256_sub_ps(_mm256_add_ps(x, z), _mm256_load_ps(b + i)));
    }
}

/// Columns solved together: their recurrences are independent chains that hide each other's
/// latency.
constexpr int kTogether = 4;

struct Batch {
    int column[kTogether];
    int count = 0;
};

void solve_batch(Level& level, const Batch& batch) {
    const Grid& g = level.grid;
    alignas(32) float n[kTogether][kMaxLength + 8];
    const float* m[kTogether];
    float* q[kTogether];
    float z[kTogether], at_bottom[kTogether];
    int lo = kMaxLength, hi = 0;
    for (int k = 0; k < batch.count; ++k) {
        const int c = batch.column[k];
        lo = std::min<int>(lo, level.first[c]);
        hi = std::max<int>(hi, level.last[c]);
    }
    for (int k = 0; k < kTogether; ++k) {
        const int c = batch.column[std::min(k, batch.count - 1)];  // the last once more: harmless
        m[k] = level.pivot.at(c);
        q[k] = level.q.at(c);
        beside_less_b(level, c, lo, hi, n[k]);
        const TallPair& pair = level.pair[c];
        at_bottom[k] = (bottom_neighbours(level, c) - level.b.bottom(c)) * pair.pivot;
        z[k] = 0;
        if (lo == 0 && hi > 0) {  // the top's row: z[-1] is what its bottom passes on
            n[k][0] += pair.top_bottom * at_bottom[k];
        }
    }
    for (int i = lo; i < hi; ++i)
        for (int k = 0; k < kTogether; ++k) n[k][i] = z[k] = m[k][i] * (n[k][i] + z[k]);
    for (int k = 0; k < kTogether; ++k) z[k] = 0;
    for (int i = hi - 1; i >= lo; --i)
        for (int k = 0; k < kTogether; ++k) q[k][i] = z[k] = n[k][i] + m[k][i] * z[k];
    for (int k = 0; k < batch.count; ++k) {
        const int c = batch.column[k];
        const TallPair& pair = level.pair[c];
        level.q.bottom(c) = at_bottom[k] + pair.pivot * pair.bottom_top * q[k][0];
        level.q.refresh(g, c, Under::Nothing);
    }
}

}  // namespace

void smooth_columns(Level& level, int colour) {
    const Grid& g = level.grid;
    parallel_for(static_cast<std::size_t>(g.nz()), 4, [&](std::size_t z) {
        const int from = g.column(0, static_cast<int>(z));
        Batch batch;
        for (int c = from + ((static_cast<int>(z) + colour) & 1); c < from + g.nx(); c += 2) {
            if (!level.has_unknowns(c)) continue;
            batch.column[batch.count++] = c;
            if (batch.count == kTogether) {
                solve_batch(level, batch);
                batch.count = 0;
            }
        }
        if (batch.count > 0) solve_batch(level, batch);
    });
}

float column_residual(const Level& level, int c, float* r) {
    const Grid& g = level.grid;
    const int first = level.first[c], last = level.last[c];
    std::fill(r, r + g.length(), 0.0f);
    if (!level.has_unknowns(c)) return 0;
    beside_less_b(level, c, first, last, r);
    const float* q = level.q.at(c);
    const float* d = level.diagonal.at(c);
    const TallPair& pair = level.pair[c];
    const float top = r[0] + pair.top_bottom * level.q.bottom(c) + q[1];
    for (int i = first; i < last; ++i) {
        const float sum = r[i] + q[i - 1] + q[i + 1];
        r[i] = d[i] > 0 ? d[i] * q[i] - sum : 0.0f;
    }
    if (first == 0 && last > 0) r[0] = d[0] > 0 ? d[0] * q[0] - top : 0.0f;
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
