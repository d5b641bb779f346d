#include "slosh/tall/separation.h"

#include <immintrin.h>

#include "slosh/tall/column_kernels.h"

namespace slosh::tall {

namespace {

/// Choices of a column's active cells before what has been found is taken; two or three do.
constexpr int kMaxChoices = 8;

void clear_bounds(Level& level, int c, int first, int last) {
    level.bounded[c] = {static_cast<short>(first), static_cast<short>(last)};
    std::fill(level.lower.at(c) + first, level.lower.at(c) + last, kUnbounded);
}

/// Keeps the part of a column's range in which there are bounds.
void trim_bounds(Level& level, int c) {
    const float* lower = level.lower.at(c);
    Level::Range& range = level.bounded[c];
    const auto free = [&](int i) {
        return std::all_of(lower + i, lower + i + 8, [](float b) { return b == kUnbounded; });
    };
    while (range.first < range.last && free(range.first)) range.first += 8;
    while (range.first < range.last && free(range.last - 8)) range.last -= 8;
}

/// One column as a tridiagonal complementarity: rows d_i q_i - q_{i-1} - q_{i+1} = n_i.
struct ColumnProblem {
    Level& level;
    const int c, first, last;
    alignas(32) float n[kMaxLength + 8], m[kMaxLength + 8];
    bool held[kMaxLength + 8];
    float from_bottom = 0;

    ColumnProblem(Level& l, int column)
        : level(l), c(column), first(l.first[column]), last(l.last[column]) {
        beside_less_b(level, c, first, last, n);
        from_bottom = (bottom_neighbours(level, c) - level.b.bottom(c)) * level.pair[c].pivot;
    }

    void solve_with_choice() {
        const TallPair& pair = level.pair[c];
        const float* d = level.diagonal.at(c);
        const float* lower = level.lower.at(c);
        float* q = level.q.at(c);
        float pivot = first == 0 ? pair.top_bottom * pair.bottom_top * pair.pivot : 0.0f;
        float z = first == 0 ? pair.top_bottom * from_bottom : 0.0f;
        for (int i = first; i < last; ++i) {
            if (held[i]) {
                pivot = 0;
                z = lower[i];
            } else {
                // As in the batches: a pocket without air has no unique pressure.
                pivot = d[i] > 0 ? 1 / std::max(d[i] - pivot, 1e-4f * d[i]) : 0.0f;
                z = (n[i] + z) * pivot;
            }
            m[i] = pivot;
            q[i] = z;
        }
        for (int i = last - 2; i >= first; --i) q[i] += m[i] * q[i + 1];
        level.q.bottom(c) = from_bottom + pair.pivot * pair.bottom_top * q[0];
    }

    /// Whether the choice has changed: a held cell wants more pressure, or a free one breaks its
    /// bound.
    bool choose() {
        const float* d = level.diagonal.at(c);
        const float* lower = level.lower.at(c);
        const float* q = level.q.at(c);
        bool changed = false;
        for (int i = std::max<int>(first, level.bounded[c].first);
             i < std::min<int>(last, level.bounded[c].last); ++i) {
            if (lower[i] == kUnbounded) continue;
            bool hold = q[i] < lower[i];
            if (held[i]) {
                const float below = i > 0 ? q[i - 1] : level.pair[c].top_bottom * level.q.bottom(c);
                hold = d[i] * q[i] - below - q[i + 1] - n[i] >= 0;
            }
            changed = changed || hold != held[i];
            held[i] = hold;
        }
        return changed;
    }
};

bool breaks_bounds(const Level& level, int c) {
    const Level::Range range = level.bounded[c];
    const float *q = level.q.at(c), *lower = level.lower.at(c);
    for (int i = range.first; i < range.last; i += 8)
        if (_mm256_movemask_ps(
                _mm256_cmp_ps(_mm256_load_ps(q + i), _mm256_load_ps(lower + i), _CMP_LT_OQ)))
            return true;
    return false;
}

/// The six cells around one, left, right, before, behind, below, above: open fraction and the
/// solid's speed along the axis.
struct Around {
    float open[6], speed[6];
};
constexpr float kSide[6] = {-1, 1, -1, 1, -1, 1};

Around look_around(const Level& level, const MovingSolids& solids, int c, int i) {
    const Grid& g = level.grid;
    const int steps[4] = {-g.step_x(), g.step_x(), -g.step_z(), g.step_z()}, y = g.top(c) + i;
    const int x = c % g.step_z() - 1, z = c / g.step_z() - 1;
    const bool at_wall[4] = {x == 0, x == g.nx() - 1, z == 0, z == g.nz() - 1};
    Around out;
    for (int k = 0; k < 6; ++k) {
        const int column = k < 4 ? c + steps[k] : c, height = k < 4 ? y : y + (k == 4 ? -1 : 1);
        const int axis = k < 2 ? 0 : k < 4 ? 2 : 1, offset = height - g.top(column);
        out.open[k] = level.open.value(g, column, height, Under::Nothing);
        out.speed[k] = k < 4 && at_wall[k] ? solids.wall[k] : 0.0f;
        if (!solids.bodies || offset < 0 || offset > g.ny()) continue;
        const float part = solids.bodies->fraction().at(column)[offset];
        if (part > 0) out.speed[k] = solids.bodies->motion().at(column)[offset][axis] / part;
    }
    return out;
}

}  // namespace

void make_room_for_bounds(Level& level) {
    level.lower.resize(level.grid, kUnbounded);
    level.bounded.assign(level.grid.columns(), {});
}

void set_bounds(const RestPressure& rest, Level& level) {
    const Grid& g = level.grid;
    for_each_column(g, [&](int c) {
        const int first = level.first[c], last = level.last[c];
        clear_bounds(level, c, first, last);
        if (first == last) return;
        const Neighbourhood<Under::Nothing> open(level.open, g, c, last);
        const float *w = level.open.at(c), *d = level.diagonal.at(c);
        float* lower = level.lower.at(c);
        for (int i = first; i < last; ++i) {
            if (d[i] <= 0) continue;
            float least = std::min({w[i], w[i - 1], w[i + 1]});
            for (int k = 0; k < 4; ++k) least = std::min(least, open.side[k][i]);
            if (least < 1) lower[i] = -w[i] * rest(g.top(c) + i);
        }
        trim_bounds(level, c);
        enforce_bounds(level, c);
        level.q.refresh(g, c, Under::Nothing);
    });
}

void bound_column(const Level& fine, Level& coarse, int x, int z) {
    const Grid &f = fine.grid, &g = coarse.grid;
    const int to = g.column(x, z), c = f.column(2 * x, 2 * z);
    const int children[4] = {c, c + f.step_x(), c + f.step_z(), c + f.step_x() + f.step_z()};
    coarse.bounded[to] = {};
    const int n = coarse.last[to];
    if (std::all_of(children, children + 4,
                    [&](int k) { return fine.bounded[k].first == fine.bounded[k].last; }))
        return;
    clear_bounds(coarse, to, 0, n);
    float* lower = coarse.lower.at(to);
    for (int child : children) {
        if (!fine.has_unknowns(child)) continue;  // its bounds are old
        for (int i = fine.bounded[child].first; i < fine.bounded[child].last; ++i) {
            const float bound = fine.lower.at(child)[i];
            const int k = ((f.top(child) + i) >> 1) - g.top(to);
            if (bound == kUnbounded || k < 0 || k >= n || coarse.diagonal.at(to)[k] <= 0) continue;
            const float left = (bound - fine.q.at(child)[i]) / fine.open.at(child)[i];
            lower[k] = std::max(lower[k], coarse.open.at(to)[k] * left);
        }
    }
    trim_bounds(coarse, to);
}

void hold_bounds(Level& level, const Batch& batch) {
    for (int k = 0; k < batch.count; ++k) {
        const int c = batch.column[k];
        if (!breaks_bounds(level, c)) continue;
        ColumnProblem problem(level, c);
        std::fill(problem.held, problem.held + kMaxLength, false);
        for (int choice = 0; choice < kMaxChoices && problem.choose(); ++choice)
            problem.solve_with_choice();
        enforce_bounds(level, c);
        level.q.refresh(level.grid, c, Under::Nothing);
    }
}

void enforce_bounds(Level& level, int c) {
    const Level::Range range = level.bounded[c];
    float* q = level.q.at(c);
    for (int i = range.first; i < range.last; i += 8)
        _mm256_store_ps(
            q + i, _mm256_max_ps(_mm256_load_ps(q + i), _mm256_load_ps(level.lower.at(c) + i)));
}

void drop_held(const Level& level, int c, float* r) {
    const Level::Range range = level.bounded[c];
    const float *q = level.q.at(c), *lower = level.lower.at(c);
    for (int i = range.first; i < range.last; ++i)
        if (q[i] <= lower[i] && r[i] > 0) r[i] = 0;
}

std::vector<ReleasedCell> released_cells(const Level& level, const MovingSolids& solids,
                                         const Columns<float>& phi, const Velocity& velocity) {
    const Grid& g = level.grid;
    const float dx = static_cast<float>(g.dx());
    std::vector<ReleasedCell> out;
    for (int z = 0; z < g.nz(); ++z)
        for_each_in_row(g, z, [&](int c) {
            for (int i = level.bounded[c].first; i < level.bounded[c].last; ++i) {
                if (level.q.at(c)[i] > level.lower.at(c)[i]) continue;
                const Around around = look_around(level, solids, c, i);
                const Float4& u = velocity.at(c)[i];
                const float own = 1 - level.open.at(c)[i];
                ReleasedCell cell{c, i, phi.at(c)[i], 0, 0, 0};
                for (int k = 0; k < 6; ++k) {
                    const float solid = 1 - around.open[k];
                    if (solid <= 0) continue;
                    const float leaves = -kSide[k] * (u[k < 2   ? 0
                                                        : k < 4 ? 2
                                                                : 1] -
                                                      around.speed[k]);
                    if (leaves * solid <= cell.apart) continue;
                    cell.apart = leaves * solid;
                    cell.side = k < 2 ? k : k < 4 ? k + 2 : k - 2;
                    // Fractions are those of a plane: 1/2 less its distance in cells.
                    cell.gap = dx * std::max(own > 0 ? 0.5f - own : 1.5f - solid, 0.0f);
                }
                if (cell.apart > 0) out.push_back(cell);
            }
        });
    return out;
}

void let_air_in(const Grid& g, const std::vector<ReleasedCell>& released, double dt,
                Columns<float>& phi) {
    for (const ReleasedCell& k : released) {
        if (k.offset >= phi.end(k.column)) continue;
        float& p = phi.at(k.column)[k.offset];
        p = std::max(p, std::max(k.phi, -k.gap) + k.apart * static_cast<float>(dt));
        if (k.offset == 0) phi.refresh(g, k.column, Under::Bottom);
    }
}

}  // namespace slosh::tall
