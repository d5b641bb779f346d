// Rows of the pressure system from phi and the open fraction.
#include <immintrin.h>

#include <algorithm>

#include "slosh/tall/column_kernels.h"
#include "slosh/tall/level.h"

namespace slosh::tall {

namespace {

/// Cells that are nearly solid carry no unknown.
constexpr float kLeastOpen = 1e-3f;
constexpr float kMostGhost = 1 / kMinTheta;

bool is_unknown(float phi, float open) {
    return phi < 0 && open > kLeastOpen;
}

/// What a neighbour adds to the sum of weights of a liquid cell with 1 / phi_c = inverse.
inline float weight(float open, float phi, float inverse) {
    const float ghost = std::min(1 - phi * inverse, kMostGhost);
    return open * (phi < 0 ? 1.0f : ghost);
}

/// k of the tall cell, as the row of one end sees it: a ghost value if the other end is air.
struct Conduction {
    float bottom = 0, top = 0;
};

Conduction conduction(const Level& level, int c) {
    const float slope = level.grid.slope(c), w = level.open.bottom(c);
    const float phi_b = level.phi.bottom(c), phi_t = level.phi.at(c)[0];
    const auto seen = [&](float own, float other) {
        return slope * w * (other < 0 ? 1.0f : std::min(1 - other / own, kMostGhost));
    };
    return {phi_b < 0 ? seen(phi_b, phi_t) : 0.0f, phi_t < 0 ? seen(phi_t, phi_b) : 0.0f};
}

/// d of all cells of a column but the bottom.
void column_diagonal(Level& level, int c) {
    const Grid& g = level.grid;
    // Above its end a column is air.
    const int n = std::min((level.phi.end(c) + 7) / 8 * 8, g.length());
    const Neighbourhood<Under::Bottom> phi(level.phi, g, c, n);
    const Neighbourhood<Under::Nothing> open(level.open, g, c, n);
    const float* p = level.phi.at(c);
    const float* w = level.open.at(c);
    float* d = level.diagonal.at(c);
    const auto row = [&](int i, float below) {
        const bool unknown = is_unknown(p[i], w[i]);
        const float inverse = 1 / (unknown ? p[i] : -1.0f);
        float sum = weight(w[i + 1], p[i + 1], inverse);
        sum += below < 0 ? weight(w[i - 1], p[i - 1], inverse) : below;
        for (int k = 0; k < 4; ++k) sum += weight(open.side[k][i], phi.side[k][i], inverse);
        return unknown ? sum / w[i] : 0.0f;
    };
    for (int i = 1; i < n; ++i) d[i] = row(i, -1);
    unsigned char* plain = &level.plain[static_cast<std::size_t>(c) * (g.length() / 8)];
    for (int i = 0; i < n; i += 8) {
        __m256 least = _mm256_load_ps(w + i), most = _mm256_load_ps(p + i);
        const auto see = [&](const float* ww, const float* pp) {
            least = _mm256_min_ps(least, _mm256_loadu_ps(ww));
            most = _mm256_max_ps(most, _mm256_loadu_ps(pp));
        };
        see(w + i - 1, p + i - 1);
        see(w + i + 1, p + i + 1);
        for (int k = 0; k < 4; ++k) see(open.side[k] + i, phi.side[k] + i);
        const __m256 open_all = _mm256_cmp_ps(least, _mm256_set1_ps(1), _CMP_EQ_OQ);
        const __m256 wet_all = _mm256_cmp_ps(most, _mm256_setzero_ps(), _CMP_LT_OQ);
        plain[i / 8] =
            static_cast<unsigned char>(_mm256_movemask_ps(_mm256_and_ps(open_all, wet_all)));
    }
    d[0] = row(0, conduction(level, c).top);
    for (int i = g.ny() + 1; i < n; ++i) d[i] = 0;
    for (int i = n; i < level.last[c]; ++i) d[i] = 0;  // of the last step
}

float bottom_diagonal(const Level& level, int c) {
    const Grid& g = level.grid;
    const int y = g.bottom(c);
    const float p = level.phi.bottom(c), w = level.open.bottom(c);
    if (!is_unknown(p, w)) return 0;
    float sum = 0;
    for (int step : {-g.step_x(), g.step_x(), -g.step_z(), g.step_z()})
        sum += weight(level.open.value(g, c + step, y, Under::Nothing),
                      level.phi.value(g, c + step, y, Under::Bottom), 1 / p);
    return (level.beside_bottom * sum + conduction(level, c).bottom) / w;
}

void find_range(Level& level, int c) {
    const Grid& g = level.grid;
    const float* d = level.diagonal.at(c);
    int first = g.length(), last = 0;
    for (int i = 0; i < std::min(level.phi.end(c), g.ny() + 1); i += 8) {
        const __m256 unknown =
            _mm256_cmp_ps(_mm256_load_ps(d + i), _mm256_setzero_ps(), _CMP_GT_OQ);
        if (_mm256_movemask_ps(unknown) == 0) continue;
        first = std::min(first, i);
        last = i + 8;
    }
    level.first[c] = static_cast<short>(first < last ? first : 0);
    level.last[c] = static_cast<short>(last);
}

TallPair tall_pair(const Level& level, int c) {
    TallPair pair;
    const float bottom = level.diagonal.bottom(c);
    if (bottom > 0 && level.diagonal.at(c)[0] > 0) {
        const float k = level.grid.slope(c) * level.open.bottom(c);
        pair.bottom_top = k / level.open.at(c)[0];
        pair.top_bottom = k / level.open.bottom(c);
    }
    pair.pivot = bottom > 0 ? 1 / bottom : 0.0f;
    pair.top = level.diagonal.at(c)[0];
    return pair;
}

Beside beside_of(const Grid& g, int c) {
    const int steps[4] = {-g.step_x(), g.step_x(), -g.step_z(), g.step_z()};
    const int y = g.bottom(c);
    Beside b;
    bool apart = false;
    for (int k = 0; k < 4; ++k) {
        const int n = c + steps[k], shift = g.top(c) - g.top(n), far = steps[k] * g.stride();
        apart = apart || shift < -Grid::kBelow || shift > Grid::kBelow;
        b.shift[k] = far + shift;
        if (y > g.top(n)) {  // a regular cell, or above them all
            const bool inside = y <= g.highest(n);
            b.value[k] = far + (inside ? y - g.top(n) : 0);
            b.value_share[k] = inside ? 1.0f : 0.0f;
        } else if (y >= g.bottom(n)) {
            b.value[k] = far;
            b.value_share[k] = static_cast<float>(y - g.bottom(n)) * g.slope(n);
            b.bottom_share[k] = 1 - b.value_share[k];
        }
    }
    if (apart) b.shift[0] = Beside::kApart;
    return b;
}

}  // namespace

void Level::resize(const Grid& new_grid, float air) {
    grid = new_grid;
    phi.resize(grid, air);
    open.resize(grid, 1.0f);
    for (Columns<float>* f : {&q, &b, &diagonal, &spread}) f->resize(grid);
    pair.assign(grid.columns(), {});
    from_coarse.assign(grid.columns(), {});
    beside.assign(grid.columns(), {});
    row_batches.assign(2 * static_cast<std::size_t>(grid.nz()) + 1, 0);
    plain.assign(grid.columns() * static_cast<std::size_t>(grid.length() / 8), 0);
    merit.assign(grid.columns(), 0.0f);
    first.assign(grid.columns(), 0);
    last.assign(grid.columns(), 0);
}

void zero_pressure(Level& level, int c) {
    float* q = level.q.at(c);
    std::fill(q - Grid::kBelow, q + level.last[c], 0.0f);
    level.q.bottom(c) = 0;
}

void build_rows(Level& level) {
    for_each_column(level.grid, [&](int c) {
        zero_pressure(level, c);  // of the last step
        if (level.phi.end(c) == 0) {
            std::fill(level.diagonal.at(c), level.diagonal.at(c) + level.last[c], 0.0f);
            level.diagonal.bottom(c) = 0;
            level.first[c] = level.last[c] = 0;
            return;
        }
        column_diagonal(level, c);
        level.diagonal.bottom(c) = bottom_diagonal(level, c);
        find_range(level, c);
        if (!level.has_unknowns(c)) return;
        level.pair[c] = tall_pair(level, c);
        level.beside[c] = beside_of(level.grid, c);
    });
    build_batches(level);
    build_merit(level);
}

}  // namespace slosh::tall
