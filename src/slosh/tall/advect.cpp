#include "slosh/tall/advect.h"

#include "slosh/tall/column_kernels.h"
#include "slosh/tall/sample.h"

namespace slosh::tall {

namespace {

/// Displacement over the step, in cells, of what arrives at a cell: the velocity half a step back
/// (midpoint rule).
Float4 displacement(const Velocity& u, const Grid& g, const Float4& own, float x, float y, float z,
                    float cells) {
    const Float4 half = own * (0.5f * cells);
    const Stencil middle(g, x - half[0], y - half[1], z - half[2]);
    return sample(u, g, middle) * cells;
}

/// Runs body(x, y, z, value offset or -1 for the bottom, column) over all stored cells.
template <class Body>
void for_each_cell(const Grid& g, const Body& body) {
    parallel_for(static_cast<std::size_t>(g.nz()), 2, [&](std::size_t z) {
        for (int x = 0; x < g.nx(); ++x) {
            const int c = g.column(x, static_cast<int>(z));
            body(x, g.bottom(c), static_cast<int>(z), -1, c);
            for (int i = 0; i <= g.ny(); ++i) body(x, g.top(c) + i, static_cast<int>(z), i, c);
        }
    });
}

template <class T>
T& cell(Columns<T>& f, int c, int i) {
    return i < 0 ? f.bottom(c) : f.at(c)[i];
}
template <class T>
const T& cell(const Columns<T>& f, int c, int i) {
    return i < 0 ? f.bottom(c) : f.at(c)[i];
}

/// MacCormack's correction, component by component: back to the prediction where it overshoots.
Float4 corrected(const Float4& predicted, const Float4& before, const Float4& back,
                 const Bounds<Float4>& box) {
    const Float4 better = predicted + 0.5f * (before - back);
    const auto inside = (better >= box.low) & (better <= box.high);
    return inside ? better : predicted;
}

}  // namespace

void advect(const Grid& g, const Columns<float>& phi, const Velocity& u, double dt, float band,
            Advected& out) {
    const float cells = static_cast<float>(dt / g.dx());
    const float far = static_cast<float>(4.99 * g.dx());
    out.phi = phi;
    out.predicted = u;
    out.velocity = u;
    for_each_cell(g, [&](int x, int y, int z, int i, int c) {
        const Float4 own = cell(u, c, i);
        const float before = cell(phi, c, i);
        // Deep in water or far in air nothing changes unless water crosses cells.
        const Float4 step = own * cells;
        const bool slow = step[0] * step[0] + step[1] * step[1] + step[2] * step[2] < 4;
        const bool keeps = slow && std::abs(before) > far;
        if (keeps && before > band) return;
        const float fx = static_cast<float>(x), fy = static_cast<float>(y),
                    fz = static_cast<float>(z);
        const Float4 d = displacement(u, g, own, fx, fy, fz, cells);
        const Stencil from(g, fx - d[0], fy - d[1], fz - d[2]);
        const float now = keeps ? before : sample(phi, g, from);
        cell(out.phi, c, i) = now;
        if (now < band) cell(out.predicted, c, i) = sample(u, g, from);
    });
    out.phi.refresh_all(g, Under::Bottom);
    out.predicted.refresh_all(g, Under::Bottom);
    for_each_cell(g, [&](int x, int y, int z, int i, int c) {
        const Float4& predicted = cell(out.predicted, c, i);
        if (cell(out.phi, c, i) >= band) {
            cell(out.velocity, c, i) = predicted;
            return;
        }
        const Float4 own = cell(u, c, i);
        const float fx = static_cast<float>(x), fy = static_cast<float>(y),
                    fz = static_cast<float>(z);
        const Float4 d = displacement(u, g, own, fx, fy, fz, cells);
        const Stencil from(g, fx - d[0], fy - d[1], fz - d[2]);
        const Stencil to(g, fx + d[0], fy + d[1], fz + d[2]);
        const Float4 back = sample(out.predicted, g, to);
        cell(out.velocity, c, i) = corrected(predicted, own, back, sample_bounds(u, g, from));
    });
    out.velocity.refresh_all(g, Under::Bottom);
}

}  // namespace slosh::tall
