#include "slosh/tall/fine_surface.h"

#include <cmath>

#include "slosh/tall/column_kernels.h"
#include "slosh/tall/distance.h"
#include "slosh/tall/ground_distance.h"
#include "slosh/tall/sample.h"
#include "slosh/tall/solid_cells.h"

namespace slosh::tall {

namespace {

constexpr float kBand = 5;          ///< Fine cells around the surface in which phi is a distance.
constexpr float kFarCells = 4.99f;  ///< Beyond, phi says no more.
/// Fine cells up to which a mean of eight is used: all of them know their distance.
constexpr float kMeanCells = 3.5f;

float in_metres(const Grid& fine, float cells) {
    return cells * static_cast<float>(fine.dx());
}

/// Fine offset at which a column ends that ends at `end`.
int fine_end(int end) {
    return end > 0 ? 2 * end - 1 : 0;
}

Terrain fine_terrain(const Grid& coarse, const Terrain& terrain) {
    Terrain fine;
    fine.reserve(4 * terrain.size());
    for (int z = 0; z < 2 * coarse.nz(); ++z)
        for (int x = 0; x < 2 * coarse.nx(); ++x)
            fine.push_back(2 * terrain[static_cast<std::size_t>(z / 2) * coarse.nx() + x / 2]);
    return fine;
}

Grid fine_grid(const Grid& coarse, const Terrain& fine_ground) {
    Grid fine(2 * coarse.nx(), 2 * coarse.ny(), 2 * coarse.nz(), coarse.dx() / 2);
    std::size_t k = 0;
    for (int z = 0; z < fine.nz(); ++z)
        for (int x = 0; x < fine.nx(); ++x)
            fine.set(x, z, fine_ground[k++], 2 * coarse.top(coarse.column(x / 2, z / 2)) + 1);
    fine.close_border();
    return fine;
}

/// Of a way in cells of the simulation.
bool is_short(const Float4& way) {
    return way[0] * way[0] + way[1] * way[1] + way[2] * way[2] < 1;
}

/// Runs body(fine column) for the four under column (x, z).
template <class Body>
void for_each_child(const Grid& fine, int x, int z, const Body& body) {
    for (int k = 0; k < 4; ++k) body(fine.column(2 * x + k % 2, 2 * z + k / 2));
}

}  // namespace

FineSurface::FineSurface(const Grid& coarse, const Terrain& terrain,
                         const std::function<double(const Point<3>&)>& distance)
    : grid_(fine_grid(coarse, fine_terrain(coarse, terrain))),
      terrain_(fine_terrain(coarse, terrain)) {
    const double most = in_metres(grid_, kBand);
    phi_.resize(grid_, in_metres(grid_, kBand));
    for_each_row(grid_, [&](int z) {
        for (int x = 0; x < grid_.nx(); ++x) {
            const int c = grid_.column(x, z);
            const auto at = [&](int y) {
                const Point<3> p = Point<3>{{x + 0.5, y + 0.5, z + 0.5}} * grid_.dx();
                return static_cast<float>(std::clamp(distance(p), -most, most));
            };
            phi_.bottom(c) = at(grid_.bottom(c));
            for (int i = 0; i <= grid_.ny(); ++i) phi_.at(c)[i] = at(grid_.top(c) + i);
            phi_.refresh(grid_, c, Under::Bottom);
        }
    });
}

void FineSurface::repair(const Grid& coarse, const Columns<float>& coarse_phi, bool wide) {
    for_each_row(grid_, [&](int z) {
        for (int x = 0; x < grid_.nx(); ++x) {
            const int c = grid_.column(x, z);
            phi_.set_end(c, fine_end(coarse_phi.end(coarse.column(x / 2, z / 2))));
            if (phi_.end(c) > 0) continue;
            phi_.bottom(c) = phi_.above();
            phi_.refresh(grid_, c, Under::Bottom);
        }
    });
    extend_into_ground(grid_, terrain_, phi_);
    clamp_distance(grid_, phi_, room_);
    if (wide) redistance(grid_, phi_, room_);
}

void FineSurface::advect(const Grid& coarse, const Velocity& path) {
    const VelocityReader ways(path, coarse);
    const float far = in_metres(grid_, kFarCells);
    if (!room_.fits(grid_)) room_.resize(grid_, phi_.above());
    for_each_row(grid_, [&](int z) {
        for (int x = 0; x < grid_.nx(); ++x) {
            const int c = grid_.column(x, z), top = grid_.top(c), end = phi_.end(c);
            room_.set_end(c, end);
            room_.bottom(c) = phi_.bottom(c);
            const float* from = phi_.at(c);
            float* to = room_.at(c);
            const int start = std::min(grid_.start(c), end);
            std::copy(from, from + start, to);
            const Float4* own = path.at(coarse.column(x / 2, z / 2));
            const float cx = 0.5f * static_cast<float>(x) - 0.25f,
                        cz = 0.5f * static_cast<float>(z) - 0.25f;
            for (int i = start; i < end; ++i) {
                to[i] = from[i];
                // Deep in water or far in air phi does not change unless water crosses cells.
                if (std::abs(from[i]) > far && is_short(own[(i + 1) / 2])) continue;
                const float y = static_cast<float>(top + i);
                const Float4 way = 2 * ways.around(Float4{cx, 0.5f * y - 0.25f, cz, 0}).blend();
                to[i] = sample(phi_, grid_,
                               Stencil(grid_, static_cast<float>(x) - way[0], y - way[1],
                                       static_cast<float>(z) - way[2]));
            }
            if (end > 0) room_.refresh(grid_, c, Under::Bottom);
        }
    });
    std::swap(phi_, room_);
}

void FineSurface::let_air_in(const Grid& coarse, const std::vector<ReleasedCell>& released,
                             double dt) {
    const float quarter = 0.25f * static_cast<float>(coarse.dx());
    for (const ReleasedCell& k : released) {
        const int x = k.column % coarse.step_z() - 1, z = k.column / coarse.step_z() - 1;
        const float surface = std::max(k.phi, -k.gap) + k.apart * static_cast<float>(dt);
        for (int child = 0; child < 8; ++child) {
            const int place[3] = {child & 1, child >> 1 & 1, child >> 2};
            const int c = grid_.column(2 * x + place[0], 2 * z + place[2]);
            const int i = 2 * k.offset - 1 + place[1];
            if (i < 0 || i >= phi_.end(c)) continue;
            // Sides 2 k and 2 k + 1 are below and above along axis k: the half of the cell that is
            // nearer to the solid is left first.
            const bool nearer = place[k.side / 2] == k.side % 2;
            const float there = surface + (nearer ? quarter : -quarter);
            phi_.at(c)[i] = std::max(phi_.at(c)[i], std::min(there, phi_.above()));
            if (i == 0) phi_.refresh(grid_, c, Under::Bottom);
        }
    }
}

void FineSurface::pour(int x, int z, const std::function<double(const Point<3>&)>& distance) {
    const int ground = terrain_[static_cast<std::size_t>(2 * z) * grid_.nx() + 2 * x];
    const double dx = grid_.dx();
    for_each_child(grid_, x, z, [&](int c) {
        const int top = grid_.top(c);
        const double px = c % grid_.step_z() - 0.5, pz = c / grid_.step_z() - 0.5;
        for (int i = std::max(0, ground - top); i <= grid_.ny();) {
            const double d = distance(Point<3>{{px, top + i + 0.5, pz}} * dx);
            if (d > 2 * dx) {  // rules out the cells around, as in the simulation
                i += std::max(1, static_cast<int>(std::min(d / dx - 2, 1e6)));
                continue;
            }
            if (i >= phi_.end(c)) phi_.set_end(c, i + 1);
            phi_.at(c)[i] = std::min(phi_.at(c)[i], static_cast<float>(d));
            ++i;
        }
        phi_.refresh(grid_, c, Under::Bottom);
    });
}

void FineSurface::average(const Grid& coarse, int x, int z, Columns<float>& coarse_phi) const {
    const int c = coarse.column(x, z), end = coarse_phi.end(c);
    if (end == 0) return;
    const float near = in_metres(grid_, kMeanCells);
    const float* fine[4];
    for (int k = 0; k < 4; ++k) fine[k] = phi_.at(grid_.column(2 * x + k % 2, 2 * z + k / 2)) - 1;
    float* p = coarse_phi.at(c);
    for (int i = coarse.start(c); i < end; ++i) {
        float sum = 0;
        for (int k = 0; k < 4; ++k) sum += fine[k][2 * i] + fine[k][2 * i + 1];
        const float mean = 0.125f * sum;
        // Further off both agree on the side, and the simulation's phi knows more.
        if (std::abs(mean) < near)
            p[i] = mean;
        else
            p[i] = mean < 0 ? std::min(p[i], -near) : std::max(p[i], near);
    }
    coarse_phi.refresh(coarse, c, Under::Bottom);
}

void FineSurface::average(const Grid& coarse, Columns<float>& coarse_phi) const {
    for_each_row(coarse, [&](int z) {
        for (int x = 0; x < coarse.nx(); ++x) average(coarse, x, z, coarse_phi);
    });
}

void FineSurface::fill_bodies(const Grid& coarse, const SolidCells& bodies,
                              const Columns<float>& coarse_phi) {
    for (const SolidCells::Cell& k : bodies.cells()) {
        if (bodies.fraction().at(k.column)[k.offset] <= SolidCells::kInside) continue;
        if (k.offset >= coarse_phi.end(k.column)) continue;
        const int x = k.column % coarse.step_z() - 1, z = k.column / coarse.step_z() - 1;
        for_each_child(grid_, x, z, [&](int c) {
            const float cx = 0.5f * static_cast<float>(c % grid_.step_z() - 1) - 0.25f,
                        cz = 0.5f * static_cast<float>(c / grid_.step_z() - 1) - 0.25f;
            for (int i = std::max(2 * k.offset - 1, 0); i <= 2 * k.offset && i < phi_.end(c); ++i) {
                const float y = 0.5f * static_cast<float>(grid_.top(c) + i) - 0.25f;
                const float p = sample(coarse_phi, coarse, Stencil(coarse, cx, y, cz));
                phi_.at(c)[i] = std::clamp(p, -phi_.above(), phi_.above());
            }
            if (k.offset == 0) phi_.refresh(grid_, c, Under::Bottom);
        });
    }
}

void FineSurface::remesh(const Grid& coarse, const Terrain& terrain) {
    terrain_ = fine_terrain(coarse, terrain);
    const Grid next = fine_grid(coarse, terrain_);
    transfer(grid_, next, Under::Bottom, phi_);
    grid_ = next;
}

}  // namespace slosh::tall
