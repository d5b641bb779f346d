// Rows of the pressure system from phi and the open fraction.
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
    const int n = g.length();
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
    d[0] = row(0, conduction(level, c).top);
    for (int i = g.ny() + 1; i < n; ++i) d[i] = 0;
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

/// A pivot of a closed pocket without air would be zero: such a column has no unique pressure.
float reciprocal(float pivot, float diagonal) {
    return diagonal > 0 ? 1 / std::max(pivot, 1e-4f * diagonal) : 0.0f;
}

void column_pivots(Level& level, int c) {
    const Grid& g = level.grid;
    const float* d = level.diagonal.at(c);
    float* m = level.pivot.at(c);
    const float bottom = level.diagonal.bottom(c);

    TallPair pair;
    if (bottom > 0 && d[0] > 0) {
        const float k = g.slope(c) * level.open.bottom(c);
        pair.bottom_top = k / level.open.at(c)[0];
        pair.top_bottom = k / level.open.bottom(c);
    }
    pair.pivot = reciprocal(bottom, bottom);
    level.pair[c] = pair;

    m[0] = reciprocal(d[0] - pair.top_bottom * pair.bottom_top * pair.pivot, d[0]);
    const int n = g.ny() + 1;
    int first = n, last = 0;
    if (d[0] > 0) first = 0, last = 1;
    for (int i = 1; i < n; ++i) {
        m[i] = reciprocal(d[i] - m[i - 1], d[i]);
        if (d[i] > 0) first = std::min(first, i), last = i + 1;
    }
    level.first[c] = static_cast<short>(first < last ? first / 8 * 8 : 0);
    level.last[c] = static_cast<short>(first < last ? (last + 7) / 8 * 8 : 0);
}

}  // namespace

void Level::resize(const Grid& new_grid, float air) {
    grid = new_grid;
    phi.resize(grid, air);
    open.resize(grid, 1.0f);
    for (Columns<float>* f : {&q, &b, &diagonal, &pivot, &spread}) f->resize(grid);
    pair.assign(grid.columns(), {});
    merit.assign(grid.columns(), 0.0f);
    first.assign(grid.columns(), 0);
    last.assign(grid.columns(), 0);
}

void build_rows(Level& level) {
    for_each_column(level.grid, [&](int c) {
        column_diagonal(level, c);
        level.diagonal.bottom(c) = bottom_diagonal(level, c);
        column_pivots(level, c);
    });
    build_merit(level);
}

}  // namespace slosh::tall
