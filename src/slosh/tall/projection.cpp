#include "slosh/tall/projection.h"

#include "slosh/tall/column_kernels.h"

namespace slosh::tall {

namespace {

/// A cell's neighbours: left, right, before, behind, below, above; and the axis of each.
constexpr int kAxis[6] = {0, 0, 2, 2, 1, 1};
constexpr float kSign[6] = {-1, 1, -1, 1, -1, 1};

/// Reads a field of columns at the six neighbours of a cell.
template <class T, Under under>
struct Sides {
    const Columns<T>& field;
    const Grid& grid;
    int c;
    const T* beside[4];
    T room[4][kMaxLength + 8];

    Sides(const Columns<T>& f, const Grid& g, int column, int count)
        : field(f), grid(g), c(column) {
        const int steps[4] = {-g.step_x(), g.step_x(), -g.step_z(), g.step_z()};
        for (int k = 0; k < 4; ++k)
            beside[k] = f.aligned(g, c + steps[k], g.top(c), count, under, room[k]);
    }
    /// At offset i of the column (from its top upwards).
    T at(int side, int i) const {
        if (side < 4) return beside[side][i];
        return field.at(c)[side == 4 ? i - 1 : i + 1];
    }
    /// At the tall cell's bottom.
    T at_bottom(int side) const {
        const int steps[6] = {-grid.step_x(), grid.step_x(), -grid.step_z(), grid.step_z(), 0, 0};
        const int rise = side == 4 ? -1 : side == 5 ? 1 : 0;
        return field.value(grid, c + steps[side], grid.bottom(c) + rise, under);
    }
};

/// Which walls of the domain a column touches: bit k for side k.
int walls_of(const Grid& g, int x, int z) {
    return (x == 0) | (x == g.nx() - 1) << 1 | (z == 0) << 2 | (z == g.nz() - 1) << 3;
}

/// Sum over the sides of the outward face velocity.
template <class U, class W, class B>
float outflow(const Float4& own, int walls, const MovingSolids& solids, const U& u, const W& w,
              const B& body) {
    float sum = 0;
    for (int side = 0; side < 6; ++side) {
        const int axis = kAxis[side];
        const float open = w(side);
        float face = 0.5f * open * (own[axis] + u(side)[axis]);
        if (solids.body) face += body(side)[axis];
        if (side < 4 && (walls >> side & 1)) face = solids.wall[side];
        sum += kSign[side] * face;
    }
    return sum;
}

/// 1 - phi_n / phi_c, bounded as in the rows.
float ghost(float phi, float inverse) {
    return std::min(1 - phi * inverse, 1 / kMinTheta);
}

/// What the pressure takes off a cell's velocity.
template <class Q, class W, class Phi>
Float4 pressure_step(float own_q, float own_open, float own_phi, const Q& q, const W& w,
                     const Phi& phi) {
    const float pressure = own_q / own_open, inverse = 1 / own_phi;
    Float4 step = {0, 0, 0, 0};
    for (int side = 0; side < 6; side += 2) {
        float rise = 0, open = 0;
        for (int k = side; k < side + 2; ++k) {
            const float wn = w(k), pn = phi(k);
            const float difference =
                pn < 0 ? q(k) - wn * pressure : -wn * pressure * ghost(pn, inverse);
            rise += kSign[k] * difference;
            open += wn;
        }
        step[kAxis[side]] = open > 0 ? rise / open : 0.0f;
    }
    return step;
}

}  // namespace

void divergence(const Velocity& velocity, const MovingSolids& solids, Level& level) {
    const Grid& g = level.grid;
    const Velocity& bodies = solids.body ? *solids.body : velocity;
    parallel_for(static_cast<std::size_t>(g.nz()), 2, [&](std::size_t z) {
        for (int x = 0; x < g.nx(); ++x) {
            const int c = g.column(x, static_cast<int>(z));
            const int n = level.last[c];
            float* b = level.b.at(c);
            std::fill(b, b + g.length(), 0.0f);
            level.b.bottom(c) = 0;
            if (!level.has_unknowns(c)) continue;
            const Sides<Float4, Under::Bottom> u(velocity, g, c, n);
            const Sides<Float4, Under::Bottom> s(bodies, g, c, n);
            const Sides<float, Under::Nothing> w(level.open, g, c, n);
            const int walls = walls_of(g, x, static_cast<int>(z));
            for (int i = level.first[c]; i < n; ++i)
                if (walls == 0 && level.is_plain(c, i))
                    b[i] = 0.5f * ((u.beside[1][i] - u.beside[0][i])[0] +
                                   (u.beside[3][i] - u.beside[2][i])[2] +
                                   (velocity.at(c)[i + 1] - velocity.at(c)[i - 1])[1]);
                else if (level.diagonal.at(c)[i] > 0)
                    b[i] = outflow(
                        velocity.at(c)[i], walls, solids, [&](int k) { return u.at(k, i); },
                        [&](int k) { return w.at(k, i); }, [&](int k) { return s.at(k, i); });
            if (level.diagonal.bottom(c) > 0)
                level.b.bottom(c) = outflow(
                    velocity.bottom(c), walls, solids, [&](int k) { return u.at_bottom(k); },
                    [&](int k) { return w.at_bottom(k); }, [&](int k) { return s.at_bottom(k); });
        }
    });
}

void expand(double rate, Level& level) {
    const float out = static_cast<float>(rate * level.grid.dx());
    for_each_column(level.grid, [&](int c) {
        float* b = level.b.at(c);
        for (int i = level.first[c]; i < level.last[c]; ++i)
            if (level.diagonal.at(c)[i] > 0) b[i] -= out;
        if (level.diagonal.bottom(c) > 0) level.b.bottom(c) -= out;
    });
}

void subtract_gradient(const Level& level, Velocity& velocity) {
    const Grid& g = level.grid;
    for_each_column(g, [&](int c) {
        if (!level.has_unknowns(c)) return;
        const int n = level.last[c];
        const Sides<float, Under::Nothing> q(level.q, g, c, n), w(level.open, g, c, n);
        const Sides<float, Under::Bottom> phi(level.phi, g, c, n);
        const float* own = level.q.at(c);
        for (int i = level.first[c]; i < n; ++i)
            if (level.is_plain(c, i))
                velocity.at(c)[i] -=
                    0.5f * Float4{q.beside[1][i] - q.beside[0][i], own[i + 1] - own[i - 1],
                                  q.beside[3][i] - q.beside[2][i], 0};
            else if (level.diagonal.at(c)[i] > 0)
                velocity.at(c)[i] -= pressure_step(
                    level.q.at(c)[i], level.open.at(c)[i], level.phi.at(c)[i],
                    [&](int k) { return q.at(k, i); }, [&](int k) { return w.at(k, i); },
                    [&](int k) { return phi.at(k, i); });
        if (level.diagonal.bottom(c) > 0)
            velocity.bottom(c) -= pressure_step(
                level.q.bottom(c), level.open.bottom(c), level.phi.bottom(c),
                [&](int k) { return q.at_bottom(k); }, [&](int k) { return w.at_bottom(k); },
                [&](int k) { return phi.at_bottom(k); });
        velocity.refresh(g, c, Under::Bottom);
    });
}

}  // namespace slosh::tall
