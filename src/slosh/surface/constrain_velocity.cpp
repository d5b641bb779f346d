#include <cmath>
#include <vector>

#include "slosh/grid/tile.h"
#include "slosh/surface/extend.h"

namespace slosh {

namespace {

/// Gradient of a nodal field at the lower face of a cell along `axis`; t is the cell's own node.
template <int D>
Vec<float, D> face_gradient(const Tile<float, D, 1>& tile, int t, int axis) {
    using T = Tile<float, D, 1>;
    const float* own = tile.v + t;
    Vec<float, D> g;
    // The face's corners are the cell's own node moved along the other axes.
    constexpr int corners = 1 << (D - 1);
    for (int corner = 0; corner < corners; ++corner) {
        int at = 0, bit = 0;
        for (int d = 0; d < D; ++d)
            if (d != axis) at += (corner >> bit++ & 1) * T::step(d);
        g[axis] += 0.5f * (own[at + T::step(axis)] - own[at - T::step(axis)]);
        bit = 0;
        for (int d = 0; d < D; ++d)
            if (d != axis) g[d] += corner >> bit++ & 1 ? 2 * own[at] : -2 * own[at];
    }
    return g / static_cast<float>(corners);
}

/// The whole velocity at that face: the other components are the mean of the four (two) around it.
template <int D>
Vec<float, D> face_velocity(const Tile<float, D, 1> (&u)[D], int t, int axis) {
    using T = Tile<float, D, 1>;
    Vec<float, D> v;
    for (int d = 0; d < D; ++d) {
        const int s = T::step(axis), up = T::step(d);
        const auto& w = u[d].v;
        v[d] = d == axis ? w[t] : 0.25f * (w[t] + w[t + up] + w[t - s] + w[t - s + up]);
    }
    return v;
}

struct Change {
    int axis, offset;
    float value;
};

}  // namespace

template <int D>
void constrain_velocity(FaceField<float, D>& u, const Field<float, D>& solid,
                        const FaceField<float, D>& open, const FaceField<float, D>* solid_velocity,
                        bool only_inward) {
    const Blocks<D>& blocks = u.blocks();
    std::vector<std::vector<Change>> changes(blocks.size());
    parallel_for(blocks.size(), 4, [&](std::size_t i) {
        const int b = static_cast<int>(i);
        bool closed = false;
        for (int axis = 0; axis < D; ++axis) {
            const float* w = open.axis(axis).block(b);
            for (int o = 0; o < kBlockCells<D>; ++o) closed |= w[o] == 0;
        }
        if (!closed) return;
        Tile<float, D, 1> nodes, v[D], vs[D];
        nodes.load(solid, b);
        for (int d = 0; d < D; ++d) v[d].load(u.axis(d), b);
        if (solid_velocity)
            for (int d = 0; d < D; ++d) vs[d].load(solid_velocity->axis(d), b);
        for (int axis = 0; axis < D; ++axis) {
            const float* w = open.axis(axis).block(b);
            for_each_cell<D, 1>([&](const Index<D>&, int o, int t) {
                if (w[o] != 0) return;
                const Vec<float, D> n = face_gradient<D>(nodes, t, axis);
                const float square = dot(n, n);
                if (square < 1e-8f) return;  // no direction: leave the extrapolated value
                Vec<float, D> relative = face_velocity<D>(v, t, axis);
                if (solid_velocity) relative -= face_velocity<D>(vs, t, axis);
                const float outward = dot(n, relative) / square;
                if (only_inward && outward > 0) return;
                changes[b].push_back({axis, o, v[axis].v[t] - outward * n[axis]});
            });
        }
    });
    parallel_for(blocks.size(), 16, [&](std::size_t b) {
        for (const Change& c : changes[b])
            u.axis(c.axis).block(static_cast<int>(b))[c.offset] = c.value;
    });
}

template void constrain_velocity<2>(FaceField<float, 2>&, const Field<float, 2>&,
                                    const FaceField<float, 2>&, const FaceField<float, 2>*, bool);
template void constrain_velocity<3>(FaceField<float, 3>&, const Field<float, 3>&,
                                    const FaceField<float, 3>&, const FaceField<float, 3>*, bool);

}  // namespace slosh
