// Builds the hierarchy of multigrid.h, level by level, each from the plain arrays of the last.
#include "slosh/linear/multigrid_build.h"

#include <algorithm>
#include <numeric>

namespace slosh {

template <int D>
std::size_t MultigridLevel<D>::bytes() const {
    return faces.size() * sizeof(faces[0]) + kinds.size() * sizeof(BlockKinds) + mixed.bytes() +
           exact.bytes() + x.bytes() + b.bytes() + coarsening.parent.size() * (sizeof(int) + 1) +
           coarsening.children.size() * sizeof(int) * kChildren<D> +
           (coarsening.coarse ? coarsening.coarse->bytes() : 0);
}

template <int D>
std::size_t Multigrid<D>::bytes() const {
    std::size_t n = 0;
    for (const auto& level : levels_) n += level.bytes();
    for (const auto& a : arrays_) n += a.coefficient.bytes() + a.excess.bytes();
    return n;
}

template <int D>
Multigrid<D>::Multigrid(const BlockSystem<D>& system, const MultigridOptions& options,
                        const Field<std::uint8_t, D>* constrained,
                        const Field<std::uint8_t, D>* active)
    : options_(options) {
    // Inside the liquid all faces are fully open: the largest coefficient is the common one. One
    // row in the middle of each block is enough to meet it, unless there are few blocks. (Missing
    // it would cost time, not correctness: all vectors would be mixed.)
    const int n = system.blocks->size();
    const int middle = kBlockCells<D> / 2 / 64 * 64 + kSide * kSide / 2;
    const int first = n > 512 ? middle : 0, last = n > 512 ? middle + kSide : kBlockCells<D>;
    float weight = static_cast<float>(parallel_max(n, [&](std::size_t b) {
        const float* c = system.coefficient.axis(0).block(static_cast<int>(b));
        return *std::max_element(c + first, c + last);
    }));
    if (weight == 0) weight = 1;  // no faces at all: nothing is plain
    PlainArrays<D> arrays{&system.coefficient, &system.excess, &system.unknown, constrained, active};
    levels_.emplace_back();
    levels_[0].blocks = system.blocks;
    build_level(arrays, weight, true, levels_[0]);
    partial_.resize(levels_[0].size());

    // Coordinates have 20 bits, so 20 levels bring everything together.
    while (levels_.back().unknowns > static_cast<std::size_t>(options_.coarsest_cells) &&
           levels_.size() < 20) {
        MultigridLevel<D>& fine = levels_.back();
        fine.coarsening = coarsen(*fine.blocks);
        MultigridLevel<D> coarse;
        coarse.blocks = fine.coarsening.coarse;
        CoarseArrays<D> next{FaceField<float, D>(coarse.blocks), Field<float, D>(coarse.blocks)};
        std::vector<int> all(coarse.blocks->size());
        std::iota(all.begin(), all.end(), 0);
        coarsen_arrays(arrays, fine, all, next);
        // Only a set that changes needs the arrays of more than one level again.
        if (!constrained) arrays_.clear();
        arrays_.push_back(std::move(next));
        arrays = {&arrays_.back().coefficient, &arrays_.back().excess};
        build_level(arrays, fine.weight * (D == 3 ? 2 : 1), false, coarse);
        if (coarse.unknowns == 0) {  // only clusters of a few cells left, which sweeps solve
            fine.coarsening = {};
            if (!arrays_.empty()) arrays_.pop_back();
            break;
        }
        coarse.x = SplitField<D>(coarse.size());
        coarse.b = SplitField<D>(coarse.size());
        levels_.push_back(std::move(coarse));
    }
    if (!constrained) arrays_.clear();
}

template <int D>
void Multigrid<D>::update_active(const BlockSystem<D>& system, const Field<std::uint8_t, D>& active,
                                 const std::vector<int>& blocks) {
    PlainArrays<D> arrays{&system.coefficient, &system.excess, &system.unknown, nullptr, &active};
    // A cell that changes sides also changes the rows of its neighbours.
    std::vector<int> changed = blocks;
    for (int b : blocks)
        for (int n : levels_[0].faces[b])
            if (n < levels_[0].size()) changed.push_back(n);
    for (std::size_t l = 0; l + 1 < levels_.size(); ++l) {
        for (int& b : changed) b = levels_[l].coarsening.parent[b];
        std::sort(changed.begin(), changed.end());
        changed.erase(std::unique(changed.begin(), changed.end()), changed.end());
        coarsen_arrays(arrays, levels_[l], changed, arrays_[l]);
        arrays = {&arrays_[l].coefficient, &arrays_[l].excess};
        build_level(arrays, levels_[l + 1].weight, false, levels_[l + 1]);
    }
}

template struct MultigridLevel<2>;
template struct MultigridLevel<3>;
#define SLOSH_INSTANTIATE(D)                                                       \
    template Multigrid<D>::Multigrid(const BlockSystem<D>&, const MultigridOptions&, \
                                     const Field<std::uint8_t, D>*,                  \
                                     const Field<std::uint8_t, D>*);                 \
    template void Multigrid<D>::update_active(const BlockSystem<D>&,                 \
                                              const Field<std::uint8_t, D>&,         \
                                              const std::vector<int>&);
SLOSH_INSTANTIATE(2)
SLOSH_INSTANTIATE(3)
#undef SLOSH_INSTANTIATE
template std::size_t Multigrid<2>::bytes() const;
template std::size_t Multigrid<3>::bytes() const;

}  // namespace slosh
