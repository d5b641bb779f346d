#include "slosh/tall/advect.h"

#include "slosh/tall/column_kernels.h"
#include "slosh/tall/sample.h"

namespace slosh::tall {

namespace {

constexpr int kPhi = 3;             ///< Lane of phi.
constexpr float kFarCells = 4.99f;  ///< phi is bounded to five cells: beyond, it says no more.

/// Runs body(offset, or -1 for the bottom) over the cells in reach of column c.
template <class Body>
void for_each_cell(const Grid& g, const Columns<float>& phi, int c, const Body& body) {
    const int end = phi.end(c);
    if (end == 0) return;
    if (!g.closed(c)) body(-1);
    for (int i = g.start(c); i < end; ++i) body(i);
}

/// A column as the start of paths.
struct Start {
    const Grid& g;
    int x, z, c;
    NearColumns near;

    Start(const Grid& grid, int column_x, int column_z)
        : g(grid), x(column_x), z(column_z), c(g.column(x, z)), near(g, x, z) {}
    /// The values around the point that is `way` (in cells) from offset i.
    Eight around(const VelocityReader& field, int i, const Float4& way) const {
        if (i >= 0 && near.reaches(i, way)) [[likely]]
            return near.around(field, i, way);
        const int y = i < 0 ? g.bottom(c) : g.top(c) + i;
        return field.around(
            Float4{static_cast<float>(x), static_cast<float>(y), static_cast<float>(z), 0} + way);
    }
};

template <class T>
T& cell(Columns<T>& f, int c, int i) {
    return i < 0 ? f.bottom(c) : f.at(c)[i];
}

/// MacCormack's correction, component by component: back to the prediction where it overshoots.
Float4 corrected(const Float4& predicted, const Float4& before, const Float4& back,
                 const Bounds& box) {
    const Float4 better = predicted + 0.5f * (before - back);
    const auto inside = (better >= box.low) & (better <= box.high);
    return inside ? better : predicted;
}

void make_room(const Grid& g, AdvectionRoom& room) {
    const Float4 air = {0, 0, 0, 5 * static_cast<float>(g.dx())};
    for (Velocity* f : {&room.before, &room.predicted, &room.path})
        if (!f->fits(g)) f->resize(g, air);
}

/// The stages of a step, each for a row of columns.
struct Advection {
    const Grid& g;
    float cells;  ///< A m/s moves so many in a step.
    float band, far;
    Float4 push;  ///< What outer forces add to the velocity. m/s
    AdvectionRoom& room;
    Columns<float>& phi;
    Velocity& velocity;
    VelocityReader before{room.before, g}, after{room.predicted, g};

    void pack(int z) {
        for_each_in_row(g, z, [&](int c) {
            const int end = phi.end(c);
            room.before.set_end(c, end);
            room.predicted.set_end(c, end);
            const Float4* u = velocity.at(c);
            const float* p = phi.at(c);
            Float4* to = room.before.at(c);
            for (int i = -Grid::kBelow; i < end; ++i)
                to[i] = Float4{u[i][0], u[i][1], u[i][2], p[i]};
            const Float4& b = velocity.bottom(c);
            room.before.bottom(c) = Float4{b[0], b[1], b[2], phi.bottom(c)};
            // What is not worked on stays.
            const int still = end > 0 ? std::min(g.start(c), end) : 0;
            std::copy(to - Grid::kBelow, to + still, room.predicted.at(c) - Grid::kBelow);
            room.predicted.bottom(c) = room.before.bottom(c);
        });
    }

    /// Back along the path: midpoint rule, then everything from where it began.
    void go_back(int z) {
        for (int x = 0; x < g.nx(); ++x) {
            const Start from(g, x, z);
            for_each_cell(g, phi, from.c, [&](int i) {
                const Float4 own = cell(room.before, from.c, i);
                Float4& to = cell(room.predicted, from.c, i);
                to = own;
                // Deep in water or far in air phi does not change unless water crosses cells.
                const Float4 step = own * cells;
                const bool slow = step[0] * step[0] + step[1] * step[1] + step[2] * step[2] < 4;
                const bool keeps = slow && std::abs(own[kPhi]) > far;
                if (keeps && own[kPhi] > band) return;
                const Float4 way = from.around(before, i, -0.5f * step).blend() * cells;
                cell(room.path, from.c, i) = way;
                const Float4 began = from.around(before, i, -way).blend();
                if (began[kPhi] < band || keeps) to = began;
                to[kPhi] = keeps ? own[kPhi] : began[kPhi];
            });
        }
        refresh(z, room.predicted);
    }

    /// Forth again: what does not come back is the error of a step there and back, twice its own.
    void go_forth(int z) {
        for (int x = 0; x < g.nx(); ++x) {
            const Start from(g, x, z);
            for_each_cell(g, phi, from.c, [&](int i) {
                const Float4 predicted = cell(room.predicted, from.c, i);
                Float4 now = predicted;
                if (predicted[kPhi] < band) {
                    const Float4 way = cell(room.path, from.c, i);
                    const Float4 back = from.around(after, i, way).blend();
                    now = corrected(predicted, cell(room.before, from.c, i), back,
                                    from.around(before, i, -way).bounds());
                }
                cell(velocity, from.c, i) = now + push;
                cell(phi, from.c, i) = predicted[kPhi];
            });
        }
        refresh(z, velocity);
        refresh(z, phi);
    }

    template <class T>
    void refresh(int z, Columns<T>& f) {
        for_each_in_row(g, z, [&](int c) {
            if (phi.end(c) > 0) f.refresh(g, c, Under::Bottom);
        });
    }
};

}  // namespace

void advect(const Grid& g, double dt, float band, const Float4& push, float fastest,
            AdvectionRoom& room, Columns<float>& phi, Velocity& velocity) {
    const float cells = static_cast<float>(dt / g.dx()), dx = static_cast<float>(g.dx());
    make_room(g, room);
    Advection step{g, cells, band, kFarCells * dx, push, room, phi, velocity};
    // A path ends at most so many rows away, and is read between two of them.
    // A speed that is no number, or beyond any, is told by the projection.
    const int lag =
        fastest * cells < g.nz() ? std::min(static_cast<int>(fastest * cells) + 2, g.nz()) : g.nz();
    run_wavefront(stages_over(g, 3, lag), [&](int stage, int z) {
        if (stage == 0) step.pack(z);
        if (stage == 1) step.go_back(z);
        if (stage == 2) step.go_forth(z);
    });
}

}  // namespace slosh::tall
