#include "slosh/tall/multigrid.h"

#include "slosh/tall/column_kernels.h"
#include "slosh/tall/separation.h"

namespace slosh::tall {

namespace {

/// A grid can be halved once more: no side becomes shorter than 4.
bool can_halve(const Grid& g) {
    for (int n : {g.nx(), g.ny(), g.nz()})
        if (n % 2 || n < 8) return false;
    return true;
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
        levels_[l].as_printed = options_.as_printed;
        levels_[l].beside_bottom = options_.as_printed ? 1.0f : 1.0f / static_cast<float>(1 << l);
    }
    set_separation_levels(options_.separation_levels);
}

void Hierarchy::set_separation_levels(int count) {
    options_.separation_levels = count;
    for (std::size_t l = 0; l < levels_.size(); ++l) {
        levels_[l].separates = static_cast<int>(l) < count;
        if (levels_[l].separates) make_room_for_bounds(levels_[l]);
    }
}

void Hierarchy::build() {
    build_rows(levels_[0]);
    for (std::size_t l = 1; l < levels_.size(); ++l)
        coarsen(levels_[l - 1], levels_[l], static_cast<int>(l) <= options_.keep_air_levels);
}

namespace {

/// Points of one colour see some of the same colour across tall cells: in one order, then.
Wavefront sweeps_over(const Level& level, int stages) {
    Wavefront w = stages_over(level.grid, stages);
    w.few = w.few || level.as_printed;
    return w;
}

/// Sweeps, then what they leave becomes the right side of the coarser level. With `correct`, what
/// the coarser level has found is added first.
void sweep_down(Level& fine, int sweeps, Level& coarse, bool correct) {
    // Restriction reads two rows to either side of its second one: a stage in between is idle. It
    // clears the coarse q of rows that lie behind all rows still to be corrected.
    const int begin = correct ? 1 : 0, last = begin + 2 * sweeps + 1;
    run_wavefront(sweeps_over(fine, last + 1), [&](int stage, int z) {
        if (stage < begin)
            prolong_row(coarse, fine, z);
        else if (stage < begin + 2 * sweeps)
            smooth_row(fine, z, (stage - begin) % 2);
        else if (stage == last && z % 2)
            restrict_row(fine, coarse, z / 2);
    });
}

/// The correction of the coarser level, then sweeps.
void sweep_up(const Level& coarse, Level& fine, int sweeps) {
    run_wavefront(sweeps_over(fine, 2 * sweeps + 1), [&](int stage, int z) {
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

void Hierarchy::v_cycles(std::size_t from, int count, bool correct) {
    const std::size_t last = levels_.size() - 1;
    if (from == last) {
        for (int k = 0; k < count; ++k) solve_coarsest();
        return;
    }
    for (int k = 0; k < count; ++k) {
        // Sweeps after one cycle and before the next go through memory once.
        const int sweeps = options_.pre_sweeps + (k > 0 ? options_.post_sweeps : 0);
        sweep_down(levels_[from], sweeps, levels_[from + 1], correct || k > 0);
        v_cycles(from + 1, 1, false);
    }
    const int sweeps = from == 0 ? options_.last_sweeps : options_.post_sweeps;
    if (count > 0) sweep_up(levels_[from + 1], levels_[from], sweeps);
}

void Hierarchy::full_cycle(int v_cycles_after) {
    // The residual becomes the right side of a correction that starts at zero. [Algorithm 4] On the
    // finest level that is the same as to go on from q.
    for (std::size_t l = 1; l < levels_.size(); ++l)
        if (l == 1)
            restrict_residual(levels_[0], levels_[1]);
        else
            restrict_right_side(levels_[l - 1], levels_[l]);
    v_cycles(levels_.size() - 1, levels_.size() == 1 ? 1 + v_cycles_after : 1, false);
    for (std::size_t l = levels_.size() - 1; l-- > 0;)  // overwrites only coarser right sides
        v_cycles(l, l == 0 ? 1 + v_cycles_after : 1, true);
}

void Hierarchy::solve() {
    const int v = options_.v_cycles;
    if (options_.full_cycles == 0) return v_cycles(0, v, false);
    for (int i = 0; i < options_.full_cycles; ++i) full_cycle(i + 1 < options_.full_cycles ? 0 : v);
}

}  // namespace slosh::tall
