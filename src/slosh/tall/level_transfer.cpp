// Between two levels of the pressure hierarchy.
#include <immintrin.h>

#include "slosh/tall/column_kernels.h"
#include "slosh/tall/level.h"

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

/// Adds fine values r (offsets of column c) to `sum`, where sum[0] is world cell `base`. What lies
/// lower goes to no coarse cell: the coarse tall cell measures only its ends.
void add_line(const Grid& fine, int c, const float* r, int first, int last, int base, int count,
              float* sum) {
    const int shift = fine.top(c) - base, end = std::min(last, count - shift);
    for (int i = std::max(first, -shift); i < end; ++i) sum[i + shift] += r[i];
}

/// b of the coarse column (x, z). line(c, r) gives the fine values of a column and returns that
/// of its bottom; `skip` leaves out a colour. Bottoms count by their merit, times `relax`.
template <class Line>
void restrict_column(const Level& fine, Level& coarse, int x, int z, float relax, bool skip,
                     const Line& line) {
    const Grid& f = fine.grid;
    const Grid& g = coarse.grid;
    const int to = g.column(x, z);
    if (!coarse.has_unknowns(to)) return;
    const int base = 2 * g.top(to), n = coarse.last[to];
    alignas(32) float sum[kRoom];
    alignas(32) float r[kMaxLength + 8];
    std::fill(sum, sum + 2 * n, 0.0f);
    float bottom = 0, merit = 0, open = 0;
    for (int c : Children(f, x, z).c) {
        merit += fine.merit[c];
        open += fine.open.bottom(c);
    }
    const float share = merit > 0 ? relax * open / merit : 0.0f;
    for (int k = 0; k < 4; ++k) {
        if (skip && (k == 1 || k == 2)) continue;  // x + z odd: colour 1
        const int c = Children(f, x, z).c[k];
        if (!fine.has_unknowns(c)) continue;
        const float end = line(c, r);
        add_line(f, c, r, fine.first[c], fine.last[c], base, 2 * n, sum);
        // A fine bottom as high as the coarse top is an ordinary cell there. All lower ones go
        // to the coarse bottom, wherever terrain has put them.
        if (f.bottom(c) >= base) {
            if (f.bottom(c) - base < 2 * n) sum[f.bottom(c) - base] += end;
        } else
            bottom += end * share * fine.merit[c];
    }
    // Eight cells average to one; h^2 has grown by four.
    float* b = coarse.b.at(to);
    for (int i = 0; i < n; ++i) b[i] = 0.5f * (sum[2 * i] + sum[2 * i + 1]);
    coarse.b.bottom(to) = 0.5f * bottom;
    float* q = coarse.q.at(to);
    std::fill(q - Grid::kBelow, q + n, 0.0f);
    coarse.q.bottom(to) = 0;
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

/// Interpolates `f` (on the coarse grid) at the cells of fine column (x, z): out[i] for i < count.
/// Returns the value at its bottom.
float interpolate_column(const Columns<float>& f, const Grid& coarse, const Grid& fine, int x,
                         int z, int count, bool has_bottom, float* out) {
    const Around around(coarse, x, z);
    const int c = fine.column(x, z), top = fine.top(c);
    const int base = top >> 1, n = (count + 1) / 2 + 2;
    alignas(32) float line[kMaxLength + 24];
    float* mixed = line + 8;  // mixed[i]: coarse cell base + i, i from -1
    alignas(32) float room[kMaxLength + 24];
    for (int k = 0; k < 4; ++k) {
        const float* p = f.aligned(coarse, around.c[k], base, n, Under::Nothing, room);
        const float w = Around::kWeight[k];
        if (k == 0)
            for (int i = -1; i < n; ++i) mixed[i] = w * p[i];
        else
            for (int i = -1; i < n; ++i) mixed[i] += w * p[i];
    }
    // Fine cell 2Y lies a quarter below the centre of coarse cell Y, 2Y + 1 a quarter above.
    const int odd = top & 1;
    if (odd) out[0] = 0.75f * mixed[0] + 0.25f * mixed[1];
    for (int i = odd, k = odd; i < count; i += 2, ++k) {
        out[i] = 0.75f * mixed[k] + 0.25f * mixed[k - 1];
        out[i + 1] = 0.75f * mixed[k] + 0.25f * mixed[k + 1];
    }
    if (!has_bottom) return 0;
    const int y = fine.bottom(c), near = y >> 1, far = (y & 1) ? near + 1 : near - 1;
    float sum = 0;
    for (int k = 0; k < 4; ++k)
        sum += Around::kWeight[k] * (0.75f * f.value(coarse, around.c[k], near, Under::Bottom) +
                                     0.25f * f.value(coarse, around.c[k], far, Under::Bottom));
    return sum;
}

}  // namespace

void restrict_row(const Level& fine, Level& coarse, int z) {
    // A correction that comes back to bottoms on slopes is up to 2.4 times too large: fine rows
    // look only downhill there, and a coarse row averages. On the way down from a right side there
    // is nothing to overshoot yet, and water at rest wants the whole of it.
    const float relax = fine.beside_bottom == 1 ? 0.6f : 0.9f;
    for (int x = 0; x < coarse.grid.nx(); ++x)
        restrict_column(fine, coarse, x, z, relax, true,
                        [&](int c, float* r) { return column_residual(fine, c, r); });
}

void restrict_right_side(const Level& fine, Level& coarse) {
    for_each_row(coarse.grid, [&](int z) {
        for (int x = 0; x < coarse.grid.nx(); ++x)
            restrict_column(fine, coarse, x, z, 1.0f, false, [&](int c, float* r) {
                std::copy_n(fine.b.at(c), fine.last[c], r);
                return fine.b.bottom(c);
            });
    });
}

void prolong_row(const Level& coarse, Level& fine, int z) {
    const Grid& f = fine.grid;
    alignas(32) float line[kMaxLength + 8];
    for (int x = 0; x < f.nx(); ++x) {
        const int c = f.column(x, z);
        if (!fine.has_unknowns(c)) continue;
        const float bottom = interpolate_column(coarse.q, coarse.grid, f, x, z, fine.last[c],
                                                fine.diagonal.bottom(c) > 0, line);
        float* q = fine.q.at(c);
        const float* spread = fine.spread.at(c);
        for (int i = fine.first[c]; i < fine.last[c]; ++i) q[i] += spread[i] * line[i];
        fine.q.bottom(c) += fine.spread.bottom(c) * bottom;
        fine.q.refresh(f, c, Under::Nothing);
    }
}

namespace {

/// Sums over the eight fine cells of a coarse one, weighted by their open fractions.
struct PhiSums {
    float open = 0, phi = 0, air_open = 0, air_phi = 0;
    void add(float w, float p) {
        open += w;
        phi += w * p;
        const float air = p >= 0 ? w : 0.0f;
        air_open += air;
        air_phi += air * p;
    }
    float value(bool keep_air, float otherwise) const {
        if (open <= 0) return otherwise;
        const bool mixed = air_open > 0 && air_open < open;
        return mixed && keep_air ? air_phi / air_open : phi / open;
    }
};

void coarsen_column(const Level& fine, Level& coarse, int x, int z, bool keep_air) {
    const Grid& f = fine.grid;
    const Grid& g = coarse.grid;
    const int to = g.column(x, z);
    const int n = g.ny() + 1, base = 2 * g.top(to);
    const Children children(f, x, z);

    PhiSums line[kMaxLength + 8], low;
    float any = 0, open = 0;
    float room_w[kRoom], room_p[kRoom];
    float* w = coarse.open.at(to);
    for (int i = 0; i < n; ++i) w[i] = 0;
    for (int c : children.c) {
        const float* fw = fine.open.aligned(f, c, base, 2 * n, Under::Nothing, room_w);
        const float* fp = fine.phi.aligned(f, c, base, 2 * n, Under::Bottom, room_p);
        for (int i = 0; i < n; ++i)
            for (int k = 2 * i; k < 2 * i + 2; ++k) {
                line[i].add(fw[k], fp[k]);
                w[i] += 0.125f * fw[k];
            }
        low.add(fine.open.bottom(c), fine.phi.bottom(c));
        open += 0.25f * fine.open.bottom(c);
        any += 0.25f * fine.phi.bottom(c);
    }
    float* phi = coarse.phi.at(to);
    for (int i = 0; i < n; ++i) phi[i] = line[i].value(keep_air, any);
    coarse.phi.bottom(to) = low.value(keep_air, any);
    coarse.open.bottom(to) = open;
    coarse.phi.refresh(g, to, Under::Bottom);
    coarse.open.refresh(g, to, Under::Nothing);
}

/// fine.spread: what an interpolated q must be multiplied with. Solid coarse cells have weight 0,
/// so it is an interpolation from open cells with its weights normalised.
void build_spread(Level& fine, const Level& coarse) {
    const Grid& f = fine.grid;
    for_each_row(f, [&](int z) {
        alignas(32) float line[kMaxLength + 8];
        for (int x = 0; x < f.nx(); ++x) {
            const int c = f.column(x, z);
            if (!fine.has_unknowns(c)) continue;
            const float bottom =
                interpolate_column(coarse.open, coarse.grid, f, x, z, fine.last[c], true, line);
            const float* d = fine.diagonal.at(c);
            const float* w = fine.open.at(c);
            float* spread = fine.spread.at(c);
            for (int i = fine.first[c]; i < fine.last[c]; ++i)
                spread[i] = d[i] > 0 ? w[i] / std::max(line[i], 0.05f) : 0.0f;
            fine.spread.bottom(c) =
                fine.diagonal.bottom(c) > 0 ? fine.open.bottom(c) / std::max(bottom, 0.05f) : 0.0f;
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
