// Which rows of eight faces have something to do is found for a whole block at once, from bits;
// those are then done as vectors.
#include <algorithm>
#include <cmath>
#include <cstring>
#include <type_traits>
#include <vector>

#include "slosh/grid/cell_mask.h"
#include "slosh/grid/tile.h"
#include "slosh/particles/lanes.h"
#include "slosh/surface/extend.h"

namespace slosh {

namespace {

template <int D>
using Values = Tile<float, D, 1>;

inline Floats load(const float* v) {
    return Floats(_mm256_loadu_ps(v));
}

/// Gradient of a nodal field at the lower faces, along kAxis, of the cells of a row; t is the
/// first cell's own node.
template <int D, int kAxis>
void face_gradients(const Values<D>& nodes, int t, Floats (&g)[D]) {
    // The face's corners are the cell's own node moved along the other axes.
    constexpr int kCorners = 1 << (D - 1), kBack = Values<D>::step(kAxis);
    for (Floats& component : g) component = Floats{};
    for (int corner = 0; corner < kCorners; ++corner) {
        const float* at = nodes.v + t;
        int bit = 0;
        for (int d = 0; d < D; ++d)
            if (d != kAxis) at += (corner >> bit++ & 1) * Values<D>::step(d);
        g[kAxis] += (0.5f / kCorners) * (load(at + kBack) - load(at - kBack));
        const Floats value = load(at) * (2.0f / kCorners);
        bit = 0;
        for (int d = 0; d < D; ++d) {
            if (d == kAxis) continue;
            if (corner >> bit++ & 1)
                g[d] += value;
            else
                g[d] -= value;
        }
    }
}

/// The whole velocity at those faces: components along other axes are the mean of the four around
/// the face.
template <int D, int kAxis>
void face_velocities(const Values<D> (&u)[D], int t, Floats (&v)[D]) {
    constexpr int kBack = Values<D>::step(kAxis);
    for (int d = 0; d < D; ++d) {
        const float* w = u[d].v + t;
        const int up = Values<D>::step(d);
        v[d] = d == kAxis
                   ? load(w)
                   : 0.25f * (load(w) + load(w + up) + load(w - kBack) + load(w - kBack + up));
    }
}

template <int D>
bool is_zero(const Values<D>& values) {
    float largest = 0;
    for (float v : values.v) largest = std::max(largest, std::abs(v));
    return largest == 0;
}

/// New values of eight faces.
struct Row {
    int axis, offset;
    float value[kSide];
};

/// Everything of one block that its faces look at.
template <int D>
struct BlockVelocities {
    Values<D> nodes, u[D], us[D];
    bool moves;  // whether the solids do
};

/// Of the faces along kAxis of the row at o that `closed` marks: u without its part along the
/// solid's normal, but where liquid leaves and `held` does not say that it may not.
template <int D, int kAxis>
Row constrained_row(const BlockVelocities<D>& v, int o, Ints closed, Ints held) {
    const int t = Values<D>::offset(local_cell<D>(o));
    Floats relative[D], n[D];
    face_velocities<D, kAxis>(v.u, t, relative);
    if (v.moves) {
        Floats solid[D];
        face_velocities<D, kAxis>(v.us, t, solid);
        for (int d = 0; d < D; ++d) relative[d] -= solid[d];
    }
    face_gradients<D, kAxis>(v.nodes, t, n);
    Floats square = {}, along = {};
    for (int d = 0; d < D; ++d) {
        square += n[d] * n[d];
        along += n[d] * relative[d];
    }
    // Where the solid has no direction the extrapolated value stays.
    const Ints bound = closed & (square >= 1e-8f) & ((along <= 0) | held);
    const Floats removed = along * n[kAxis] / max_lanes(square, all_lanes(1e-8f));
    const Floats value = load(v.u[kAxis].v + t) - choose(bound, removed, Floats{});
    Row row{kAxis, o, {}};
    std::memcpy(row.value, &value, sizeof value);
    return row;
}

inline Ints all_ones() {
    return Ints(_mm256_set1_epi32(-1));
}
/// All ones where a byte of the row is not zero.
inline Ints nonzero_bytes(const std::uint8_t* bytes) {
    const __m128i row = _mm_loadl_epi64(reinterpret_cast<const __m128i*>(bytes));
    return Ints(_mm256_cvtepu8_epi32(row)) != 0;
}

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
        // Deep inside the solid nothing reads the velocity.
        const CellMask<D> near = compare<D, _CMP_GT_OQ>(solid.block(b), -kDeepestRead);
        if (!any<D>(near)) return;
        CellMask<D> closed[D];
        bool some = false;
        for (int axis = 0; axis < D; ++axis) {
            closed[axis] = compare<D, _CMP_EQ_OQ>(open.axis(axis).block(b), 0);
            some |= any<D>(closed[axis]);
        }
        if (!some) return;

        BlockVelocities<D> v;
        bool at_rest = true;
        v.moves = false;
        for (int d = 0; d < D; ++d) {
            v.u[d].load(u.axis(d), b);
            at_rest &= is_zero(v.u[d]);
            if (!solid_velocity) continue;
            v.us[d].load(solid_velocity->axis(d), b);
            v.moves |= !is_zero(v.us[d]);
        }
        if (at_rest && !v.moves) return;  // far from the liquid
        v.nodes.load(solid, b);
        const auto along = [&](auto axis) {
            for (int row = 0; row < kBlockCells<D> / kSide; ++row) {
                const int z = row / kSide, shift = kSide * (row % kSide), o = kSide * row;
                if (!(closed[axis][z] >> shift & 0xff) || !(near[z] >> shift & 0xff)) continue;
                const Ints is_closed = load(open.axis(axis).block(b) + o) == 0;
                // Whether liquid that moves away from the solid is held all the same.
                const Ints held = !only_inward ? all_ones()
                                  : sticky     ? nonzero_bytes(sticky->block(b) + o)
                                               : Ints{};
                changes[b].push_back(constrained_row<D, axis>(v, o, is_closed, held));
            }
        };
        along(std::integral_constant<int, 0>{});
        along(std::integral_constant<int, 1>{});
        if constexpr (D == 3) along(std::integral_constant<int, 2>{});
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
