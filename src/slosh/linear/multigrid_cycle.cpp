#include "slosh/linear/multigrid_kernels.h"

namespace slosh {

namespace {
constexpr std::size_t kGrain = 16;

template <class Body>
void each_block(int n, const Body& body) {
    parallel_for(static_cast<std::size_t>(n), kGrain,
                 [&](std::size_t b) { body(static_cast<int>(b)); });
}
template <int D, int T>
void relax(const MultigridLevel<D>& level, const SplitField<D>& b, SplitField<D>& x) {
    each_block(level.size(), [&](int i) { relax_block<D, T>(level, i, b, x); });
}
}  // namespace

template <int D>
int Multigrid<D>::sweeps(std::size_t l) const {
    if (l + 1 == levels_.size()) return options_.coarsest_sweeps;
    return l == 0 ? options_.sweeps : options_.coarse_sweeps;
}

template <int D>
double Multigrid<D>::v_cycle(const SplitField<D>& rhs, SplitField<D>& x) {
    const std::size_t last = levels_.size() - 1;
    const auto b_of = [&](std::size_t l) -> const SplitField<D>& { return l ? levels_[l].b : rhs; };
    const auto x_of = [&](std::size_t l) -> SplitField<D>& { return l ? levels_[l].x : x; };
    for (std::size_t l = 0; l <= last; ++l) descend(l, b_of(l), x_of(l));
    for (std::size_t l = last + 1; l-- > 0;) ascend(l, b_of(l), x_of(l));
    double sum = 0;
    for (double v : partial_) sum += v;
    return sum;
}

/// Smooths from zero (red, black, red, black ...) and restricts the residual.
template <int D>
void Multigrid<D>::descend(std::size_t l, const SplitField<D>& b, SplitField<D>& x) {
    const MultigridLevel<D>& level = levels_[l];
    each_block(level.size(), [&](int i) { relax_red_from_zero(level, i, b, x); });
    relax<D, 1>(level, b, x);
    for (int s = 1; s < sweeps(l); ++s) {
        relax<D, 0>(level, b, x);
        relax<D, 1>(level, b, x);
    }
    if (l + 1 == levels_.size()) return;
    MultigridLevel<D>& coarse = levels_[l + 1];
    parallel_for(coarse.size(), 2, [&](std::size_t B) {
        for (int octant = 0; octant < kChildren<D>; ++octant) {
            const int child = level.coarsening.children[B][octant];
            if (child < level.size())
                restrict_red(level, child, b, x, octant, coarse.b, static_cast<int>(B));
        }
    });
}

/// Adds the coarse correction and smooths in the reverse order (black, red, black, red ...).
template <int D>
void Multigrid<D>::ascend(std::size_t l, const SplitField<D>& b, SplitField<D>& x) {
    const MultigridLevel<D>& level = levels_[l];
    if (l + 1 < levels_.size()) {
        const Coarsening<D>& up = level.coarsening;
        const SplitField<D>& coarse = levels_[l + 1].x;
        each_block(level.size(),
                   [&](int i) { prolong_red(level, i, up.octant[i], coarse, up.parent[i], x); });
    }
    const int n = sweeps(l);
    for (int s = 0; s < n; ++s) {
        relax<D, 1>(level, b, x);
        if (s + 1 < n || l > 0)
            relax<D, 0>(level, b, x);
        else  // the very last half-sweep: the block is in cache, take its share of b.x along
            each_block(level.size(), [&](int i) {
                relax_block<D, 0>(level, i, b, x);
                partial_[i] = dot_block(level, b, x, i);
            });
    }
}

#define SLOSH_INSTANTIATE(D)                                                                \
    template int Multigrid<D>::sweeps(std::size_t) const;                                   \
    template double Multigrid<D>::v_cycle(const SplitField<D>&, SplitField<D>&);            \
    template void Multigrid<D>::descend(std::size_t, const SplitField<D>&, SplitField<D>&); \
    template void Multigrid<D>::ascend(std::size_t, const SplitField<D>&, SplitField<D>&);
SLOSH_INSTANTIATE(2)
SLOSH_INSTANTIATE(3)

}  // namespace slosh
