// Eight cells of a column at a time; those without air or solid around them take a short cut, which
// gives what the whole formula gives.
#include "slosh/tall/projection.h"

#include <immintrin.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "slosh/tall/column_kernels.h"

namespace slosh::tall {

namespace {

constexpr int kSides = 4;  ///< Left, right, before, behind.
constexpr float kSign[kSides] = {-1, 1, -1, 1};

/// The columns beside one, each read by its offsets.
template <class T, Under under>
struct Sides {
    const T* at[kSides];
    T room[kSides][kMaxLength + 8];

    Sides(const Columns<T>& f, const Grid& g, int c, int count) {
        const int steps[kSides] = {-g.step_x(), g.step_x(), -g.step_z(), g.step_z()};
        for (int k = 0; k < kSides; ++k)
            at[k] = f.aligned(g, c + steps[k], g.top(c), count, under, room[k]);
    }
};

/// Component k of eight velocities.
template <int k>
__m256 component(const Float4* u) {
    const float* p = reinterpret_cast<const float*>(u);
    const __m256 a = _mm256_shuffle_ps(_mm256_loadu_ps(p), _mm256_loadu_ps(p + 8), k * 0x55);
    const __m256 b = _mm256_shuffle_ps(_mm256_loadu_ps(p + 16), _mm256_loadu_ps(p + 24), k * 0x55);
    const __m256 mixed = _mm256_shuffle_ps(a, b, 0x88);  // cells 0 2 4 6, 1 3 5 7
    return _mm256_permutevar8x32_ps(mixed, _mm256_setr_epi32(0, 4, 1, 5, 2, 6, 3, 7));
}

/// Takes (x, y, z) off eight velocities.
void take_off(__m256 x, __m256 y, __m256 z, Float4* u) {
    const __m256 none = _mm256_setzero_ps();
    const __m256 a = _mm256_unpacklo_ps(x, y), b = _mm256_unpackhi_ps(x, y);
    const __m256 c = _mm256_unpacklo_ps(z, none), d = _mm256_unpackhi_ps(z, none);
    const __m256 e0 = _mm256_shuffle_ps(a, c, 0x44), e1 = _mm256_shuffle_ps(a, c, 0xee);
    const __m256 e2 = _mm256_shuffle_ps(b, d, 0x44), e3 = _mm256_shuffle_ps(b, d, 0xee);
    float* p = reinterpret_cast<float*>(u);
    const auto less = [&](int k, __m256 by) {
        _mm256_storeu_ps(p + 8 * k, _mm256_sub_ps(_mm256_loadu_ps(p + 8 * k), by));
    };
    less(0, _mm256_permute2f128_ps(e0, e1, 0x20));
    less(1, _mm256_permute2f128_ps(e2, e3, 0x20));
    less(2, _mm256_permute2f128_ps(e0, e1, 0x31));
    less(3, _mm256_permute2f128_ps(e2, e3, 0x31));
}

__m256 ones(float v) {
    return _mm256_set1_ps(v);
}

/// 1 - phi_n / phi_c, bounded as in the rows.
float ghost(float phi, float inverse) {
    return std::min(1 - phi * inverse, 1 / kMinTheta);
}
__m256 ghost(__m256 phi, __m256 inverse) {
    return _mm256_min_ps(_mm256_fnmadd_ps(phi, inverse, ones(1)), ones(1 / kMinTheta));
}

/// The cells beside a bottom, at its height.
struct BesideBottom {
    const Grid& g;
    const Beside& at;
    int c, y;

    BesideBottom(const Level& level, int column)
        : g(level.grid), at(level.beside[column]), c(column), y(g.bottom(column)) {}
    int column(int k) const {
        const int steps[kSides] = {-g.step_x(), g.step_x(), -g.step_z(), g.step_z()};
        return c + steps[k];
    }
    template <class T>
    T value(const Columns<T>& f, int k, Under under) const {
        const float a = at.value_share[k], b = at.bottom_share[k];
        if (a == 0 && b == 0) return f.value(g, column(k), y, under);
        return a * f.at(c)[at.value[k]] + b * f.bottom(column(k));
    }
    /// Of the cell above the bottom, in the tall cell.
    template <class T>
    T above(const Columns<T>& f) const {
        return f.bottom(c) + g.slope(c) * (f.at(c)[0] - f.bottom(c));
    }
};

/// What a column's divergence is made of.
struct Outflow {
    const Level& level;
    const Velocity& velocity;
    const RestPressure& rest;
    float walls;   ///< What moving walls push out of each of its cells.
    float growth;  ///< What each of its cells is to grow by.

    /// b of offsets i ... i + 7, all of them water without air or solid around.
    __m256 plain(const Sides<Float4, Under::Bottom>& u, const Float4* own, int i) const {
        const __m256 x = _mm256_sub_ps(component<0>(u.at[1] + i), component<0>(u.at[0] + i));
        const __m256 z = _mm256_sub_ps(component<2>(u.at[3] + i), component<2>(u.at[2] + i));
        const __m256 y = _mm256_sub_ps(component<1>(own + i + 1), component<1>(own + i - 1));
        return _mm256_fmsub_ps(ones(0.5f), _mm256_add_ps(_mm256_add_ps(x, z), y), ones(growth));
    }

    /// The same whatever is around them.
    __m256 any(const Sides<Float4, Under::Bottom>& u, const Sides<float, Under::Nothing>& w,
               const Sides<float, Under::Bottom>& phi, int c, int i) const {
        const Grid& g = level.grid;
        const Float4* own = velocity.at(c);
        const float* ww = level.open.at(c);
        const float* pp = level.phi.at(c);
        const __m256 half = ones(0.5f), drop = ones(rest.drop), none = _mm256_setzero_ps();
        const auto open = [&](int k) { return _mm256_loadu_ps(w.at[k] + i); };
        const __m256 up = _mm256_loadu_ps(ww + i + 1), down = _mm256_loadu_ps(ww + i - 1);

        const __m256 ux = component<0>(own + i), uz = component<2>(own + i);
        const __m256 uy = _mm256_add_ps(component<1>(own + i), drop);
        __m256 sum = _mm256_mul_ps(open(1), _mm256_add_ps(ux, component<0>(u.at[1] + i)));
        const auto less = [&](__m256 v, __m256 n, __m256 weight) {
            sum = _mm256_fnmadd_ps(weight, _mm256_add_ps(v, n), sum);
        };
        const auto more = [&](__m256 v, __m256 n, __m256 weight) {
            sum = _mm256_fmadd_ps(weight, _mm256_add_ps(v, n), sum);
        };
        less(ux, component<0>(u.at[0] + i), open(0));
        more(uz, component<2>(u.at[3] + i), open(3));
        less(uz, component<2>(u.at[2] + i), open(2));
        more(uy, _mm256_add_ps(component<1>(own + i + 1), drop), up);
        less(uy, _mm256_add_ps(component<1>(own + i - 1), drop), down);
        __m256 b = _mm256_fmadd_ps(half, sum, ones(walls - growth));

        // Beside air: P_rest does not cancel gravity there, and the ghost value is of the whole.
        const __m256 own_phi = _mm256_loadu_ps(pp + i);
        const __m256 inverse = _mm256_div_ps(ones(1), _mm256_min_ps(own_phi, ones(-1e-12f)));
        __m256 ghosts = none;
        const auto air = [&](const float* f, __m256 weight) {
            const __m256 there = _mm256_loadu_ps(f);
            const __m256 dry = _mm256_cmp_ps(there, none, _CMP_GE_OQ);
            const __m256 share = _mm256_and_ps(dry, weight);
            ghosts = _mm256_fmadd_ps(share, ghost(there, inverse), ghosts);
            return share;
        };
        for (int k = 0; k < kSides; ++k) air(phi.at[k] + i, open(k));
        const __m256 air_up = air(pp + i + 1, up), air_down = air(pp + i - 1, down);
        b = _mm256_fnmadd_ps(drop, _mm256_sub_ps(air_up, air_down), b);
        return _mm256_fmadd_ps(ghosts, rest_of_eight(rest, g.top(c) + i), b);
    }

    /// What differs in the row of a tall cell's top: its flow downwards is that along the cell.
    float top(int c) const {
        const float phi = level.phi.at(c)[0], below = level.phi.bottom(c);
        const float along = level.open.bottom(c), beside = level.open.at(c)[-1];
        const float next = level.phi.at(c)[-1], pressure = rest(level.grid.top(c));
        const auto flow = [&](float weight, float there, float share) {
            return there < 0 ? weight * rest.drop
                             : -share * weight * ghost(there, 1 / phi) * pressure;
        };
        return flow(beside, next, 1) - flow(along, below, level.grid.slope(c));
    }

    float bottom(int c) const {
        const BesideBottom at(level, c);
        const Float4& own = velocity.bottom(c);
        const float phi = level.phi.bottom(c), pressure = rest(level.grid.bottom(c));
        float sum = 0, ghosts = 0;
        for (int k = 0; k < kSides; ++k) {
            const float w = at.value(level.open, k, Under::Nothing);
            if (w <= 0) continue;
            const int axis = k < 2 ? 0 : 2;
            sum += kSign[k] * w * (own[axis] + at.value(velocity, k, Under::Bottom)[axis]);
            const float there = at.value(level.phi, k, Under::Bottom);
            if (there >= 0) ghosts += w * ghost(there, 1 / phi);
        }
        const float up = at.above(level.open), along = level.open.bottom(c);
        sum += up * (own[1] + at.above(velocity)[1]);  // gravity and all
        const float top = level.phi.at(c)[0];
        const float rise = top < 0 ? along * rest.drop
                                   : level.grid.slope(c) * along * ghost(top, 1 / phi) * pressure;
        return 0.5f * sum + rise + ghosts * pressure + walls - growth;
    }
};

/// What moving walls push out of the cells of column (x, z).
float wall_outflow(const Grid& g, const MovingSolids& solids, int x, int z) {
    const bool touches[kSides] = {x == 0, x == g.nx() - 1, z == 0, z == g.nz() - 1};
    float sum = 0;
    for (int k = 0; k < kSides; ++k)
        if (touches[k]) sum += kSign[k] * solids.wall[k];
    return sum;
}

/// Adds what bodies push into the cells around them.
void add_bodies(const SolidCells& bodies, Level& level) {
    const Grid& g = level.grid;
    const int steps[kSides] = {-g.step_x(), g.step_x(), -g.step_z(), g.step_z()};
    const auto add = [&](int c, int y, float flow) {
        const int i = y - g.top(c);
        if (i >= 0 && i <= g.ny() && level.diagonal.at(c)[i] > 0) level.b.at(c)[i] += flow;
        if (i < 0 && y == g.bottom(c) && level.diagonal.bottom(c) > 0) level.b.bottom(c) += flow;
    };
    for (const SolidCells::Cell& k : bodies.cells()) {
        const Float4& m = bodies.motion().at(k.column)[k.offset];
        const int y = g.top(k.column) + k.offset;
        // Seen from the column on side s, the body is on the other side.
        for (int s = 0; s < kSides; ++s) add(k.column + steps[s], y, -kSign[s] * m[s < 2 ? 0 : 2]);
        add(k.column, y - 1, m[1]);
        add(k.column, y + 1, -m[1]);
    }
}

}  // namespace

void divergence(const Velocity& velocity, const MovingSolids& solids, const RestPressure& rest,
                const Growth& growth, Level& level) {
    const Grid& g = level.grid;
    const float dx = static_cast<float>(g.dx());
    const float everywhere = static_cast<float>(growth.everywhere * g.dx());
    for_each_row(g, [&](int z) {
        for (int x = 0; x < g.nx(); ++x) {
            const int c = g.column(x, z), first = level.first[c], last = level.last[c];
            if (!level.has_unknowns(c)) continue;
            const float more =
                growth.columns ? (*growth.columns)[static_cast<std::size_t>(z) * g.nx() + x] : 0;
            const Outflow out{level, velocity, rest, wall_outflow(g, solids, x, z),
                              everywhere + dx * more};
            const Sides<Float4, Under::Bottom> u(velocity, g, c, last);
            const Sides<float, Under::Nothing> w(level.open, g, c, last);
            const Sides<float, Under::Bottom> phi(level.phi, g, c, last);
            float* b = level.b.at(c);
            for (int i = first; i < last; i += 8) {
                if (level.all_plain(c, i) && out.walls == 0) {
                    _mm256_store_ps(b + i, out.plain(u, velocity.at(c), i));
                    continue;
                }
                const __m256 unknown = _mm256_cmp_ps(_mm256_load_ps(level.diagonal.at(c) + i),
                                                     _mm256_setzero_ps(), _CMP_GT_OQ);
                _mm256_store_ps(b + i, _mm256_and_ps(unknown, out.any(u, w, phi, c, i)));
            }
            if (first == 0 && last > 0 && level.diagonal.at(c)[0] > 0 && !level.is_plain(c, 0))
                b[0] += out.top(c);
            level.b.bottom(c) = level.diagonal.bottom(c) > 0 ? out.bottom(c) : 0.0f;
        }
    });
    if (solids.bodies) add_bodies(*solids.bodies, level);
}

namespace {

/// What the pressure takes off the velocity of cells, less what it takes in still water.
struct PressureStep {
    const Level& level;
    const RestPressure& rest;

    /// Offsets i ... i + 7 of column c.
    void take(const Sides<float, Under::Nothing>& q, const Sides<float, Under::Nothing>& w,
              const Sides<float, Under::Bottom>& phi, int c, int i, Float4* u) const {
        const float *qq = level.q.at(c), *ww = level.open.at(c), *pp = level.phi.at(c);
        const __m256 none = _mm256_setzero_ps(), least = ones(1e-12f);
        const __m256 own_open = _mm256_max_ps(_mm256_loadu_ps(ww + i), least);
        const __m256 own_phi = _mm256_min_ps(_mm256_loadu_ps(pp + i), ones(-1e-12f));
        const __m256 pressure = _mm256_div_ps(_mm256_loadu_ps(qq + i), own_open);
        const __m256 inverse = _mm256_div_ps(ones(1), own_phi);
        const __m256 whole = _mm256_add_ps(pressure, rest_of_eight(rest, level.grid.top(c) + i));
        // Rise of P' to a neighbour times its weight, beside air that of P less that of P_rest.
        const auto rise = [&](const float* nq, __m256 weight, const float* np, float rest_rise) {
            const __m256 there = _mm256_loadu_ps(np);
            const __m256 wet = _mm256_fnmadd_ps(weight, pressure, _mm256_loadu_ps(nq));
            const __m256 dry = _mm256_mul_ps(
                weight, _mm256_fnmadd_ps(whole, ghost(there, inverse), ones(-rest_rise)));
            return _mm256_blendv_ps(dry, wet, _mm256_cmp_ps(there, none, _CMP_LT_OQ));
        };
        const auto mean = [&](__m256 high, __m256 low, __m256 open) {
            const __m256 step = _mm256_div_ps(_mm256_sub_ps(high, low), _mm256_max_ps(open, least));
            return _mm256_and_ps(step, _mm256_cmp_ps(open, none, _CMP_GT_OQ));
        };
        const auto axis = [&](int k) {
            const __m256 a = _mm256_loadu_ps(w.at[k] + i), b = _mm256_loadu_ps(w.at[k + 1] + i);
            return mean(rise(q.at[k + 1] + i, b, phi.at[k + 1] + i, 0),
                        rise(q.at[k] + i, a, phi.at[k] + i, 0), _mm256_add_ps(a, b));
        };
        const __m256 down = _mm256_loadu_ps(ww + i - 1), up = _mm256_loadu_ps(ww + i + 1);
        const __m256 y =
            mean(rise(qq + i + 1, up, pp + i + 1, -rest.drop),
                 rise(qq + i - 1, down, pp + i - 1, rest.drop), _mm256_add_ps(down, up));
        const __m256 unknown =
            _mm256_cmp_ps(_mm256_load_ps(level.diagonal.at(c) + i), none, _CMP_GT_OQ);
        take_off(_mm256_and_ps(unknown, axis(0)),
                 _mm256_and_ps(unknown, _mm256_sub_ps(y, ones(rest.drop))),
                 _mm256_and_ps(unknown, axis(2)), u + i);
    }

    /// The same where no air or solid is.
    void take_plain(const Sides<float, Under::Nothing>& q, int c, int i, Float4* u) const {
        const float* qq = level.q.at(c);
        const auto half = [&](const float* high, const float* low) {
            return _mm256_mul_ps(ones(0.5f),
                                 _mm256_sub_ps(_mm256_loadu_ps(high), _mm256_loadu_ps(low)));
        };
        take_off(half(q.at[1] + i, q.at[0] + i),
                 _mm256_sub_ps(half(qq + i + 1, qq + i - 1), ones(rest.drop)),
                 half(q.at[3] + i, q.at[2] + i), u + i);
    }

    Float4 bottom(int c) const {
        const BesideBottom at(level, c);
        const float own_phi = level.phi.bottom(c), inverse = 1 / own_phi;
        const float pressure = level.q.bottom(c) / level.open.bottom(c);
        const float whole = pressure + rest(level.grid.bottom(c));
        const auto rise = [&](float q, float w, float phi, float rest_rise) {
            return phi < 0 ? q - w * pressure : w * (-whole * ghost(phi, inverse) - rest_rise);
        };
        float sum[2] = {}, open[2] = {};
        for (int k = 0; k < kSides; ++k) {
            const float w = at.value(level.open, k, Under::Nothing);
            sum[k / 2] += kSign[k] * rise(at.value(level.q, k, Under::Nothing), w,
                                          at.value(level.phi, k, Under::Bottom), 0);
            open[k / 2] += w;
        }
        const float up = at.above(level.open);
        const float y = rise(at.above(level.q), up, at.above(level.phi), -rest.drop);
        return Float4{open[0] > 0 ? sum[0] / open[0] : 0.0f, (up > 0 ? y / up : 0.0f) - rest.drop,
                      open[1] > 0 ? sum[1] / open[1] : 0.0f, 0};
    }
};

}  // namespace

std::vector<float> subtract_gradient(const Level& level, const RestPressure& rest,
                                     Velocity& velocity) {
    const Grid& g = level.grid;
    const PressureStep step{level, rest};
    std::vector<float> squares(g.columns());
    for_each_column(g, [&](int c) {
        if (!level.has_unknowns(c)) return;
        const int last = level.last[c];
        const Sides<float, Under::Nothing> q(level.q, g, c, last), w(level.open, g, c, last);
        const Sides<float, Under::Bottom> phi(level.phi, g, c, last);
        for (int i = level.first[c]; i < last; i += 8)
            if (level.all_plain(c, i))
                step.take_plain(q, c, i, velocity.at(c));
            else
                step.take(q, w, phi, c, i, velocity.at(c));
        if (level.diagonal.bottom(c) > 0) velocity.bottom(c) -= step.bottom(c);
        velocity.refresh(g, c, Under::Bottom);
        const float* d = level.diagonal.at(c);
        float& fastest = squares[c];
        for (int i = level.first[c]; i < last; ++i)
            if (d[i] > 0) fastest = faster(fastest, velocity.at(c)[i]);
        if (level.diagonal.bottom(c) > 0) fastest = faster(fastest, velocity.bottom(c));
    });
    return squares;
}

}  // namespace slosh::tall
