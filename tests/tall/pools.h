// Water at rest over terrains of every kind, for the tests of tall cells.
#pragma once

#include <cmath>
#include <functional>

#include "slosh/tall/multigrid.h"
#include "slosh/tall/projection.h"

namespace slosh::tall {

/// A pool with its surface at world height `level` (cells, 0 is the lower side of cell 0).
struct Pool {
    Grid grid;
    double level = 0;
    std::function<int(int, int)> terrain;

    /// terrain(x, z) in cells; `under` regular cells lie under the surface where depth allows.
    Pool(int nx, int ny, int nz, double surface, int under, std::function<int(int, int)> ground)
        : grid(nx, ny, nz, 1.0), level(surface), terrain(std::move(ground)) {
        for (int z = 0; z < nz; ++z)
            for (int x = 0; x < nx; ++x)
                grid.set(x, z, terrain(x, z), static_cast<int>(surface) - under);
        grid.close_border();
    }
    float phi(int y) const { return static_cast<float>(y + 0.5 - level); }

    void fill(Level& l) const {
        for (int z = 0; z < grid.nz(); ++z)
            for (int x = 0; x < grid.nx(); ++x) {
                const int c = grid.column(x, z);
                for (int i = 0; i <= grid.ny(); ++i) {
                    l.phi.at(c)[i] = phi(grid.top(c) + i);
                    l.open.at(c)[i] = grid.top(c) + i >= terrain(x, z);
                }
                l.phi.bottom(c) = phi(grid.bottom(c));
                l.open.bottom(c) = !grid.closed(c);
            }
        l.phi.refresh_all(grid, Under::Bottom);
        l.open.refresh_all(grid, Under::Nothing);
    }
    /// Everything falls at `speed`: water and the air above it.
    Velocity falling(float speed) const {
        Velocity u(grid, Float4{0, -speed, 0, 0});
        for (int z = 0; z < grid.nz(); ++z)
            for (int x = 0; x < grid.nx(); ++x) {
                const int c = grid.column(x, z);
                for (int i = 0; i <= grid.ny(); ++i) u.at(c)[i] = Float4{0, -speed, 0, 0};
                u.bottom(c) = Float4{0, -speed, 0, 0};
            }
        u.refresh_all(grid, Under::Bottom);
        return u;
    }
};

/// Root mean square of the velocity over the unknowns.
inline double rms_speed(const Level& l, const Velocity& u) {
    double sum = 0, n = 0;
    const auto add = [&](const Float4& v) {
        sum += v[0] * v[0] + v[1] * v[1] + v[2] * v[2];
        ++n;
    };
    for (int z = 0; z < l.grid.nz(); ++z)
        for (int x = 0; x < l.grid.nx(); ++x) {
            const int c = l.grid.column(x, z);
            for (int i = 0; i <= l.grid.ny(); ++i)
                if (l.diagonal.at(c)[i] > 0) add(u.at(c)[i]);
            if (l.diagonal.bottom(c) > 0) add(u.bottom(c));
        }
    return std::sqrt(sum / n);
}

/// Deterministic noise in [0, 1).
inline double noise(int x, int z, int seed) {
    unsigned h = static_cast<unsigned>(x) * 73856093u ^ static_cast<unsigned>(z) * 19349663u ^
                 static_cast<unsigned>(seed) * 83492791u;
    h ^= h >> 13;
    h *= 0x5bd1e995u;
    h ^= h >> 15;
    return (h & 0xffff) / 65536.0;
}

/// Hills of several sizes, from 0 to about `height` cells.
inline int hills(int x, int z, double height) {
    const double a = std::sin(0.11 * x) * std::cos(0.07 * z), b = std::sin(0.31 * x + 0.23 * z);
    return static_cast<int>(height * (0.5 + 0.3 * a + 0.15 * b));
}

/// Ground whose every column has another height.
inline int rubble(int x, int z, double height) {
    return static_cast<int>(height * noise(x, z, 7));
}

}  // namespace slosh::tall
