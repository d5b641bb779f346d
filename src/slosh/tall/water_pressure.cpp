// The pressure of a step: its system, where it starts from, and what it does to the velocity.
#include <algorithm>
#include <cmath>

#include "slosh/tall/column_kernels.h"
#include "slosh/tall/water.h"

namespace slosh::tall {

namespace {

/// How fast volume that is missing comes back, and what is too much goes, over all water: a film on
/// dry land shall not be blown up to a lake, but steep waves over tall cells gain volume, and the
/// more there is the higher they are. 1/s
constexpr double kMostGrowth = 0.5, kMostShrinking = 5;

/// Eight values from offset i of column c, zero where no unknown is.
__m256 in_unknowns(const Level& level, int c, int i, __m256 values) {
    const __m256 d = _mm256_load_ps(level.diagonal.at(c) + i);
    return _mm256_and_ps(values, _mm256_cmp_ps(d, _mm256_setzero_ps(), _CMP_GT_OQ));
}

}  // namespace

/// The pressure that holds the water against gravity at the start, so that a lake begins at rest:
/// later steps start from the last pressure, the first one would start from none.
void Water::find_first_pressure() {
    kept_dt_ = 1.0 / 30;  // any: projections scale it
    const Float4 down = fall(kept_dt_);
    spare_.resize(grid_, down);
    for_each_column(grid_, [&](int c) {
        std::fill(spare_.at(c), spare_.at(c) + grid_.ny() + 1, down);
        spare_.bottom(c) = down;
        spare_.refresh(grid_, c, Under::Bottom);
    });
    rest_.drop = -down[1];
    divergence(spare_, {}, rest_, {}, pressure_.finest());
    if (pressure_.finest().separates) set_bounds(rest_, pressure_.finest());
    pressure_.solve();
    for (int cycle = 0; cycle < 20; ++cycle) pressure_.v_cycle();
}

void Water::load_pressure_level() {
    Level& level = pressure_.finest();
    for_each_row(grid_, [&](int z) {
        for (int x = 0; x < grid_.nx(); ++x) {
            const int c = grid_.column(x, z);
            level.phi.set_end(c, phi_.end(c));
            std::copy(phi_.at(c) - Grid::kBelow, phi_.at(c) + phi_.end(c),
                      level.phi.at(c) - Grid::kBelow);
            level.phi.bottom(c) = phi_.bottom(c);

            const int ground = terrain_[static_cast<std::size_t>(z) * grid_.nx() + x];
            float* w = level.open.at(c);
            for (int i = 0; i <= grid_.ny(); ++i) w[i] = grid_.top(c) + i >= ground ? 1.0f : 0.0f;
            level.open.bottom(c) = grid_.closed(c) ? 0.0f : 1.0f;
            level.open.refresh(grid_, c, Under::Nothing);
        }
    });
}

void Water::keep_pressure() {
    const Level& level = pressure_.finest();
    for_each_column(grid_, [&](int c) {
        float* to = kept_pressure_.at(c);
        const int first = level.first[c], last = level.last[c], top = grid_.top(c);
        std::fill(to, to + first, 0.0f);
        for (int i = first; i < last; i += 8)
            _mm256_store_ps(to + i,
                            in_unknowns(level, c, i,
                                        _mm256_fmadd_ps(_mm256_load_ps(level.open.at(c) + i),
                                                        rest_of_eight(rest_, top + i),
                                                        _mm256_load_ps(level.q.at(c) + i))));
        std::fill(to + last, to + grid_.length(), 0.0f);
        kept_pressure_.bottom(c) =
            level.diagonal.bottom(c) > 0
                ? level.q.bottom(c) + level.open.bottom(c) * rest_(grid_.bottom(c))
                : 0.0f;
    });
}

void Water::start_from_kept_pressure(float scale) {
    Level& level = pressure_.finest();
    for_each_column(grid_, [&](int c) {
        const int top = grid_.top(c);
        const float* kept = kept_pressure_.at(c);
        for (int i = level.first[c]; i < level.last[c]; i += 8) {
            const __m256 still =
                _mm256_mul_ps(_mm256_load_ps(level.open.at(c) + i), rest_of_eight(rest_, top + i));
            _mm256_store_ps(level.q.at(c) + i,
                            in_unknowns(level, c, i,
                                        _mm256_fmsub_ps(_mm256_set1_ps(scale),
                                                        _mm256_load_ps(kept + i), still)));
        }
        level.q.bottom(c) =
            level.diagonal.bottom(c) > 0
                ? scale * kept_pressure_.bottom(c) - level.open.bottom(c) * rest_(grid_.bottom(c))
                : 0.0f;
        level.q.refresh(grid_, c, Under::Nothing);
    });
}

/// What the level set has lost comes back: in shallow water where it was lost, else everywhere.
Growth Water::missing_growth(double dt) {
    if (options_.volume_time <= 0) return {};
    due_volume_ += dt * wall_inflow();
    column_room_.resize(terrain_.size());
    const double cell = std::pow(grid_.dx(), 3), now = volume(&column_room_);
    std::vector<char> apart(terrain_.size(), 0);
    for (const SolidCells::Cell& k : bodies_.cells()) {
        const int x = k.column % grid_.step_z() - 1, z = k.column / grid_.step_z() - 1;
        apart[static_cast<std::size_t>(z) * grid_.nx() + x] = 1;
    }
    const double missing = due_volume_ - now;
    const double films = cell * films_.settle(grid_, column_room_, apart);
    const double share = films != 0 ? std::clamp(missing / films, 0.0, 1.0) : 0;
    films_.write_off(share);
    const double rest = (missing - share * films) / options_.volume_time;
    const double everywhere = now > 0 ? std::clamp(rest / now, -kMostShrinking, kMostGrowth) : 0;
    return {everywhere, &films_.growth(grid_, options_.volume_time)};
}

double Water::project(double dt) {
    pressure_.reset(grid_);
    load_pressure_level();
    put_bodies(dt);
    for (const SolidCells::Cell& k : bodies_.cells()) {  // phi inside them is new
        pressure_.finest().phi.at(k.column)[k.offset] = phi_.at(k.column)[k.offset];
        if (k.offset == 0) pressure_.finest().phi.refresh(grid_, k.column, Under::Bottom);
    }
    pressure_.build();
    Level& level = pressure_.finest();
    // Start from the last pressure: water at rest has it already.
    const float scale = kept_dt_ > 0 ? static_cast<float>(dt / kept_dt_) : 0.0f;
    rest_.drop = -fall(dt)[1];
    start_from_kept_pressure(scale);
    kept_dt_ = dt;
    divergence(velocity_, solids, rest_, missing_growth(dt), level);
    if (level.separates) set_bounds(rest_, level);
    pressure_.solve();
    fastest_ = subtract_gradient(level, rest_, velocity_);
    for (const SolidCells::Cell& k : bodies_.cells())  // they push what is left of a cell
        fastest_[k.column] = faster(fastest_[k.column], velocity_.at(k.column)[k.offset]);
    if (level.separates) released_ = released_cells(level, solids, phi_, velocity_);
    return std::sqrt(*std::max_element(fastest_.begin(), fastest_.end()));
}

}  // namespace slosh::tall
