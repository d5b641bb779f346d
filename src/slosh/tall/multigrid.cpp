#include "slosh/tall/multigrid.h"

#include <utility>

#include "slosh/tall/column_kernels.h"

namespace slosh::tall {

namespace {

/// A grid can be halved once more: no side becomes shorter than 4.
bool can_halve(const Grid& g) {
    for (int n : {g.nx(), g.ny(), g.nz()})
        if (n % 2 || n < 8) return false;
    return true;
}

/// b -= A q: what is left for a correction.
void leave_residual(Level& level, Columns<float>& residual) {
    for_each_column(level.grid, [&](int c) {
        float* r = residual.at(c);
        residual.bottom(c) = column_residual(level, c, r);
    });
}

void add(const Columns<float>& more, Level& level) {
    const Grid& g = level.grid;
    for_each_column(g, [&](int c) {
        float* q = level.q.at(c);
        const float* a = more.at(c);
        for (int i = level.first[c]; i < level.last[c]; ++i) q[i] += a[i];
        level.q.bottom(c) += more.bottom(c);
        level.q.refresh(g, c, Under::Nothing);
    });
}

}  // namespace

void Hierarchy::reset(const Grid& grid) {
    // The same size again, as in every step: rows are written anew by build(), q starts at zero.
    if (!levels_.empty() && levels_[0].grid.columns() == grid.columns() &&
        levels_[0].grid.nx() == grid.nx() && levels_[0].grid.ny() == grid.ny()) {
        for (std::size_t l = 0; l < levels_.size(); ++l)
            levels_[l].grid = l == 0 ? grid : levels_[l - 1].grid.coarser();
        return;
    }
    std::vector<Grid> grids{grid};
    while (can_halve(grids.back())) grids.push_back(grids.back().coarser());
    levels_.resize(grids.size());
    for (std::size_t l = 0; l < grids.size(); ++l) {
        levels_[l].resize(grids[l], static_cast<float>(grids[l].dx()));
        levels_[l].beside_bottom = 1.0f / static_cast<float>(1 << l);
    }
    kept_q_.resize(grid);
    kept_b_.resize(grid);
}

void Hierarchy::build() {
    build_rows(levels_[0]);
    for (std::size_t l = 1; l < levels_.size(); ++l)
        coarsen(levels_[l - 1], levels_[l], static_cast<int>(l) <= options_.keep_air_levels);
}

namespace {

/// Sweeps, then what they leave becomes the right side of the coarser level.
void sweep_down(Level& fine, int sweeps, Level& coarse) {
    // Restriction reads two rows to either side of its second one: a stage in between is idle.
    const int last = 2 * sweeps + 1;
    run_wavefront(stages_over(fine.grid, last + 1), [&](int stage, int z) {
        if (stage < 2 * sweeps) smooth_row(fine, z, stage % 2);
        if (stage == last && z % 2) restrict_row(fine, coarse, z / 2);
    });
}

/// The correction of the coarser level, then sweeps.
void sweep_up(const Level& coarse, Level& fine, int sweeps) {
    run_wavefront(stages_over(fine.grid, 2 * sweeps + 1), [&](int stage, int z) {
        if (stage == 0)
            prolong_row(coarse, fine, z);
        else
            smooth_row(fine, z, (stage - 1) % 2);
    });
}

}  // namespace

void Hierarchy::solve_coarsest() {
    Level& level = levels_.back();
    const int sweeps = 8 + std::max(level.grid.nx(), level.grid.nz()) / 4;
    for (int half = 0; half < 2 * sweeps; ++half)
        for (int z = 0; z < level.grid.nz(); ++z) smooth_row(level, z, half % 2);
}

void Hierarchy::v_cycle(std::size_t from) {
    const std::size_t last = levels_.size() - 1;
    for (std::size_t l = from; l < last; ++l)
        sweep_down(levels_[l], options_.pre_sweeps, levels_[l + 1]);
    solve_coarsest();
    for (std::size_t l = last; l > from; --l)
        sweep_up(levels_[l], levels_[l - 1], options_.post_sweeps);
}

void Hierarchy::full_cycle() {
    // The residual becomes the right side of a correction that starts at zero. [Algorithm 4]
    Level& finest = levels_.front();
    leave_residual(finest, kept_b_);
    std::swap(finest.b, kept_b_);
    std::swap(finest.q, kept_q_);
    for_each_column(finest.grid, [&](int c) { zero_pressure(finest, c); });
    for (std::size_t l = 1; l < levels_.size(); ++l)
        restrict_right_side(levels_[l - 1], levels_[l]);
    solve_coarsest();
    for (std::size_t l = levels_.size() - 1; l-- > 0;) {
        for_each_row(levels_[l].grid, [&](int z) { prolong_row(levels_[l + 1], levels_[l], z); });
        v_cycle(l);  // overwrites only right sides of coarser levels
    }
    add(kept_q_, finest);
    std::swap(finest.b, kept_b_);
}

void Hierarchy::solve() {
    for (int i = 0; i < options_.full_cycles; ++i) full_cycle();
    for (int i = 0; i < options_.v_cycles; ++i) v_cycle();
}

}  // namespace slosh::tall
