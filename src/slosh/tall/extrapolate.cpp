#include "slosh/tall/extrapolate.h"

#include <immintrin.h>

#include <cmath>

#include "slosh/tall/column_kernels.h"

namespace slosh::tall {

namespace {

constexpr int kUp = 1;  ///< Lane of the vertical component.
/// Largest share by which it grows in a cell: water three cells deep.
constexpr float kMostRise = 0.5f;
constexpr int kKnown = 3;  ///< Lane that is 1 where a velocity is known, else all four are 0.

/// Scaled so that the known share becomes 1; unknown stays 0.
Float4 normalised(const Float4& sum) {
    return sum[kKnown] > 1e-6f ? sum / sum[kKnown] : Float4{};
}

void mark_known(const Level& level, Velocity& u, int z) {
    for_each_in_row(level.grid, z, [&](int c) {
        if (u.end(c) == 0) return;
        const float* phi = level.phi.at(c);
        const float* w = level.open.at(c);
        Float4* v = u.at(c);
        for (int i = 0; i < u.end(c); ++i)
            v[i] = phi[i] < 0 && w[i] > 0 ? Float4{v[i][0], v[i][1], v[i][2], 1} : Float4{};
        Float4& b = u.bottom(c);
        b = level.phi.bottom(c) < 0 && level.open.bottom(c) > 0 ? Float4{b[0], b[1], b[2], 1}
                                                                : Float4{};
        u.refresh(level.grid, c, Under::Bottom);
    });
}

/// Cells of a column that are no water and lie in `band` of the surface, without a velocity yet, by
/// body(offset).
template <class Body>
void for_each_unknown(const Level& level, float band, const Velocity& u, int c, const Body& body) {
    const float* phi = level.phi.at(c);
    const float* w = level.open.at(c);
    const Float4* v = u.at(c);
    const __m256 none = _mm256_setzero_ps(), most = _mm256_set1_ps(band);
    const int start = level.grid.start(c), end = u.end(c);
    for (int i = start / 8 * 8; i < end; i += 8) {
        const __m256 p = _mm256_load_ps(phi + i);
        const __m256 dry = _mm256_or_ps(_mm256_cmp_ps(p, none, _CMP_GE_OQ),
                                        _mm256_cmp_ps(_mm256_load_ps(w + i), none, _CMP_LE_OQ));
        const __m256 near = _mm256_cmp_ps(p, most, _CMP_LE_OQ);
        unsigned bits = static_cast<unsigned>(_mm256_movemask_ps(_mm256_and_ps(dry, near)));
        if (i < start) bits &= 0xffu << (start - i);
        if (end - i < 8) bits &= 0xffu >> (8 - (end - i));
        for (; bits; bits &= bits - 1) {
            const int k = i + __builtin_ctz(bits);
            if (v[k][kKnown] <= 0) body(k);
        }
    }
}

/// What the vertical velocity of air at offset i has over that of the water below it: it goes on
/// growing as in the two cells under it. Water rises fastest at its surface, half a cell above the
/// last cell centre; taken from there alone, waves on water 8 cells deep were 6 % too slow.
float rise_above(const float* phi, const Float4* v, int i) {
    if (i < 2 || phi[i] < 0 || phi[i - 1] >= 0 || phi[i - 2] >= 0) return 0;
    if (v[i - 1][kKnown] < 0.99f || v[i - 2][kKnown] < 0.99f) return 0;
    const float own = v[i - 1][kUp], most = kMostRise * std::abs(own);
    return std::clamp(own - v[i - 2][kUp], -most, most);
}

/// One layer more, for row z: unknown cells in `band` of the surface take the mean of the known
/// neighbours nearer to it, each by its share of the gradient of phi. That is the steady state of
/// eq. (7), upwind.
void grow_layer(const Level& level, float band, int z, const Velocity& u, Velocity& next) {
    const Grid& g = level.grid;
    for_each_in_row(g, z, [&](int c) {
        const int n = u.end(c);
        const int steps[4] = {-g.step_x(), g.step_x(), -g.step_z(), g.step_z()};
        const float* phi = level.phi.at(c);
        const Float4* v = u.at(c);
        Float4 room[4][kMaxLength + 8];
        float phi_room[4][kMaxLength + 8];
        const Float4* beside[4];
        const float* phi_beside[4];
        bool ready = false;
        for_each_unknown(level, band, u, c, [&](int i) {
            if (!ready)
                for (int k = 0; k < 4; ++k) {
                    beside[k] = u.aligned(g, c + steps[k], g.top(c), n, Under::Bottom, room[k]);
                    phi_beside[k] =
                        level.phi.aligned(g, c + steps[k], g.top(c), n, Under::Bottom, phi_room[k]);
                }
            ready = true;
            Float4 sum{};
            const auto add = [&](const Float4& from, float other) {
                if (from[kKnown] > 0.99f && other < phi[i]) sum += (phi[i] - other) * from;
            };
            for (int k = 0; k < 4; ++k) add(beside[k][i], phi_beside[k][i]);
            add(v[i - 1], phi[i - 1]);
            add(v[i + 1], phi[i + 1]);
            next.at(c)[i] = normalised(sum);
            next.at(c)[i][kUp] += rise_above(phi, v, i);
        });
    });
}

/// Takes what grow_layer has found.
void take_layer(const Level& level, float band, int z, const Velocity& next, Velocity& u) {
    for_each_in_row(level.grid, z, [&](int c) {
        for_each_unknown(level, band, u, c, [&](int i) { u.at(c)[i] = next.at(c)[i]; });
        if (u.end(c) > 0) u.refresh(level.grid, c, Under::Bottom);
    });
}

/// Row z of `to`: mean of the known velocities of the eight finer cells.
void down(const Grid& fine, const Velocity& from, const Grid& coarse, Velocity& to, int z) {
    Float4 room[2 * kMaxLength + 64];
    for (int x = 0; x < coarse.nx(); ++x) {
        const int c = coarse.column(x, z), f = fine.column(2 * x, 2 * z);
        const int children[4] = {f, f + fine.step_x(), f + fine.step_z(),
                                 f + fine.step_x() + fine.step_z()};
        int end = 0;
        for (int k : children)
            if (from.end(k) > 0)
                end = std::max(end, (from.end(k) + fine.top(k) + 1) / 2 - coarse.top(c));
        const int n = std::min(end, coarse.ny() + 1);
        to.set_end(c, n);
        Float4* out = to.at(c);
        std::fill(out, out + n, Float4{});
        Float4 bottom{};
        for (int child : children) {
            const Float4* p =
                from.aligned(fine, child, 2 * coarse.top(c), 2 * n, Under::Nothing, room);
            for (int i = 0; i < n; ++i) out[i] += p[2 * i] + p[2 * i + 1];
            bottom += from.bottom(child);
        }
        for (int i = 0; i < n; ++i) out[i] = normalised(out[i]);
        to.bottom(c) = normalised(bottom);
        to.refresh(coarse, c, Under::Bottom);
    }
}

/// Gives the coarsest grid, which is small, a velocity everywhere: along columns from the nearest
/// known cell, in columns without one the mean of the others.
void complete(const Grid& g, Velocity& u) {
    Float4 mean{};
    for (int z = 0; z < g.nz(); ++z)
        for (int x = 0; x < g.nx(); ++x) {
            const int c = g.column(x, z);
            Float4* v = u.at(c);
            u.set_end(c, g.ny() + 1);
            for (int i = 0; i <= g.ny(); ++i) {
                const Float4& below = i > 0 ? v[i - 1] : u.bottom(c);
                if (v[i][kKnown] <= 0) v[i] = below;
            }
            for (int i = g.ny() - 1; i >= 0; --i)
                if (v[i][kKnown] <= 0) v[i] = v[i + 1];
            mean += v[g.ny()];
        }
    mean = normalised(mean);
    for (int z = 0; z < g.nz(); ++z)
        for (int x = 0; x < g.nx(); ++x) {
            const int c = g.column(x, z);
            for (int i = 0; i <= g.ny(); ++i)
                if (u.at(c)[i][kKnown] <= 0) u.at(c)[i] = mean;
            if (u.bottom(c)[kKnown] <= 0) u.bottom(c) = u.at(c)[0];
            u.refresh(g, c, Under::Bottom);
        }
}

/// Fills what is unknown on the fine grid by linear interpolation of what is known on the coarse
/// one.
void up(const Grid& coarse, const Velocity& from, const Grid& fine, Velocity& to) {
    constexpr float kWeight[4] = {9.0f / 16, 3.0f / 16, 3.0f / 16, 1.0f / 16};
    for_each_row(fine, [&](int z) {
        Float4 room[kMaxLength + 24], line[kMaxLength + 24];
        Float4* mixed = line + 1;
        for (int x = 0; x < fine.nx(); ++x) {
            const int c = fine.column(x, z), top = fine.top(c), end = to.end(c);
            if (end == 0) continue;
            // The border holds zeros, and so counts as unknown.
            const int near = coarse.column(x >> 1, z >> 1);
            const int dx = (x & 1) ? coarse.step_x() : -coarse.step_x();
            const int dz = (z & 1) ? coarse.step_z() : -coarse.step_z();
            const int around[4] = {near, near + dx, near + dz, near + dx + dz};
            const int base = top >> 1, n = (end + 1) / 2 + 2;
            std::fill(mixed - 1, mixed + n, Float4{});
            for (int k = 0; k < 4; ++k) {
                const Float4* p = from.aligned(coarse, around[k], base, n, Under::Bottom, room);
                for (int i = -1; i < n; ++i) mixed[i] += kWeight[k] * p[i];
            }
            Float4* out = to.at(c);
            for (int i = fine.start(c); i < end; ++i) {
                if (out[i][kKnown] > 0) continue;
                const int y = top + i, k = (y >> 1) - base;
                out[i] = normalised(0.75f * mixed[k] + 0.25f * mixed[(y & 1) ? k + 1 : k - 1]);
            }
            if (to.bottom(c)[kKnown] <= 0) to.bottom(c) = out[0];
            to.refresh(fine, c, Under::Bottom);
        }
    });
}

}  // namespace

void extrapolate(const std::vector<Level>& levels, ExtrapolationRoom& room, Velocity& velocity) {
    const Level& finest = levels.front();
    if (!room.next.fits(finest.grid)) room.next.resize(finest.grid);
    const float dx = static_cast<float>(finest.grid.dx());
    room.coarse.resize(levels.size());
    for (std::size_t l = 1; l < levels.size(); ++l)
        if (!room.coarse[l].fits(levels[l].grid)) room.coarse[l].resize(levels[l].grid);
    // The last stage takes rows to the next level while they are in cache.
    run_wavefront(stages_over(finest.grid, levels.size() > 1 ? 6 : 5), [&](int stage, int z) {
        const float band = stage < 3 ? 2 * dx : 3 * dx;
        if (stage == 0)
            mark_known(finest, velocity, z);
        else if (stage == 5) {
            if (z % 2) down(finest.grid, velocity, levels[1].grid, room.coarse[1], z / 2);
        } else if (stage % 2)
            grow_layer(finest, band, z, velocity, room.next);
        else
            take_layer(finest, band, z, room.next, velocity);
    });
    for (std::size_t l = 2; l < levels.size(); ++l)
        for_each_row(levels[l].grid, [&](int z) {
            down(levels[l - 1].grid, room.coarse[l - 1], levels[l].grid, room.coarse[l], z);
        });
    Velocity& coarsest = levels.size() > 1 ? room.coarse.back() : velocity;
    complete(levels.back().grid, coarsest);
    for (std::size_t l = levels.size() - 1; l > 0; --l)
        up(levels[l].grid, room.coarse[l], levels[l - 1].grid,
           l == 1 ? velocity : room.coarse[l - 1]);
}

}  // namespace slosh::tall
