// Multigrid for the pressure of tall-cell water [CM11, sec. 3.7.1, algorithms 2 to 4].
//
// Where it leaves the paper: columns are solved whole, not point by point; the residuals of all
// fine bottoms reach the coarse bottom, weighted by what they are worth (level_merit.cpp); and the
// row of a coarse bottom has the weights that a sum of fine ones has (TallPair,
// Level::beside_bottom). Full cycles alone are not safe: V-cycles follow (level_transfer.cpp).
#pragma once

#include <vector>

#include "slosh/tall/level.h"

namespace slosh::tall {

/// Levels that separation takes part in: the S of [CM11b].
inline constexpr int kSeparationLevels = 3;

struct CycleOptions {
    int full_cycles = 1;  ///< First of all. 0 or 1.
    int v_cycles = 2;     ///< After it. >= 0.
    int pre_sweeps = 1;   ///< Of both colours, before the coarse correction. >= 1.
    int post_sweeps = 2;  ///< After it. >= 1.
    int last_sweeps =
        3;  ///< After the last one on the finest level: what is left then stays. >= 1.
    int keep_air_levels =
        2;  ///< Coarse levels on which a mixed cell counts as air (the paper's C).
    /// Sweeps and bottoms as the paper prints them (Level::as_printed): slower to converge, and
    /// over deep rough ground it fails.
    bool as_printed = false;
    /// Finest levels on which water may let go of solids (kSeparationLevels); 0: solids are sticky.
    int separation_levels = 0;
};

/// Levels, finest first. Sizes are halved while even, to a smallest side of 4 or more.
class Hierarchy {
public:
    explicit Hierarchy(const CycleOptions& options = {}) : options_(options) {}

    const CycleOptions& options() const { return options_; }
    void set_separation_levels(int count);
    Level& finest() { return levels_.front(); }
    const Level& finest() const { return levels_.front(); }
    const std::vector<Level>& levels() const { return levels_; }

    /// Takes the heights of `grid`; q is zero after it, and phi and open want to be set.
    void reset(const Grid& grid);
    /// After phi and open of the finest level were set (cells below included): all coarse levels.
    void build();
    /// Improves q of the finest level for its b.
    void solve();

    /// One full cycle, and V-cycles after it.
    void full_cycle(int v_cycles_after = 0);
    void v_cycle() { v_cycles(0, 1, false); }

private:
    /// From a level down and back, `count` times; with `correct`, that level first takes what the
    /// coarser one has.
    void v_cycles(std::size_t from, int count, bool correct);
    void solve_coarsest();

    CycleOptions options_;
    std::vector<Level> levels_;
};

}  // namespace slosh::tall
