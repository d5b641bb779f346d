#include "slosh/linear/multigrid_kernels.h"

namespace slosh {

namespace {
constexpr std::size_t kGrain = 16;

template <int D, int T>
void relax(const MultigridLevel<D>& level, const SplitField<D>& b, SplitField<D>& x) {
    parallel_for(level.size(), kGrain,
                 [&](std::size_t i) { relax_block<D, T>(level, static_cast<int>(i), b, x); });
}
}  // namespace

template <int D>
double Multigrid<D>::v_cycle(const SplitField<D>& rhs, SplitField<D>& x) {
    cycle(0, rhs, x);
    return parallel_sum(finest().size(),
                        [&](std::size_t b) { return dot_block<D>(rhs, x, static_cast<int>(b)); });
}

template <int D>
void Multigrid<D>::cycle(std::size_t l, const SplitField<D>& b, SplitField<D>& x) {
    const MultigridLevel<D>& level = levels_[l];
    const bool coarsest = l + 1 == levels_.size();
    const int sweeps = coarsest ? options_.coarsest_sweeps
                       : l == 0 ? options_.sweeps
                                : options_.coarse_sweeps;

    // Down: red, black, red, black ...
    parallel_for(level.size(), kGrain,
                 [&](std::size_t i) { relax_red_from_zero(level, static_cast<int>(i), b, x); });
    relax<D, 1>(level, b, x);
    for (int s = 1; s < sweeps; ++s) {
        relax<D, 0>(level, b, x);
        relax<D, 1>(level, b, x);
    }

    if (!coarsest) {
        MultigridLevel<D>& coarse = levels_[l + 1];
        const Coarsening<D>& up = level.coarsening;
        parallel_for(coarse.size(), 4, [&](std::size_t i) {
            const int B = static_cast<int>(i);
            for (int octant = 0; octant < kChildren<D>; ++octant) {
                const int child = up.children[B][octant];
                if (child < level.size())
                    restrict_red(level, child, b, x, octant, coarse.b.block(B));
            }
        });
        cycle(l + 1, coarse.b, coarse.x);
        parallel_for(level.size(), kGrain, [&](std::size_t i) {
            const int child = static_cast<int>(i);
            prolong_red(level, child, up.octant[i], coarse.x.block(up.parent[i]), x);
        });
    }

    // Up: black, red, black, red ..., the reverse of the way down.
    for (int s = 0; s < sweeps; ++s) {
        relax<D, 1>(level, b, x);
        relax<D, 0>(level, b, x);
    }
}

template double Multigrid<2>::v_cycle(const SplitField<2>&, SplitField<2>&);
template double Multigrid<3>::v_cycle(const SplitField<3>&, SplitField<3>&);
template void Multigrid<2>::cycle(std::size_t, const SplitField<2>&, SplitField<2>&);
template void Multigrid<3>::cycle(std::size_t, const SplitField<3>&, SplitField<3>&);

}  // namespace slosh
