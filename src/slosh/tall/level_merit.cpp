// What the residual of a tall cell's bottom is worth to the coarser level.
//
// The row of a bottom on a ledge sees the water beside it, but the tall cell beside it has no row
// at that height that would see the bottom: the system is not symmetric, and what such a row lacks
// is not what the water as a whole lacks. A restriction keeps the error of the coarse level in
// bounds only if it weights rows by a vector y with y^T A = 0 for smooth errors. For the bottoms,
// with unit weight on the tops,
//
//     y_k (k_k + sum_l o_kl)  =  k_k + sum_l o_lk (1 - a_lk) y_l
//
// where k is the flow along the tall cell, o_kl the weight of neighbour l in row k, and 1 - a_lk
// the share of bottom k in the interpolation that row l sees. On level ground y = 1; on a ledge
// over deep water it is about k, some hundredths. Without it the cycle diverges on rough ground.
#include <algorithm>
#include <array>

#include "slosh/tall/column_kernels.h"
#include "slosh/tall/level.h"

namespace slosh::tall {

namespace {

/// Sweeps for y from nothing, and from the y of the step before. With 8 from nothing the cycle
/// diverges over some deep rough grounds, with 16 over none of two hundred.
constexpr int kFirstSweeps = 30, kSweeps = 8;

struct Terms {
    float own = 0;                ///< k_k over the diagonal.
    std::array<float, 4> from{};  ///< o_lk (1 - a_lk) over the diagonal, for the four neighbours.
};

Terms terms_of(const Level& level, int c) {
    const Grid& g = level.grid;
    Terms t;
    if (level.diagonal.bottom(c) <= 0) return t;
    const float k = g.slope(c) * level.open.bottom(c);
    const int steps[4] = {-g.step_x(), g.step_x(), -g.step_z(), g.step_z()};
    float diagonal = k;
    for (int side = 0; side < 4; ++side) {
        const int n = c + steps[side];
        diagonal += level.beside_bottom * level.open.value(g, n, g.bottom(c), Under::Nothing);
        const int height = g.bottom(n) - g.bottom(c);
        if (height < 0 || level.diagonal.bottom(n) <= 0) continue;
        const float share = 1 - static_cast<float>(height) * g.slope(c);
        t.from[side] = level.beside_bottom * level.open.bottom(c) * std::max(share, 0.0f);
    }
    t.own = k / diagonal;
    for (float& f : t.from) f /= diagonal;
    return t;
}

}  // namespace

void build_merit(Level& level) {
    const Grid& g = level.grid;
    std::vector<float>& y = level.merit;
    const bool known = std::any_of(y.begin(), y.end(), [](float v) { return v > 0; });
    std::vector<Terms> terms(g.columns());
    for_each_column(g, [&](int c) {
        terms[c] = terms_of(level, c);
        if (level.diagonal.bottom(c) <= 0)
            y[c] = 0;
        else if (y[c] <= 0)
            y[c] = 1;
    });
    if (level.as_printed) return;
    for (int sweep = 0; sweep < (known ? kSweeps : kFirstSweeps); ++sweep)
        for (int colour = 0; colour < 2; ++colour)
            for_each_column_of(g, colour, [&](int c) {
                const Terms& t = terms[c];
                y[c] = t.own + t.from[0] * y[c - g.step_x()] + t.from[1] * y[c + g.step_x()] +
                       t.from[2] * y[c - g.step_z()] + t.from[3] * y[c + g.step_z()];
            });
}

}  // namespace slosh::tall
