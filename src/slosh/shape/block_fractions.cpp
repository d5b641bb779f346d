#include "slosh/shape/block_fractions.h"

namespace slosh {

namespace {

template <int D>
double open_corners(const double* p) {
    if constexpr (D == 1) return open_segment(p[0], p[1]);
    if constexpr (D == 2) return open_square(p);
    if constexpr (D == 3) return open_cube(p);
}

/// Offsets in a tile of the 2^D corners of a cell, x fastest.
template <int D>
constexpr std::array<int, kChildren<D>> cell_corners() {
    std::array<int, kChildren<D>> offsets{};
    for (int c = 0; c < kChildren<D>; ++c)
        for (int d = 0; d < D; ++d) offsets[c] += (c >> d & 1) * NodeTile<D>::step(d);
    return offsets;
}

template <int D>
float mean(const float* node) {
    constexpr auto corners = cell_corners<D>();
    float sum = 0;
    for (const int c : corners) sum += node[c];
    return sum / kChildren<D>;
}

template <int D>
double cell_fraction(const float* node) {
    constexpr auto corners = cell_corners<D>();
    double p[kChildren<D>];
    for (int c = 0; c < kChildren<D>; ++c) p[c] = node[corners[c]];
    return open_corners<D>(p);
}

/// Open area of the lower face of a cell along `axis`: the corners that are not moved along it.
template <int D>
double face_area(const float* node, int axis) {
    constexpr auto corners = cell_corners<D>();
    double p[kChildren<D - 1>];
    for (int c = 0, n = 0; c < kChildren<D>; ++c)
        if (!(c >> axis & 1)) p[n++] = node[corners[c]];
    return open_corners<D - 1>(p);
}

/// Open volume of the two half cells beside a face: the far corners are midpoints of edges.
template <int D>
double face_volume(const float* node, int axis) {
    constexpr auto corners = cell_corners<D>();
    const int step = NodeTile<D>::step(axis);
    double sum = 0;
    for (const int away : {-step, step}) {
        double p[kChildren<D>];
        for (int c = 0; c < kChildren<D>; ++c) {
            const bool far = c >> axis & 1;
            const float* on_face = node + corners[c] - (far ? step : 0);
            p[c] = far ? 0.5 * (double(on_face[0]) + double(on_face[away])) : double(on_face[0]);
        }
        sum += open_corners<D>(p);
    }
    return sum / 2;
}

}  // namespace

template <int D>
void block_fractions(const NodeTile<D>& phi, Fractions kind, BlockFractions<D>& out) {
    for_each_cell<D, 1>([&](const Index<D>&, int o, int t) {
        const float* node = phi.v + t;
        if (kind == Fractions::Voxel) {
            const bool is_open = mean<D>(node) > 0;
            out.cell_open[o] = is_open;
            for (int axis = 0; axis < D; ++axis)
                out.open[axis][o] = is_open && mean<D>(node - NodeTile<D>::step(axis)) > 0;
            return;
        }
        out.cell_open[o] = snap_fraction(cell_fraction<D>(node));
        for (int axis = 0; axis < D; ++axis)
            out.open[axis][o] = snap_fraction(kind == Fractions::Area ? face_area<D>(node, axis)
                                                                      : face_volume<D>(node, axis));
    });
}

template <int D>
void centre_distances(const NodeTile<D>& phi, float* out) {
    for_each_cell<D, 1>([&](const Index<D>&, int o, int t) { out[o] = mean<D>(phi.v + t); });
}

template void block_fractions<2>(const NodeTile<2>&, Fractions, BlockFractions<2>&);
template void block_fractions<3>(const NodeTile<3>&, Fractions, BlockFractions<3>&);
template void centre_distances<2>(const NodeTile<2>&, float*);
template void centre_distances<3>(const NodeTile<3>&, float*);

}  // namespace slosh
