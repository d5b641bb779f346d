#include <algorithm>
#include <cmath>
#include <vector>

#include "slosh/grid/tile.h"
#include "slosh/surface/extend.h"

namespace slosh {

namespace {

template <int D>
using Values = Tile<float, D, 1>;

/// Gradient of a nodal field at the lower faces, along `axis`, of the cells of a row; t is the
/// first cell's own node.
template <int D>
void face_gradients(const Values<D>& nodes, int t, int axis, float (&g)[D][kSide]) {
    // The face's corners are the cell's own node moved along the other axes.
    constexpr int corners = 1 << (D - 1);
    for (int d = 0; d < D; ++d)
        for (int x = 0; x < kSide; ++x) g[d][x] = 0;
    for (int corner = 0; corner < corners; ++corner) {
        const float* at = nodes.v + t;
        int bit = 0;
        for (int d = 0; d < D; ++d)
            if (d != axis) at += (corner >> bit++ & 1) * Values<D>::step(d);
        const int s = Values<D>::step(axis);
        for (int x = 0; x < kSide; ++x) g[axis][x] += 0.5f / corners * (at[x + s] - at[x - s]);
        bit = 0;
        for (int d = 0; d < D; ++d) {
            if (d == axis) continue;
            const float sign = (corner >> bit++ & 1 ? 2.0f : -2.0f) / corners;
            for (int x = 0; x < kSide; ++x) g[d][x] += sign * at[x];
        }
    }
}

/// Adds `sign` times the whole velocity at those faces; the components along other axes are the
/// mean of the four around the face.
template <int D>
void add_velocities(const Values<D> (&u)[D], int t, int axis, float sign, float (&v)[D][kSide]) {
    const int back = Values<D>::step(axis);
    for (int d = 0; d < D; ++d) {
        const float* w = u[d].v + t;
        const int up = Values<D>::step(d);
        for (int x = 0; x < kSide; ++x)
            v[d][x] +=
                sign *
                (d == axis ? w[x] : 0.25f * (w[x] + w[x + up] + w[x - back] + w[x - back + up]));
    }
}

/// Particles stay out of solids, so interpolation reaches one cell into them; one more for slopes.
constexpr float kDeep = 3;

/// New values of eight faces.
struct Row {
    int axis, offset;
    float value[kSide];
};

}  // namespace

template <int D>
void constrain_velocity(FaceField<float, D>& u, const Field<float, D>& solid,
                        const FaceField<float, D>& open, const FaceField<float, D>* solid_velocity,
                        bool only_inward, const Field<std::uint8_t, D>* sticky,
                        const std::vector<std::uint8_t>* kinds) {
    const Blocks<D>& blocks = u.blocks();
    std::vector<std::vector<Row>> changes(blocks.size());
    parallel_for(blocks.size(), 4, [&](std::size_t i) {
        const int b = static_cast<int>(i);
        if (kinds && (*kinds)[i] == 0) return;
        bool closed = false;
        for (int axis = 0; axis < D; ++axis) {
            const float* w = open.axis(axis).block(b);
            for (int o = 0; o < kBlockCells<D>; ++o) closed |= w[o] == 0;
        }
        if (!closed) return;
        Values<D> nodes, v[D], vs[D];
        nodes.load(solid, b);
        for (int d = 0; d < D; ++d) v[d].load(u.axis(d), b);
        if (solid_velocity)
            for (int d = 0; d < D; ++d) vs[d].load(solid_velocity->axis(d), b);
        for (int axis = 0; axis < D; ++axis) {
            const float* w = open.axis(axis).block(b);
            for (int o = 0; o < kBlockCells<D>; o += kSide) {
                bool any = false;
                for (int x = 0; x < kSide; ++x) any |= w[o + x] == 0;
                if (!any) continue;
                const int t = Values<D>::offset(local_cell<D>(o));
                // Deep inside the solid nothing samples the velocity.
                bool near = false;
                for (int x = 0; x < kSide; ++x) near |= nodes.v[t + x] > -kDeep;
                if (!near) continue;
                float n[D][kSide], relative[D][kSide] = {};
                add_velocities<D>(v, t, axis, 1, relative);
                if (solid_velocity) add_velocities<D>(vs, t, axis, -1, relative);
                // Far from the liquid all is at rest.
                if (std::all_of(&relative[0][0], &relative[0][0] + D * kSide,
                                [](float r) { return r == 0; }))
                    continue;
                face_gradients<D>(nodes, t, axis, n);
                // Whether liquid that moves away from the solid is held all the same.
                int held[kSide];
                for (int x = 0; x < kSide; ++x)
                    held[x] = !only_inward || (sticky && sticky->block(b)[o + x]);
                Row row{axis, o, {}};
                for (int x = 0; x < kSide; ++x) {
                    float square = 0, along = 0;
                    for (int d = 0; d < D; ++d) {
                        square += n[d][x] * n[d][x];
                        along += n[d][x] * relative[d][x];
                    }
                    // Where the solid has no direction the extrapolated value stays.
                    const bool free = (w[o + x] != 0) | (square < 1e-8f) | ((along > 0) & !held[x]);
                    const float removed = along * n[axis][x] / std::max(square, 1e-8f);
                    row.value[x] = v[axis].v[t + x] - (free ? 0.0f : removed);
                }
                changes[b].push_back(row);
            }
        }
    });
    parallel_for(blocks.size(), 16, [&](std::size_t b) {
        for (const Row& r : changes[b])
            std::copy_n(r.value, kSide, u.axis(r.axis).block(static_cast<int>(b)) + r.offset);
    });
}

template void constrain_velocity<2>(FaceField<float, 2>&, const Field<float, 2>&,
                                    const FaceField<float, 2>&, const FaceField<float, 2>*, bool,
                                    const Field<std::uint8_t, 2>*,
                                    const std::vector<std::uint8_t>*);
template void constrain_velocity<3>(FaceField<float, 3>&, const Field<float, 3>&,
                                    const FaceField<float, 3>&, const FaceField<float, 3>*, bool,
                                    const Field<std::uint8_t, 3>*,
                                    const std::vector<std::uint8_t>*);

}  // namespace slosh
