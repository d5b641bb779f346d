// Rigid bodies in the multigrid cycle (internal to it).
//
// The matrix is A + F F^T, with one column of F for each degree of freedom of a body (low_rank.h).
// A cycle of A alone leaves conjugate gradients to find out what each body does; so every level
// gets its own F, summed over the cells that become one cell, and its residual counts F F^T x. Only
// sweeps do not know it: what bodies answer, t = F^T x, is held while they last,
//
//     A x = b - F t                                                                            (B1)
//
// which changes b in the few cells that touch a body. Before and after the coarse correction alike
// t is that of the x at hand, so that the cycle stays symmetric. The coarsest level is solved with
// its bodies exactly.
//
// A body's answer to a sweep grows as its own cells are fewer and it is lighter; where it would be
// more than a sweep can bear, the level gets a smaller F.
#pragma once

#include <deque>
#include <functional>
#include <vector>

#include "slosh/linear/body_rows.h"
#include "slosh/linear/multigrid.h"

namespace slosh {

template <int D>
class CycleBodies {
public:
    /// The finest level; the coarser ones follow with coarsen().
    CycleBodies(const LowRank<D>& F, const MultigridLevel<D>& finest);

    /// F of the coarser levels. Cells marked in `active`, if given, take no part in corrections.
    void coarsen(const std::vector<MultigridLevel<D>>& levels,
                 const Field<std::uint8_t, D>* active);
    /// Adds the bodies to the coarsest level's `solve`, which turns its b into its x.
    void set_coarsest(MultigridLevel<D>& level, const std::function<void()>& solve);
    bool knows_coarsest() const { return !inverse_.empty(); }
    /// x from b on the coarsest level.
    void solve_coarsest(MultigridLevel<D>& level) const;

    /// Sweeps on level l start from x, or from zero: (B1).
    void begin(std::size_t l, SplitField<D>& b, const SplitField<D>* x);
    /// They are done and the residual with the t held has been restricted: adds the rest of it.
    void restrict_rest(std::size_t l, const SplitField<D>& x, SplitField<D>& coarse_b);
    /// (B1) for the sweeps after the coarse correction, which is yet to be added to that x.
    void correct(std::size_t l, SplitField<D>& b, const SplitField<D>& coarse_x);
    /// b as it was before begin(). Returns how much more b.x is with it.
    double end(std::size_t l, SplitField<D>& b, const SplitField<D>& x);

    /// F of the finest level.
    const BodyRows<D>& finest() const { return levels_.front().F; }

private:
    using Place = SplitPlace<D>;
    using Columns = typename BodyRows<D>::Columns;
    struct Level {
        BodyRows<D> F;                     // divided by the root of the level's weight
        std::vector<Index<D>> cells;       // of the rows
        std::vector<std::uint32_t> above;  // of each row: that of the coarser level
        std::vector<double> share;         // of each group: what the sweeps can bear, squared
        Columns t;                         // held ...
        bool holds = false;                // ... in b, once it is not zero
        Columns swept;                     // F^T x after the sweeps
    };
    static void hold(Level& level, SplitField<D>& b);
    void add_level(const MultigridLevel<D>& grid, int coarse_blocks);
    void find_share(const MultigridLevel<D>& grid, Level& level);

    std::deque<Level> levels_;    // finest() stays where it is
    std::vector<Place> cells_;    // the unknowns of the coarsest level
    std::vector<float> inverse_;  // of the coarsest level's operator, bodies and all
};

}  // namespace slosh
