// Between two levels of the pressure hierarchy.
#include <immintrin.h>

#include "slosh/tall/column_kernels.h"
#include "slosh/tall/level.h"
#include "slosh/tall/separation.h"

namespace slosh::tall {

namespace {

constexpr int kRoom = 2 * kMaxLength + 64;

/// The four fine columns under coarse column (x, z).
struct Children {
    int c[4];
    Children(const Grid& fine, int x, int z) {
        c[0] = fine.column(2 * x, 2 * z);
        c[1] = c[0] + fine.step_x();
        c[2] = c[0] + fine.step_z();
        c[3] = c[2] + fine.step_x();
    }
};

constexpr int kFront = 8;  ///< Floats before a sum's first that whole vectors may touch.

/// Adds fine values r (offsets of column c, whole vectors) to `sum`, where sum[0] is world cell
/// `base`. What lies lower goes to no coarse cell: the coarse tall cell measures only its ends.
void add_line(const Grid& fine, int c, const float* r, int first, int last, int base, int count,
              float* sum) {
    const int shift = fine.top(c) - base, end = std::min(last, count - shift);
    for (int i = std::max(first, -shift / 8 * 8); i < end; i += 8)
        _mm256_storeu_ps(sum + i + shift,
                         _mm256_add_ps(_mm256_loadu_ps(sum + i + shift), _mm256_load_ps(r + i)));
}

/// Half the sums of pairs: eight of them.
__m256 half_pairs(const float* a) {
    const __m256 low = _mm256_loadu_ps(a), high = _mm256_loadu_ps(a + 8);
    const __m256 sum =
        _mm256_add_ps(_mm256_shuffle_ps(low, high, 0x88), _mm256_shuffle_ps(low, high, 0xdd));
    const __m256d order = _mm256_permute4x64_pd(_mm256_castps_pd(sum), 0xd8);
    return _mm256_mul_ps(_mm256_set1_ps(0.5f), _mm256_castpd_ps(order));
}

/// What is restricted: a right side that is to be solved for from nothing, or what sweeps have
/// left.
enum class Part { Start, Rest };

/// b of the coarse column (x, z). line(c, room, r) points r at the fine values of a column (in room
/// or elsewhere) and returns that of its bottom; `skip` leaves out a colour. Bottoms count by their
/// merit (level_merit.cpp).
template <class Line>
void restrict_column(const Level& fine, Level& coarse, int x, int z, Part part, bool skip,
                     const Line& line) {
    const Grid& f = fine.grid;
    const Grid& g = coarse.grid;
    const int to = g.column(x, z);
    if (!coarse.has_unknowns(to)) return;
    const int base = 2 * g.top(to), n = coarse.last[to];
    alignas(32) float sums[kFront + kRoom];
    alignas(32) float room[kMaxLength + 8];
    float* sum = sums + kFront;
    std::fill(sums, sum + 2 * n + 8, 0.0f);
    float bottom = 0, merit = 0, open = 0;
    for (int c : Children(f, x, z).c) {
        merit += fine.merit[c];
        open += fine.open.bottom(c);
    }
    // What a coarse bottom lacks on the whole is what its fine ones lack, by their merit, over its
    // own: with the mean of theirs instead, residuals of ledges about a pit blow the pit's water
    // up. On the way down from a right side that mean brings still water to rest sooner.
    float share = merit > 0 ? open / merit : 0.0f;
    if (part == Part::Rest) {
        // A correction that comes back to bottoms on slopes is up to 2.4 times too large: fine rows
        // look only downhill there, and a coarse row averages.
        const float relax = fine.beside_bottom == 1 ? 0.6f : 0.9f, worth = 4 * coarse.merit[to];
        share = worth > 0 ? relax * open / worth : 0.0f;
    }
    for (int k = 0; k < 4; ++k) {
        if (skip && (k == 1 || k == 2)) continue;  // x + z odd: colour 1
        const int c = Children(f, x, z).c[k];
        if (!fine.has_unknowns(c)) continue;
        const float* r = room;
        const float end = line(c, room, r);
        add_line(f, c, r, fine.first[c], fine.last[c], base, 2 * n, sum);
        // A fine bottom as high as the coarse top is an ordinary cell there. All lower ones go
        // to the coarse bottom, wherever terrain has put them.
        if (f.bottom(c) >= base) {
            if (f.bottom(c) - base < 2 * n) sum[f.bottom(c) - base] += end;
        } else if (!fine.as_printed)
            bottom += end * share * fine.merit[c];
        else if (f.bottom(c) >> 1 == g.bottom(to))
            bottom += end;
    }
    // Eight cells average to one; h^2 has grown by four.
    float* b = coarse.b.at(to);
    for (int i = 0; i < n; i += 8) _mm256_store_ps(b + i, half_pairs(sum + 2 * i));
    coarse.b.bottom(to) = 0.5f * bottom;
    float* q = coarse.q.at(to);
    std::fill(q - Grid::kBelow, q + n, 0.0f);
    coarse.q.bottom(to) = 0;
    if (coarse.separates) bound_column(fine, coarse, x, z);
}

/// Coarse values around fine column (x, z): sum over the four nearest coarse columns with the
/// weights of linear interpolation.
struct Around {
    int c[4];
    static constexpr float kWeight[4] = {9.0f / 16, 3.0f / 16, 3.0f / 16, 1.0f / 16};
    Around(const Grid& coarse, int x, int z) {
        const int dx = (x & 1) ? coarse.step_x() : -coarse.step_x();
        const int dz = (z & 1) ? coarse.step_z() : -coarse.step_z();
        c[0] = coarse.column(x >> 1, z >> 1);
        c[1] = c[0] + dx;
        c[2] = c[0] + dz;
        c[3] = c[0] + dx + dz;
    }
};

/// Weighted sum of four columns, eight values from p[k][i] on.
__m256 mix(const float* const p[4], int i) {
    __m256 sum = _mm256_mul_ps(_mm256_set1_ps(Around::kWeight[0]), _mm256_loadu_ps(p[0] + i));
    for (int k = 1; k < 4; ++k)
        sum = _mm256_fmadd_ps(_mm256_set1_ps(Around::kWeight[k]), _mm256_loadu_ps(p[k] + i), sum);
    return sum;
}

/// Fine values from coarse ones, sixteen from each eight: `low` and `high` in turns.
void use_in_turns(__m256 low, __m256 high, int i, int first, int last, const auto& use) {
    const __m256 a = _mm256_unpacklo_ps(low, high), b = _mm256_unpackhi_ps(low, high);
    if (i >= first) use(i, _mm256_permute2f128_ps(a, b, 0x20));
    if (i + 8 < last) use(i + 8, _mm256_permute2f128_ps(a, b, 0x31));
}

/// Interpolates `f` (on the coarse grid) at the cells of fine column (x, z) and calls use(i, eight
/// values) for i in [first, last), whole vectors. Nothing goes through memory: what is stored and
/// read again at an odd shift makes the processor wait.
template <class Use>
void interpolate_column(const Columns<float>& f, const Grid& coarse, const Grid& fine, int x, int z,
                        int first, int last, const Use& use) {
    const Around around(coarse, x, z);
    const int top = fine.top(fine.column(x, z)), base = top >> 1;
    const int from = first / 16 * 16,
              count = (last + 15) / 16 * 8 + 1;  // coarse cells from base on
    float room[4][kMaxLength + 24];
    const float* p[4];
    for (int k = 0; k < 4; ++k)
        p[k] = f.aligned(coarse, around.c[k], base, count, Under::Nothing, room[k]);
    const __m256 near = _mm256_set1_ps(0.75f), far = _mm256_set1_ps(0.25f);
    const auto between = [&](__m256 own, __m256 other) {
        return _mm256_fmadd_ps(far, other, _mm256_mul_ps(near, own));
    };
    // Fine cell 2Y lies a quarter below the centre of coarse cell Y, 2Y + 1 a quarter above.
    if (top % 2 == 0)
        for (int i = from; i < last; i += 16) {
            const __m256 own = mix(p, i / 2);
            use_in_turns(between(own, mix(p, i / 2 - 1)), between(own, mix(p, i / 2 + 1)), i, first,
                         last, use);
        }
    else
        for (int i = from; i < last; i += 16) {
            const __m256 own = mix(p, i / 2), above = mix(p, i / 2 + 1);
            use_in_turns(between(own, above), between(above, own), i, first, last, use);
        }
}

/// How the bottom of fine column (x, z) is interpolated, if only from ends of tall cells.
FromCoarse bottom_from(const Grid& coarse, const Grid& fine, int x, int z) {
    const Around around(coarse, x, z);
    const int y = fine.bottom(fine.column(x, z)), near = y >> 1,
              far = (y & 1) ? near + 1 : near - 1;
    FromCoarse from;
    for (int k = 0; k < 4; ++k) {
        const int c = around.c[k];
        if (std::max(near, far) > coarse.top(c)) return {};
        // Under the ground lies what lies on it.
        const auto height = [&](int at) {
            return static_cast<float>(std::max(0, at - coarse.bottom(c))) * coarse.slope(c);
        };
        const float a = 0.75f * height(near) + 0.25f * height(far);
        from.top[k] = Around::kWeight[k] * a;
        from.bottom[k] = Around::kWeight[k] * (1 - a);
    }
    from.ends = true;
    return from;
}

/// `f` at the bottom of fine column (x, z).
float interpolate_bottom(const Columns<float>& f, const Grid& coarse, const Grid& fine, int x,
                         int z, const FromCoarse& from) {
    const Around around(coarse, x, z);
    float sum = 0;
    if (from.ends) {
        for (int k = 0; k < 4; ++k)
            sum += from.top[k] * f.at(around.c[k])[0] + from.bottom[k] * f.bottom(around.c[k]);
        return sum;
    }
    const int y = fine.bottom(fine.column(x, z)), near = y >> 1,
              far = (y & 1) ? near + 1 : near - 1;
    for (int k = 0; k < 4; ++k)
        sum += Around::kWeight[k] * (0.75f * f.value(coarse, around.c[k], near, Under::Bottom) +
                                     0.25f * f.value(coarse, around.c[k], far, Under::Bottom));
    return sum;
}

}  // namespace

void restrict_row(const Level& fine, Level& coarse, int z) {
    for (int x = 0; x < coarse.grid.nx(); ++x)
        restrict_column(
            fine, coarse, x, z, Part::Rest, !fine.as_printed,
            [&](int c, float* room, const float*&) { return column_residual(fine, c, room); });
}

void restrict_residual(const Level& fine, Level& coarse) {
    for_each_row(coarse.grid, [&](int z) {
        for (int x = 0; x < coarse.grid.nx(); ++x)
            restrict_column(
                fine, coarse, x, z, Part::Start, false,
                [&](int c, float* room, const float*&) { return column_residual(fine, c, room); });
    });
}

void restrict_right_side(const Level& fine, Level& coarse) {
    for_each_row(coarse.grid, [&](int z) {
        for (int x = 0; x < coarse.grid.nx(); ++x)
            restrict_column(fine, coarse, x, z, Part::Start, false,
                            [&](int c, float*, const float*& r) {
                                r = fine.b.at(c);
                                return fine.b.bottom(c);
                            });
    });
}

void prolong_row(const Level& coarse, Level& fine, int z) {
    const Grid& f = fine.grid;
    for (int x = 0; x < f.nx(); ++x) {
        const int c = f.column(x, z), first = fine.first[c], last = fine.last[c];
        if (!fine.has_unknowns(c)) continue;
        float* q = fine.q.at(c);
        const float* spread = fine.spread.at(c);
        interpolate_column(coarse.q, coarse.grid, f, x, z, first, last, [&](int i, __m256 more) {
            _mm256_store_ps(
                q + i, _mm256_fmadd_ps(_mm256_load_ps(spread + i), more, _mm256_load_ps(q + i)));
        });
        if (fine.separates) enforce_bounds(fine, c);
        if (fine.diagonal.bottom(c) > 0)
            fine.q.bottom(c) +=
                fine.spread.bottom(c) *
                interpolate_bottom(coarse.q, coarse.grid, f, x, z, fine.from_coarse[c]);
        fine.q.refresh(f, c, Under::Nothing);
    }
}

namespace {

/// Sums over the fine cells of a coarse one, weighted by their open fractions: of eight such at a
/// time, or before cells are paired of eight fine ones.
struct PhiSums {
    __m256 open = _mm256_setzero_ps(), phi = open, air_open = open, air_phi = open;
    void add(__m256 w, __m256 p) {
        open = _mm256_add_ps(open, w);
        phi = _mm256_fmadd_ps(w, p, phi);
        const __m256 air = _mm256_and_ps(w, _mm256_cmp_ps(p, _mm256_setzero_ps(), _CMP_GE_OQ));
        air_open = _mm256_add_ps(air_open, air);
        air_phi = _mm256_fmadd_ps(air, p, air_phi);
    }
    /// phi of the coarse cells; of wholly solid ones `otherwise`.
    __m256 value(bool keep_air, float otherwise) const {
        const __m256 none = _mm256_setzero_ps(), least = _mm256_set1_ps(1e-20f);
        const __m256 mixed = _mm256_and_ps(_mm256_cmp_ps(air_open, none, _CMP_GT_OQ),
                                           _mm256_cmp_ps(air_open, open, _CMP_LT_OQ));
        const __m256 all = _mm256_div_ps(phi, _mm256_max_ps(open, least));
        const __m256 air = _mm256_div_ps(air_phi, _mm256_max_ps(air_open, least));
        const __m256 some = keep_air ? _mm256_blendv_ps(all, air, mixed) : all;
        return _mm256_blendv_ps(_mm256_set1_ps(otherwise), some,
                                _mm256_cmp_ps(open, none, _CMP_GT_OQ));
    }
};

void coarsen_column(const Level& fine, Level& coarse, int x, int z, bool keep_air) {
    const Grid& f = fine.grid;
    const Grid& g = coarse.grid;
    const int to = g.column(x, z), base = 2 * g.top(to);
    const Children children(f, x, z);
    int end = 0;  // of the coarse column: beyond is air
    for (int c : children.c)
        if (fine.phi.end(c) > 0)
            end = std::max({end, 1, (fine.phi.end(c) + f.top(c) - base) / 2 + 1});
    end = std::min(end, g.ny() + 1);
    const int n = (end + 7) / 8 * 8;
    alignas(32) float sums[4][kRoom];  // open, phi, air_open, air_phi of pairs to be
    float room_w[4][kRoom], room_p[4][kRoom];
    const float *fw[4], *fp[4];
    PhiSums low;
    float open = 0, any = 0;
    for (int k = 0; k < 4; ++k) {
        const int c = children.c[k];
        fw[k] = fine.open.aligned(f, c, base, 2 * n, Under::Nothing, room_w[k]);
        fp[k] = fine.phi.aligned(f, c, base, 2 * n, Under::Bottom, room_p[k]);
        low.add(_mm256_set1_ps(fine.open.bottom(c)), _mm256_set1_ps(fine.phi.bottom(c)));
        open += 0.25f * fine.open.bottom(c);
        any += 0.25f * fine.phi.bottom(c);
    }
    for (int i = 0; i < 2 * n; i += 8) {
        PhiSums four;
        for (int k = 0; k < 4; ++k)
            four.add(_mm256_loadu_ps(fw[k] + i), _mm256_loadu_ps(fp[k] + i));
        _mm256_store_ps(sums[0] + i, four.open);
        _mm256_store_ps(sums[1] + i, four.phi);
        _mm256_store_ps(sums[2] + i, four.air_open);
        _mm256_store_ps(sums[3] + i, four.air_phi);
    }
    float* w = coarse.open.at(to);
    float* phi = coarse.phi.at(to);
    coarse.phi.set_end(to, end);
    for (int i = 0; i < n; i += 8) {
        PhiSums eight;  // halved all alike
        eight.open = half_pairs(sums[0] + 2 * i);
        eight.phi = half_pairs(sums[1] + 2 * i);
        eight.air_open = half_pairs(sums[2] + 2 * i);
        eight.air_phi = half_pairs(sums[3] + 2 * i);
        _mm256_store_ps(w + i, _mm256_mul_ps(_mm256_set1_ps(0.25f), eight.open));
        _mm256_store_ps(phi + i, eight.value(keep_air, any));
    }
    std::fill(w + end, w + g.length(), 1.0f);
    std::fill(phi + end, phi + n, coarse.phi.above());
    coarse.phi.bottom(to) = _mm256_cvtss_f32(low.value(keep_air, any));
    coarse.open.bottom(to) = open;
    coarse.phi.refresh(g, to, Under::Bottom);
    coarse.open.refresh(g, to, Under::Nothing);
}

/// fine.spread: what an interpolated q must be multiplied with. Solid coarse cells have weight 0,
/// so it is an interpolation from open cells with its weights normalised.
void build_spread(Level& fine, const Level& coarse) {
    const Grid& f = fine.grid;
    for_each_row(f, [&](int z) {
        const __m256 none = _mm256_setzero_ps(), least = _mm256_set1_ps(0.05f);
        for (int x = 0; x < f.nx(); ++x) {
            const int c = f.column(x, z), first = fine.first[c], last = fine.last[c];
            if (!fine.has_unknowns(c)) continue;
            const auto put = [&](int i, __m256 open) {
                const __m256 share =
                    _mm256_div_ps(_mm256_load_ps(fine.open.at(c) + i), _mm256_max_ps(open, least));
                const __m256 unknown =
                    _mm256_cmp_ps(_mm256_load_ps(fine.diagonal.at(c) + i), none, _CMP_GT_OQ);
                _mm256_store_ps(fine.spread.at(c) + i, _mm256_and_ps(unknown, share));
            };
            interpolate_column(coarse.open, coarse.grid, f, x, z, first, last, put);
            if (fine.diagonal.bottom(c) <= 0) continue;
            fine.from_coarse[c] = bottom_from(coarse.grid, f, x, z);
            const float open =
                interpolate_bottom(coarse.open, coarse.grid, f, x, z, fine.from_coarse[c]);
            fine.spread.bottom(c) = fine.open.bottom(c) / std::max(open, 0.05f);
        }
    });
}

}  // namespace

void coarsen(Level& fine, Level& coarse, bool keep_air) {
    const Grid& g = coarse.grid;
    for_each_row(g, [&](int z) {
        for (int x = 0; x < g.nx(); ++x) coarsen_column(fine, coarse, x, z, keep_air);
    });
    build_rows(coarse);
    build_spread(fine, coarse);
}

}  // namespace slosh::tall
