#include "slosh/shape/mesh_far.h"

#include <limits>

#include "slosh/base/parallel.h"

namespace slosh {

namespace {

constexpr int kMostCells = 96;  // along an axis: the sweeps below take its fourth power

/// Along one axis: out(i) = min over j of in(j) + (gap between centre i and cell j)^2. The squared
/// distance to a box is a sum over axes, so one sweep an axis finds the nearest box exactly.
void sweep(std::vector<float>& f, const Index<3>& n, int axis, double side) {
    const int step = axis == 0 ? 1 : axis == 1 ? n[0] : n[0] * n[1];
    const int u = axis == 0 ? n[1] : n[0], v = axis == 2 ? n[1] : n[2];
    const int step_u = axis == 0 ? n[0] : 1, step_v = axis == 2 ? n[0] : n[0] * n[1];
    parallel_for(static_cast<std::size_t>(u) * v, 16, [&](std::size_t line) {
        float* const row = f.data() + (line % u) * step_u + (line / u) * step_v;
        std::vector<float> in(n[axis]);
        for (int i = 0; i < n[axis]; ++i) in[i] = row[static_cast<std::size_t>(i) * step];
        for (int i = 0; i < n[axis]; ++i) {
            float least = in[i];
            for (int j = 0; j < n[axis]; ++j) {
                const float gap = static_cast<float>(std::max(0.0, (std::abs(i - j) - 0.5) * side));
                least = std::min(least, in[j] + gap * gap);
            }
            row[static_cast<std::size_t>(i) * step] = least;
        }
    });
}

}  // namespace

MeshFar::MeshFar(const std::vector<DistanceBrick>& bricks, const Index<3>& lo, const Index<3>& size)
    : lo_(lo.as<double>()) {
    int side = 4;
    while (std::max({size[0], size[1], size[2]}) > kMostCells * side) side *= 2;
    side_ = side;
    for (int d = 0; d < 3; ++d) cells_[d] = (size[d] + side - 1) / side;
    const float far = std::numeric_limits<float>::max() / 4;
    distance_.assign(static_cast<std::size_t>(cells_[0]) * cells_[1] * cells_[2], far);

    // A voxel the surface passes has its lower corner within a voxel's diagonal of it.
    for (const DistanceBrick& brick : bricks)
        for (int n = 0; n < kBrickNodes; ++n) {
            const Index<3> local{n % 9, n / 9 % 9, n / 81};
            if (local[0] == 8 || local[1] == 8 || local[2] == 8) continue;
            if (brick.v[n] > 1.7321f) continue;
            const Index<3> voxel = brick.coord * kBrickSide + local;
            const Index<3> c = floor((voxel - lo).as<double>() / side_);
            distance_[(static_cast<std::size_t>(c[2]) * cells_[1] + c[1]) * cells_[0] + c[0]] = 0;
            const Point<3> corner = voxel.as<double>();
            touched_ = {min(touched_.lo, corner), max(touched_.hi, corner + Point<3>::filled(1))};
        }
    for (int axis = 0; axis < 3; ++axis) sweep(distance_, cells_, axis, side_);
    for (float& d : distance_) d = std::sqrt(d);
}

double MeshFar::bound(const Point<3>& g) const {
    Point<3> beyond;
    for (int d = 0; d < 3; ++d)
        beyond[d] = std::max({0.0, touched_.lo[d] - g[d], g[d] - touched_.hi[d]});
    const double to_box = length(beyond);
    Index<3> c;
    for (int d = 0; d < 3; ++d) {
        const double cell = std::floor((g[d] - lo_[d]) / side_);
        if (!(cell >= 0 && cell < cells_[d])) return to_box;
        c[d] = static_cast<int>(cell);
    }
    const Point<3> centre = lo_ + (c.as<double>() + Point<3>::filled(0.5)) * side_;
    const double from_centre =
        distance_[(static_cast<std::size_t>(c[2]) * cells_[1] + c[1]) * cells_[0] + c[0]];
    // Float sums above round: 1e-5 of them keeps this a bound.
    return std::max(to_box, from_centre * (1 - 1e-5) - length(g - centre));
}

}  // namespace slosh
