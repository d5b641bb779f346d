#include "slosh/tall/water.h"

#include <fmt/format.h>

#include <cmath>

#include "slosh/base/error.h"
#include "slosh/tall/column_kernels.h"
#include "slosh/tall/distance.h"
#include "slosh/tall/ground_distance.h"

namespace slosh::tall {

namespace {

/// Cells of air around water whose velocity moves with it, so that faces and the next step have
/// one.
constexpr float kBandCells = 3;

Point<3> centre(const Grid& g, int x, int y, int z) {
    return {{(x + 0.5) * g.dx(), (y + 0.5) * g.dx(), (z + 0.5) * g.dx()}};
}

float far_air(const Grid& g) {
    return static_cast<float>(5 * g.dx());
}

/// Runs body(x, z, column) over all columns.
template <class Body>
void over_columns(const Grid& g, const Body& body) {
    parallel_for(static_cast<std::size_t>(g.nz()), 2, [&](std::size_t z) {
        for (int x = 0; x < g.nx(); ++x)
            body(x, static_cast<int>(z), g.column(x, static_cast<int>(z)));
    });
}

void set_distance(const Grid& g, const std::function<double(const Point<3>&)>& distance,
                  Columns<float>& phi) {
    const double most = far_air(g);
    phi.resize(g, far_air(g));
    over_columns(g, [&](int x, int z, int c) {
        const auto at = [&](int y) {
            return static_cast<float>(std::clamp(distance(centre(g, x, y, z)), -most, most));
        };
        phi.bottom(c) = at(g.bottom(c));
        for (int i = 0; i <= g.ny(); ++i) phi.at(c)[i] = at(g.top(c) + i);
        phi.refresh(g, c, Under::Bottom);
    });
}

/// The highest world cell with its centre in the water, by probing downwards from `from`.
int probe_surface(const Grid& g, const std::function<double(const Point<3>&)>& distance, int x,
                  int z, int from, int terrain) {
    for (int y = from; y > terrain; --y)
        if (distance(centre(g, x, y, z)) < 0) return y;
    return terrain;
}

}  // namespace

Water::Water(int nx, int ny, int nz, double dx, Terrain terrain,
             const std::function<double(const Point<3>&)>& distance, const WaterOptions& options)
    : options_(options),
      terrain_(std::move(terrain)),
      grid_(nx, ny, nz, dx),
      pressure_(options.cycles) {
    SLOSH_EXPECT(terrain_.size() == static_cast<std::size_t>(nx) * nz);
    SLOSH_EXPECT(ny + 1 <= kMaxLength - 8);
    // A first grid around the highest water, then the usual rules.
    const int high = *std::max_element(terrain_.begin(), terrain_.end()) + 4 * ny;
    for (int z = 0; z < nz; ++z)
        for (int x = 0; x < nx; ++x) {
            const int ground = terrain_[static_cast<std::size_t>(z) * nx + x];
            const int y = probe_surface(grid_, distance, x, z, high, ground);
            grid_.set(x, z, ground, y + options_.remesh.over - ny);
        }
    grid_.close_border();
    set_distance(grid_, distance, phi_);
    grid_ = choose_heights(grid_, phi_, terrain_, {}, options_.remesh);
    set_distance(grid_, distance, phi_);
    SLOSH_EXPECT(options_.surface == 1 || options_.surface == 2);
    if (options_.surface == 2) {
        SLOSH_EXPECT(2 * ny + 1 <= kMaxLength - 8);
        fine_ = std::make_unique<FineSurface>(grid_, terrain_, distance);
        fine_->average(grid_, phi_);
    }
    velocity_.resize(grid_);
    fastest_.assign(grid_.columns(), 0.0f);
    kept_pressure_.resize(grid_);
    pressure_.reset(grid_);
    load_pressure_level();
    pressure_.build();
    rest_.level = static_cast<float>(mean_surface() / dx - 0.5);
    find_first_pressure();
    due_volume_ = volume();
}

void Water::set_velocity(const std::function<Point<3>(const Point<3>&)>& velocity) {
    over_columns(grid_, [&](int x, int z, int c) {
        const auto at = [&](int y) {
            const Point<3> u = velocity(centre(grid_, x, y, z));
            return Float4{static_cast<float>(u[0]), static_cast<float>(u[1]),
                          static_cast<float>(u[2]), 1};
        };
        velocity_.bottom(c) = at(grid_.bottom(c));
        for (int i = 0; i <= grid_.ny(); ++i) velocity_.at(c)[i] = at(grid_.top(c) + i);
        velocity_.refresh(grid_, c, Under::Bottom);
        fastest_[c] = faster(0, velocity_.bottom(c));
        for (int i = 0; i <= grid_.ny(); ++i) fastest_[c] = faster(fastest_[c], velocity_.at(c)[i]);
    });
}

double Water::column_volume(int x, int z) const {
    const int c = grid_.column(x, z);
    if (phi_.end(c) == 0) return 0;
    const float inverse = static_cast<float>(1 / grid_.dx());
    const auto part = [&](float p) { return std::min(std::max(0.5f - p * inverse, 0.0f), 1.0f); };
    const int ground = terrain_[static_cast<std::size_t>(z) * grid_.nx() + x];
    double sum = 0;
    if (!grid_.closed(c))  // the cells under the top, between its values
        sum +=
            0.5 * (part(phi_.bottom(c)) + part(phi_.at(c)[0])) * (grid_.top(c) - grid_.bottom(c));
    float cells = 0;
    for (int i = std::max(0, ground - grid_.top(c)); i < phi_.end(c); ++i)
        cells += part(phi_.at(c)[i]);
    return sum + cells;
}

double Water::pour_from(const Source& s, int x, int z) {
    const int c = grid_.column(x, z);
    const int ground = terrain_[static_cast<std::size_t>(z) * grid_.nx() + x] - grid_.top(c);
    const double dx = grid_.dx();
    double before = -1;  // cells of water, once something changes
    for (int i = std::max(0, ground); i <= grid_.ny();) {
        // A distance changes by no more than the way: from afar many cells are ruled out by one.
        const double d = s.distance(centre(grid_, x, grid_.top(c) + i, z));
        if (d > dx) {
            i += std::max(1, static_cast<int>(std::min(d / dx - 1, 1e6)));
            continue;
        }
        if (before < 0) before = column_volume(x, z);
        if (i >= phi_.end(c)) {
            phi_.set_end(c, i + 1);
            velocity_.set_end(c, i + 1);
        }
        phi_.at(c)[i] = std::min(phi_.at(c)[i], static_cast<float>(d));
        velocity_.at(c)[i] =
            Float4{static_cast<float>(s.velocity[0]), static_cast<float>(s.velocity[1]),
                   static_cast<float>(s.velocity[2]), 1};
        ++i;
    }
    if (before < 0) return 0;
    if (fine_) {
        fine_->pour(x, z, s.distance);
        fine_->average(grid_, x, z, phi_);
    }
    phi_.refresh(grid_, c, Under::Bottom);
    velocity_.refresh(grid_, c, Under::Bottom);
    return column_volume(x, z) - before;
}

void Water::pour() {
    const double cell = std::pow(grid_.dx(), 3);
    for (const Source& s : sources) {
        const auto row = [&](std::size_t z) {
            double sum = 0;
            for (int x = 0; x < grid_.nx(); ++x) {
                const double cells = pour_from(s, x, static_cast<int>(z));
                if (cells != 0) films_.pour(grid_, x, static_cast<int>(z), cells);
                sum += cells;
            }
            return sum;
        };
        due_volume_ += cell * parallel_sum(static_cast<std::size_t>(grid_.nz()), row, 2);
    }
}

void Water::remesh() {
    const Grid next =
        choose_heights(grid_, phi_, terrain_, body_depths ? body_depths(grid_) : std::vector<int>{},
                       options_.remesh);
    transfer(grid_, next, Under::Bottom, phi_);
    transfer(grid_, next, Under::Bottom, velocity_);
    keep_pressure();
    transfer(grid_, next, Under::Nothing, kept_pressure_);
    grid_ = next;
    if (fine_) fine_->remesh(grid_, terrain_);
}

void Water::put_bodies(double dt) {
    if (!place_bodies) return;
    if (!bodies_.fraction().fits(grid_)) bodies_.resize(grid_);
    place_bodies(grid_, bodies_);
    solids.bodies = bodies_.cells().empty() ? nullptr : &bodies_;
    spread_into_bodies(grid_, bodies_, phi_);
    if (fine_) fine_->fill_bodies(grid_, bodies_, phi_);
    blend_velocity(grid_, bodies_, fall(dt), velocity_);
    // Their share of a cell is not open.
    Columns<float>& open = pressure_.finest().open;
    for (const SolidCells::Cell& k : bodies_.cells()) {
        float& w = open.at(k.column)[k.offset];
        w *= 1 - bodies_.fraction().at(k.column)[k.offset];
        if (k.offset == 0) open.refresh(grid_, k.column, Under::Nothing);
    }
}

void Water::set_separation(bool on) {
    options_.cycles.separation_levels = on ? kSeparationLevels : 0;
    pressure_.set_separation_levels(options_.cycles.separation_levels);
    if (!on) released_.clear();
}

void Water::set_gravity(const Point<3>& pull) {
    options_.gravity = -pull[1];
    options_.sideways[0] = pull[0];
    options_.sideways[1] = pull[2];
}

void Water::push(const Point<3>& at, double radius, const Point<3>& velocity) {
    over_columns(grid_, [&](int x, int z, int c) {
        const Point<3> foot = centre(grid_, x, 0, z);
        if (std::hypot(foot[0] - at[0], foot[2] - at[2]) > radius) return;
        const auto draw = [&](int y, Float4& u) {
            const double away = length(centre(grid_, x, y, z) - at) / radius;
            const float share = static_cast<float>(std::max(0.0, 1 - away * away));
            for (int d = 0; d < 3; ++d) u[d] += share * (static_cast<float>(velocity[d]) - u[d]);
            fastest_[c] = faster(fastest_[c], u);
        };
        for (int i = 0; i < velocity_.end(c); ++i)
            if (phi_.at(c)[i] < 0) draw(grid_.top(c) + i, velocity_.at(c)[i]);
        if (phi_.bottom(c) < 0) draw(grid_.bottom(c), velocity_.bottom(c));
        velocity_.refresh(grid_, c, Under::Bottom);
    });
}

void Water::set_terrain(Terrain terrain) {
    SLOSH_EXPECT(terrain.size() == terrain_.size());
    terrain_ = std::move(terrain);
}

/// What happens to the surface besides its own advection with the velocity.
void Water::move_surface(double dt, const std::vector<ThickBall>& thin, StageTimes& times) {
    if (fine_) {
        StageTimer timer(times, "LA");
        fine_->advect(grid_, advection_.path);
        fine_->let_air_in(grid_, released_, dt);
    } else {
        let_air_in(grid_, released_, dt, phi_);
    }
    if (!thin.empty()) {
        StageTimer timer(times, "thickening");
        thicken(fine_ ? fine_->grid() : grid_, thin, fine_ ? fine_->phi() : phi_);
    }
    if (fine_) {
        StageTimer timer(times, "LA");
        fine_->average(grid_, phi_);
    }
}

WaterReport Water::step(double dt) {
    SLOSH_EXPECT(dt > 0);
    WaterReport report;
    float fastest = 0;
    {
        StageTimer timer(report.times, "VE");
        fastest = set_reach(grid_, terrain_, fastest_, static_cast<float>(dt / grid_.dx()),
                            reach_room_, phi_, velocity_);
        extrapolate(pressure_.levels(), extrapolation_, velocity_);
    }
    const bool wide = steps_ % options_.redistance_every == 0;
    {
        StageTimer timer(report.times, "rest");
        extend_into_ground(grid_, terrain_, phi_);
        if (options_.volume_time > 0) films_.move(grid_, terrain_, phi_, velocity_, dt);
        if (!fine_) clamp_distance(grid_, phi_, distance_room_);
        if (wide) redistance(grid_, phi_, distance_room_);
    }
    if (fine_) {
        StageTimer timer(report.times, "LA");
        fine_->repair(grid_, phi_, wide);
    }
    std::vector<ThickBall> thin;
    if (options_.thickening.on) {
        StageTimer timer(report.times, "thickening");
        thin = find_thin(fine_ ? fine_->grid() : grid_, fine_ ? fine_->terrain() : terrain_,
                         fine_ ? fine_->phi() : phi_, grid_, velocity_, dt, options_.thickening);
    }
    {
        // One trace serves the level set and the velocity, so LA and VA are one stage.
        StageTimer timer(report.times, "VA");
        const float band = kBandCells * static_cast<float>(grid_.dx());
        advect(grid_, dt, band, fall(dt), fastest, advection_, phi_, velocity_);
    }
    move_surface(dt, thin, report.times);
    {
        StageTimer timer(report.times, "rest");
        pour();
    }
    {
        StageTimer timer(report.times, "RM");
        remesh();
    }
    {
        StageTimer timer(report.times, "PP");
        report.max_speed = project(dt);
    }
    time_ += dt;
    ++steps_;
    report.time = time_;
    if (!std::isfinite(report.max_speed))
        throw SolveError(fmt::format(
            "the velocity of the water is not finite at t = {:.6g} s; lower max_dt, and please "
            "report the scene",
            time_));
    return report;
}

double Water::volume(std::vector<float>* columns) const {
    const float inverse = static_cast<float>(1 / grid_.dx());
    double in_bodies = 0;
    for (const SolidCells::Cell& k : bodies_.cells()) {
        const float part = 0.5f - phi_.at(k.column)[k.offset] * inverse;
        in_bodies += bodies_.fraction().at(k.column)[k.offset] * std::clamp(part, 0.0f, 1.0f);
    }
    const double cells = parallel_sum(static_cast<std::size_t>(grid_.nz()), [&](std::size_t z) {
        double sum = 0;
        for (int x = 0; x < grid_.nx(); ++x) {
            const double column = column_volume(x, static_cast<int>(z));
            if (columns) (*columns)[z * grid_.nx() + x] = static_cast<float>(column);
            sum += column;
        }
        return sum;
    });
    return std::pow(grid_.dx(), 3) * (cells - in_bodies);
}

double Water::wall_inflow() const {
    double sum = 0;
    const auto wet = [&](int x, int z) {  // cells of water in the column
        const int c = grid_.column(x, z);
        const auto part = [&](float p) { return std::clamp(0.5 - p / grid_.dx(), 0.0, 1.0); };
        double cells = 0;
        if (!grid_.closed(c) && phi_.bottom(c) < 0) cells += grid_.top(c) - grid_.bottom(c);
        for (int i = 0; i <= grid_.ny(); ++i)
            if (grid_.top(c) + i >= terrain_[static_cast<std::size_t>(z) * grid_.nx() + x])
                cells += part(phi_.at(c)[i]);
        return cells;
    };
    for (int side = 0; side < 4; ++side) {
        if (solids.wall[side] == 0) continue;
        double cells = 0;
        const int last = side < 2 ? grid_.nz() : grid_.nx();
        for (int k = 0; k < last; ++k) {
            const int edge = side % 2 == 0 ? 0 : (side < 2 ? grid_.nx() : grid_.nz()) - 1;
            cells += side < 2 ? wet(edge, k) : wet(k, edge);
        }
        sum += (side % 2 == 0 ? 1 : -1) * solids.wall[side] * cells;
    }
    return sum * grid_.dx() * grid_.dx();
}

double Water::max_speed() const {
    const Level& level = pressure_.finest();
    return std::sqrt(parallel_max(static_cast<std::size_t>(grid_.nz()), [&](std::size_t z) {
        float most = 0;
        const auto see = [&](const Float4& u) {
            most = std::max(most, _mm_cvtss_f32(_mm_dp_ps(u, u, 0x71)));
        };
        for (int x = 0; x < grid_.nx(); ++x) {
            const int c = grid_.column(x, static_cast<int>(z));
            for (int i = level.first[c]; i < level.last[c]; ++i)
                if (level.diagonal.at(c)[i] > 0) see(velocity_.at(c)[i]);
            if (level.diagonal.bottom(c) > 0) see(velocity_.bottom(c));
        }
        return static_cast<double>(most);
    }));
}

int Water::highest_wet(int c) const {
    const float* p = phi_.at(c);
    int i = std::min(grid_.ny(), phi_.end(c)) - 1;
    while (i >= 0 && !(p[i] < 0)) --i;
    return i;
}

double Water::surface_height(int x, int z) const {
    const int c = grid_.column(x, z), i = highest_wet(c);
    if (i < 0) return terrain_[static_cast<std::size_t>(z) * grid_.nx() + x] * grid_.dx();
    const float* p = phi_.at(c);
    const double above = p[i + 1] > 0 ? -p[i] / (p[i + 1] - p[i]) : 0.5;
    return (grid_.top(c) + i + 0.5 + above) * grid_.dx();
}

double Water::mean_surface() const {
    double sum = 0, wet = 0;
    for (int z = 0; z < grid_.nz(); ++z)
        for (int x = 0; x < grid_.nx(); ++x)
            if (column_volume(x, z) > 0) {
                sum += surface_height(x, z);
                ++wet;
            }
    return wet > 0 ? sum / wet : 0;
}

std::uint64_t Water::hash() const {
    std::uint64_t h = phi_.hash() ^ velocity_.hash() ^ pressure_.finest().q.hash();
    if (fine_) h ^= mix64(fine_->phi().hash());
    for (int c = 0; c < static_cast<int>(grid_.columns()); ++c)
        h = mix64(h ^ static_cast<std::uint64_t>(grid_.top(c)));
    return h;
}

}  // namespace slosh::tall
