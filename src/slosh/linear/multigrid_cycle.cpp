#include "slosh/linear/multigrid_kernels.h"

namespace slosh {

namespace {
constexpr int kPasses = 5;  // in one journey: more would not stay in cache
}  // namespace

template <int D>
int Multigrid<D>::sweeps(std::size_t l) const {
    if (l + 1 == levels_.size()) return options_.coarsest_sweeps;
    return l == 0 ? options_.sweeps : options_.coarse_sweeps;
}

template <int D>
double Multigrid<D>::cycle(const SplitField<D>& rhs, SplitField<D>& x) {
    cycle(0, rhs, x, true);
    double sum = 0;
    for (double v : partial_) sum += v;
    return sum;
}

template <int D>
void Multigrid<D>::cycle(std::size_t l, const SplitField<D>& b, SplitField<D>& x, bool from_zero) {
    descend(l, b, x, from_zero);
    if (l + 1 < levels_.size()) {
        MultigridLevel<D>& coarse = levels_[l + 1];
        for (int visit = 0; visit < options_.visits; ++visit)
            cycle(l + 1, coarse.b, coarse.x, visit == 0);
    }
    ascend(l, b, x);
}

/// Smooths (red, black, red, black ...) and restricts the residual.
template <int D>
void Multigrid<D>::descend(std::size_t l, const SplitField<D>& b, SplitField<D>& x,
                           bool from_zero) {
    const MultigridLevel<D>& level = levels_[l];
    const Coarsening<D>& up = level.coarsening;
    const bool coarsest = l + 1 == levels_.size();
    SplitField<D>* coarse = coarsest ? nullptr : &levels_[l + 1].b;
    const int n = 2 * sweeps(l), passes = n + !coarsest;
    for (int done = 0; done < passes; done += kPasses) {
        level.slabs.run(std::min(kPasses, passes - done), [&](int k, int i) {
            const int pass = done + k;
            if (pass == n)
                restrict_red(level, i, b, x, up.octant[i], *coarse, up.parent[i]);
            else if (pass & 1)
                relax_block<D, 1>(level, i, b, x);
            else if (pass == 0 && from_zero)
                relax_red_from_zero(level, i, b, x);
            else
                relax_block<D, 0>(level, i, b, x);
        });
    }
}

/// Adds the coarse correction and smooths in the reverse order (black, red, black, red ...).
template <int D>
void Multigrid<D>::ascend(std::size_t l, const SplitField<D>& b, SplitField<D>& x) {
    const MultigridLevel<D>& level = levels_[l];
    const Coarsening<D>& up = level.coarsening;
    const bool coarsest = l + 1 == levels_.size();
    const SplitField<D>* coarse = coarsest ? nullptr : &levels_[l + 1].x;
    const int first = coarsest ? 1 : 0, last = 2 * sweeps(l);
    for (int done = first; done <= last; done += kPasses) {
        level.slabs.run(std::min(kPasses, last + 1 - done), [&](int k, int i) {
            const int pass = done + k;
            if (pass == 0)
                prolong_red(level, i, up.octant[i], *coarse, up.parent[i], x);
            else if (pass & 1)
                relax_block<D, 1>(level, i, b, x);
            else
                relax_block<D, 0>(level, i, b, x);
            // After the last half-sweep the block is in cache: take its share of b.x along.
            if (l == 0 && pass == last) partial_[i] = dot_block(level, b, x, i);
        });
    }
}

#define SLOSH_INSTANTIATE(D)                                                                \
    template int Multigrid<D>::sweeps(std::size_t) const;                                   \
    template double Multigrid<D>::cycle(const SplitField<D>&, SplitField<D>&);            \
    template void Multigrid<D>::descend(std::size_t, const SplitField<D>&, SplitField<D>&, bool); \
    template void Multigrid<D>::cycle(std::size_t, const SplitField<D>&, SplitField<D>&, bool); \
    template void Multigrid<D>::ascend(std::size_t, const SplitField<D>&, SplitField<D>&);
SLOSH_INSTANTIATE(2)
SLOSH_INSTANTIATE(3)

}  // namespace slosh
