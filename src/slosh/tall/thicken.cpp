#include "slosh/tall/thicken.h"

#include <cmath>
#include <numbers>

#include "slosh/base/vec.h"
#include "slosh/tall/column_kernels.h"
#include "slosh/tall/sample.h"

namespace slosh::tall {

namespace {

Float4 velocity_at(const Grid& g, const Velocity& u, const Point<3>& x) {
    return sample(
        u, g,
        Stencil(g, static_cast<float>(x[0]), static_cast<float>(x[1]), static_cast<float>(x[2])));
}

float phi_at(const Grid& g, const Columns<float>& phi, const Point<3>& x) {
    return sample(
        phi, g,
        Stencil(g, static_cast<float>(x[0]), static_cast<float>(x[1]), static_cast<float>(x[2])));
}

/// The middle of the sheet at a thin cell and its normal; false if the cell is not thin. In cells.
bool thin_at(const Grid& g, const Columns<float>& phi, int x, int z, int c, int i, float thin,
             Point<3>& middle, Point<3>& normal) {
    const int y = g.top(c) + i;
    const auto value = [&](int dx, int dy, int dz) {
        const int column = c + (g.inside(x + dx, z) ? dx * g.step_x() : 0) +
                           (g.inside(x, z + dz) ? dz * g.step_z() : 0);
        return phi.value(g, column, y + dy, Under::Bottom);
    };
    normal = {{value(1, 0, 0) - value(-1, 0, 0), value(0, 1, 0) - value(0, -1, 0),
               value(0, 0, 1) - value(0, 0, -1)}};
    const double size = length(normal);
    if (size < 1e-6 * g.dx())
        normal = {{0, 1, 0}};  // the ridge of a flat sheet
    else
        normal = normal / size;
    const Point<3> at = {{double(x), double(y), double(z)}};
    const float own = phi.at(c)[i];
    const float left = phi_at(g, phi, at - normal * (2.0 * thin));
    if (left <= 0) return false;
    const float right = phi_at(g, phi, at + normal * (2.0 * thin));
    if (right <= 0) return false;
    // Where phi, linear to either side, crosses zero: the middle lies between the two.
    const double to_left = 2 * thin * own / (own - left), to_right = 2 * thin * own / (own - right);
    middle = at + normal * (0.5 * (to_right - to_left));
    return true;
}

}  // namespace

std::vector<ThickBall> find_thin(const Grid& g, const std::vector<int>& terrain,
                                 const Columns<float>& phi, const Grid& velocity_grid,
                                 const Velocity& velocity, double dt,
                                 const ThickeningOptions& options) {
    std::vector<std::vector<ThickBall>> rows(static_cast<std::size_t>(g.nz()));
    const float dx = static_cast<float>(g.dx()), thin = static_cast<float>(options.thin);
    const float cells = static_cast<float>(dt) / dx;
    const double coarser = g.dx() / velocity_grid.dx();
    for_each_row(g, [&](int z) {
        for (int x = 0; x < g.nx(); ++x) {
            const int c = g.column(x, z);
            const int ground = terrain[static_cast<std::size_t>(z) * g.nx() + x];
            const float* p = phi.at(c);
            for (int i = std::max(0, ground - g.top(c)); i < phi.end(c); ++i) {
                if (p[i] > 0 || p[i] < -thin * dx) continue;
                // A film on the ground is thin, but it is no sheet.
                if (g.top(c) + i < ground + 3) continue;
                Point<3> middle, normal;
                if (!thin_at(g, phi, x, z, c, i, thin, middle, normal)) continue;
                const Point<3> other =
                    std::abs(normal[1]) < 0.9 ? Point<3>{{0, 1, 0}} : Point<3>{{1, 0, 0}};
                const Point<3> a = cross(normal, other) / length(cross(normal, other)),
                               b = cross(normal, a);
                for (int k = 0; k < options.particles; ++k) {
                    // Evenly over a disk of half a cell: golden angles.
                    const double r = 0.5 * std::sqrt((k + 0.5) / options.particles);
                    const double turn = k * std::numbers::pi * (3 - std::sqrt(5.0));
                    const Point<3> at =
                        middle + a * (r * std::cos(turn)) + b * (r * std::sin(turn));
                    const float radius = -phi_at(g, phi, at) / dx;
                    if (radius <= 0) continue;
                    const float kept = std::max(radius, static_cast<float>(options.least_radius));
                    const Point<3> there = (at + Point<3>{{0.5, 0.5, 0.5}}) * coarser;
                    const Float4 u =
                        velocity_at(velocity_grid, velocity, there - Point<3>{{0.5, 0.5, 0.5}});
                    rows[static_cast<std::size_t>(z)].push_back(
                        {static_cast<float>(at[0]) + cells * u[0],
                         static_cast<float>(at[1]) + cells * u[1],
                         static_cast<float>(at[2]) + cells * u[2], kept});
                }
            }
        }
    });
    std::vector<ThickBall> all;
    for (const auto& row : rows) all.insert(all.end(), row.begin(), row.end());
    return all;
}

void thicken(const Grid& g, const std::vector<ThickBall>& balls, Columns<float>& phi) {
    const float dx = static_cast<float>(g.dx());
    for (const ThickBall& b : balls) {
        const int reach = static_cast<int>(b.radius) + 1;
        const int mx = static_cast<int>(std::floor(b.x + 0.5f)),
                  my = static_cast<int>(std::floor(b.y + 0.5f)),
                  mz = static_cast<int>(std::floor(b.z + 0.5f));
        for (int z = mz - reach; z <= mz + reach; ++z)
            for (int x = mx - reach; x <= mx + reach; ++x) {
                if (!g.inside(x, z)) continue;
                const int c = g.column(x, z);
                for (int y = my - reach; y <= my + reach; ++y) {
                    const int i = y - g.top(c);
                    if (i < 0 || i >= phi.end(c)) continue;
                    const float ax = static_cast<float>(x) - b.x, ay = static_cast<float>(y) - b.y,
                                az = static_cast<float>(z) - b.z;
                    const float d = std::sqrt(ax * ax + ay * ay + az * az) - b.radius;
                    phi.at(c)[i] = std::min(phi.at(c)[i], d * dx);
                    if (i == 0) phi.refresh(g, c, Under::Bottom);
                }
            }
    }
}

}  // namespace slosh::tall
