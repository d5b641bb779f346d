#include "slosh/tall/grid.h"

#include <algorithm>

#include "slosh/base/error.h"

namespace slosh::tall {

namespace {

/// Half of a, rounded down for negative numbers too.
int half(int a) {
    return a >> 1;
}

}  // namespace

Grid::Grid(int nx, int ny, int nz, double dx) : nx_(nx), ny_(ny), nz_(nz), dx_(dx) {
    SLOSH_EXPECT(nx > 0 && ny > 0 && nz > 0 && dx > 0);
    length_ = (ny + 1 + 7) / 8 * 8;
    stride_ = kBelow + length_ + kBelow;  // a shift by kBelow upwards reads beyond the last value
    const std::size_t n = static_cast<std::size_t>(nx + 2) * (nz + 2);
    bottom_.assign(n, 0);
    top_.assign(n, 1);
    start_.assign(n, 0);
    slope_.assign(n, 1.0f);
    closed_.assign(n, 0);
}

void Grid::set(int x, int z, int bottom, int top) {
    const int c = column(x, z);
    closed_[c] = bottom >= top;
    bottom_[c] = std::min(bottom, top - 1);
    top_[c] = top;
    // Below the terrain's surface a cell is read by interpolation beside it, and one more by paths.
    start_[c] = static_cast<short>(std::clamp(bottom - 2 - top, 0, ny_ + 1));
    slope_[c] = 1.0f / static_cast<float>(top - bottom_[c]);
}

void Grid::close_border() {
    const auto copy = [&](int x, int z) {
        const int to = column(x, z);
        const int from = column(std::clamp(x, 0, nx_ - 1), std::clamp(z, 0, nz_ - 1));
        bottom_[to] = bottom_[from];
        top_[to] = top_[from];
        start_[to] = start_[from];
        slope_[to] = slope_[from];
        closed_[to] = closed_[from];
    };
    for (int x = -1; x <= nx_; ++x) copy(x, -1), copy(x, nz_);
    for (int z = 0; z < nz_; ++z) copy(-1, z), copy(nx_, z);
}

Grid Grid::coarser() const {
    SLOSH_EXPECT(nx_ % 2 == 0 && ny_ % 2 == 0 && nz_ % 2 == 0);
    Grid coarse(nx_ / 2, ny_ / 2, nz_ / 2, 2 * dx_);
    for (int z = 0; z < coarse.nz_; ++z)
        for (int x = 0; x < coarse.nx_; ++x) {
            const int c = column(2 * x, 2 * z);
            const int around[4] = {c, c + step_x(), c + step_z(), c + step_x() + step_z()};
            bool open = false;
            int lowest = top_[c], highest = top_[c];
            for (int a : around) {
                highest = std::max(highest, top_[a]);
                if (closed_[a]) continue;
                lowest = open ? std::min(lowest, bottom_[a]) : bottom_[a];
                open = true;
            }
            // An open column stays open: at least its lowest cell is water.
            const int top = half(highest);
            coarse.set(x, z, open ? std::min(half(lowest), top - 1) : top, top);
        }
    coarse.close_border();
    return coarse;
}

}  // namespace slosh::tall
