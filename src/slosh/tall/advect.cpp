#include "slosh/tall/advect.h"

#include "slosh/tall/column_kernels.h"
#include "slosh/tall/sample.h"

namespace slosh::tall {

namespace {

constexpr int kPhi = 3;             ///< Lane of phi.
constexpr float kFarCells = 4.99f;  ///< phi is bounded to five cells: beyond, it says no more.

/// Runs body(x, world y, z, value offset or -1 for the bottom, column) over all stored cells.
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

Stencil at(const Grid& g, int x, int y, int z, const Float4& way) {
    return {g, static_cast<float>(x) + way[0], static_cast<float>(y) + way[1],
            static_cast<float>(z) + way[2]};
}

/// MacCormack's correction, component by component: back to the prediction where it overshoots.
Float4 corrected(const Float4& predicted, const Float4& before, const Float4& back,
                 const Bounds<Float4>& box) {
    const Float4 better = predicted + 0.5f * (before - back);
    const auto inside = (better >= box.low) & (better <= box.high);
    return inside ? better : predicted;
}

void make_room(const Grid& g, AdvectionRoom& room) {
    const Float4 air = {0, 0, 0, 5 * static_cast<float>(g.dx())};
    for (Velocity* f : {&room.before, &room.predicted, &room.path})
        if (!f->fits(g)) f->resize(g, air);
}

}  // namespace

void advect(const Grid& g, double dt, float band, AdvectionRoom& room, Columns<float>& phi,
            Velocity& velocity) {
    const float cells = static_cast<float>(dt / g.dx());
    const float far = kFarCells * static_cast<float>(g.dx());
    make_room(g, room);
    for_each_column(g, [&](int c) {
        const Float4* u = velocity.at(c);
        const float* p = phi.at(c);
        Float4* to = room.before.at(c);
        for (int i = -Grid::kBelow; i <= g.ny(); ++i)
            to[i] = Float4{u[i][0], u[i][1], u[i][2], p[i]};
        const Float4& b = velocity.bottom(c);
        room.before.bottom(c) = Float4{b[0], b[1], b[2], phi.bottom(c)};
    });

    // Back along the path: midpoint rule, then everything from where it began.
    for_each_cell(g, [&](int x, int y, int z, int i, int c) {
        const Float4 own = cell(room.before, c, i);
        Float4& to = cell(room.predicted, c, i);
        to = own;
        // Deep in water or far in air phi does not change unless water crosses cells.
        const Float4 step = own * cells;
        const bool slow = step[0] * step[0] + step[1] * step[1] + step[2] * step[2] < 4;
        const bool keeps = slow && std::abs(own[kPhi]) > far;
        if (keeps && own[kPhi] > band) return;
        const Float4 way = sample(room.before, g, at(g, x, y, z, -0.5f * step)) * cells;
        cell(room.path, c, i) = way;
        const Float4 from = sample(room.before, g, at(g, x, y, z, -way));
        if (from[kPhi] < band || keeps) to = from;
        to[kPhi] = keeps ? own[kPhi] : from[kPhi];
    });
    room.predicted.refresh_all(g, Under::Bottom);

    // Forth again: what does not come back is the error of a step there and back, twice its own.
    for_each_cell(g, [&](int x, int y, int z, int i, int c) {
        const Float4 predicted = cell(room.predicted, c, i);
        Float4 now = predicted;
        if (predicted[kPhi] < band) {
            const Float4 way = cell(room.path, c, i);
            const Float4 back = sample(room.predicted, g, at(g, x, y, z, way));
            now = corrected(predicted, cell(room.before, c, i), back,
                            sample_bounds(room.before, g, at(g, x, y, z, -way)));
            now[kPhi] = predicted[kPhi];
        }
        cell(velocity, c, i) = now;
        cell(phi, c, i) = now[kPhi];
    });
    velocity.refresh_all(g, Under::Bottom);
    phi.refresh_all(g, Under::Bottom);
}

}  // namespace slosh::tall
