// Builds the hierarchy of multigrid.h, level by level, each from the plain arrays of the last.
#include "slosh/linear/multigrid_build.h"

#include <algorithm>

#include "slosh/linear/cell_mask.h"
#include "slosh/linear/coarse_system.h"
#include "slosh/linear/coarsest.h"
#include "slosh/linear/cycle_bodies.h"
#include "slosh/linear/held_rows.h"

namespace slosh {

namespace {
constexpr std::size_t kMostLevels = 20;  // coordinates have 20 bits: these bring all together

template <int D>
void make_slabs(MultigridLevel<D>& level) {
    const std::size_t bytes = level.unknowns * 2 * sizeof(float) + level.mixed.bytes();
    level.slabs = Slabs::make(*level.blocks, bytes, level.live);
}

/// The numbers of the marked blocks.
std::vector<int> list_marked(const std::vector<std::uint8_t>& marks) {
    std::vector<int> list;
    for (std::size_t b = 0; b < marks.size(); ++b)
        if (marks[b]) list.push_back(static_cast<int>(b));
    return list;
}
}  // namespace

template <int D>
SplitField<D> MultigridLevel<D>::zeros() const {
    SplitField<D> f(size(), Fill::Nothing);
    parallel_for(live.size() + 1, 16, [&](std::size_t i) {
        const int block = i < live.size() ? live[i] : size();
        if (block < size() && is_plain(block)) return;
        for (int t = 0; t < 2; ++t) std::fill_n(f.half(block, t), kHalf<D>, 0.0f);
    });
    return f;
}

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
Multigrid<D>::Multigrid(const BlockSystem<D>& system, const MultigridOptions& options)
    : options_(options) {
    build_finest(system, nullptr);
    build_coarser(system, nullptr);
    arrays_.clear();
}

template <int D>
Multigrid<D>::Multigrid(const BlockSystem<D>& system, const MultigridOptions& options,
                        const Field<std::uint8_t, D>& constrained)
    : options_(options) {
    build_finest(system, &constrained);
}

template <int D>
void Multigrid<D>::build_finest(const BlockSystem<D>& system,
                                const Field<std::uint8_t, D>* constrained) {
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
    if (weight == 0) weight = 1;   // no faces at all: nothing is plain
    levels_.reserve(kMostLevels);  // finest() stays where it is
    levels_.emplace_back();
    levels_[0].blocks = system.blocks;
    std::vector<std::uint8_t> marks(n);
    parallel_for(n, 64, [&](std::size_t b) {
        marks[b] = any_nonzero<D>(system.unknown.block(static_cast<int>(b)));
    });
    levels_[0].live = list_marked(marks);
    build_level<D>({&system.coefficient, &system.excess, &system.unknown, constrained}, weight,
                   true, 0, levels_[0]);
    make_slabs(levels_[0]);
    partial_.resize(levels_[0].size());
}

template <int D>
void Multigrid<D>::build_coarser(const BlockSystem<D>& system,
                                 const Field<std::uint8_t, D>* active) {
    PlainArrays<D> arrays{&system.coefficient, &system.excess, &system.unknown, nullptr, active};
    while (levels_.back().unknowns > static_cast<std::size_t>(options_.coarsest_cells) &&
           levels_.size() < kMostLevels) {
        MultigridLevel<D>& fine = levels_.back();
        if (!fine.coarsening.coarse) fine.coarsening = coarsen(*fine.blocks);
        MultigridLevel<D> coarse;
        coarse.blocks = fine.coarsening.coarse;
        // Whatever set is active: blocks over none that hold unknowns never hold any.
        std::vector<std::uint8_t> over(coarse.blocks->size());
        for (int b : fine.live) over[fine.coarsening.parent[b]] = 1;
        coarse.live = list_marked(over);
        CoarseArrays<D> next = coarsen_arrays(arrays, fine);
        // Only a set that changes needs the arrays of more than one level again.
        if (!active) arrays_.clear();
        arrays_.push_back(std::move(next));
        arrays = {&arrays_.back().coefficient, &arrays_.back().excess};
        build_level(arrays, fine.weight * (D == 3 ? 2 : 1), false, active ? kRoom : 0, coarse);
        if (coarse.unknowns == 0) {  // only clusters of a few cells left, which sweeps solve
            fine.coarsening = {};
            arrays_.pop_back();
            break;
        }
        make_slabs(coarse);
        coarse.x = coarse.zeros();
        coarse.b = coarse.zeros();
        levels_.push_back(std::move(coarse));
    }
    coarsened_ = true;
    // Bodies bring an inverse of their own.
    if (levels_.size() > 1 && !bodies_) {
        coarsest_ = std::make_unique<Coarsest<D>>();
        coarsest_->set(levels_.back());
    }
}

template <int D>
void Multigrid<D>::set_active(const BlockSystem<D>& system, const Field<std::uint8_t, D>& active,
                              const std::vector<int>& blocks) {
    if (!coarsened_) {
        build_coarser(system, &active);
        if (bodies_) coarsen_bodies(&active);
        return;
    }
    PlainArrays<D> arrays{&system.coefficient, &system.excess, &system.unknown, nullptr, &active};
    std::vector<int> changed = blocks;
    for (std::size_t l = 0; l + 1 < levels_.size(); ++l) {
        coarsen_arrays(arrays, levels_[l], changed, arrays_[l]);
        arrays = {&arrays_[l].coefficient, &arrays_[l].excess};
        for (int& b : changed) b = levels_[l].coarsening.parent[b];
        std::sort(changed.begin(), changed.end());
        changed.erase(std::unique(changed.begin(), changed.end()), changed.end());
        // Rows also hold the lower faces of the blocks above. Where such a face changes, so does a
        // cell beside it, and the blocks on both sides are among the changed ones.
        rebuild_level(arrays, changed, levels_[l + 1]);
    }
    if (coarsest_ && !bodies_) coarsest_->set(levels_.back());
    if (bodies_) coarsen_bodies(&active);
}

template <int D>
void Multigrid<D>::hold(const std::vector<SplitPlace<D>>& cells) {
    if (!held_) held_ = std::make_unique<HeldRows<D>>();
    held_->hold(levels_[0], cells);
}

template <int D>
void Multigrid<D>::release() {
    if (held_) held_->release(levels_[0]);
}

template <int D>
BlockSystem<D> Multigrid<D>::coarser(const BlockSystem<D>& system) {
    MultigridLevel<D>& fine = levels_[0];
    if (!fine.coarsening.coarse) fine.coarsening = coarsen(*fine.blocks);
    const PlainArrays<D> arrays{&system.coefficient, &system.excess, &system.unknown};
    return coarse_system(system, fine.coarsening, coarsen_arrays(arrays, fine));
}

template <int D>
Multigrid<D>::~Multigrid() = default;

template struct MultigridLevel<2>;
template struct MultigridLevel<3>;
#define SLOSH_INSTANTIATE(D)                                                                     \
    template Multigrid<D>::~Multigrid();                                                         \
    template Multigrid<D>::Multigrid(const BlockSystem<D>&, const MultigridOptions&);            \
    template Multigrid<D>::Multigrid(const BlockSystem<D>&, const MultigridOptions&,             \
                                     const Field<std::uint8_t, D>&);                             \
    template void Multigrid<D>::build_finest(const BlockSystem<D>&,                              \
                                             const Field<std::uint8_t, D>*);                     \
    template void Multigrid<D>::build_coarser(const BlockSystem<D>&,                             \
                                              const Field<std::uint8_t, D>*);                    \
    template void Multigrid<D>::set_active(const BlockSystem<D>&, const Field<std::uint8_t, D>&, \
                                           const std::vector<int>&);                             \
    template void Multigrid<D>::hold(const std::vector<SplitPlace<D>>&);                         \
    template void Multigrid<D>::release();                                                       \
    template BlockSystem<D> Multigrid<D>::coarser(const BlockSystem<D>&);                        \
    template std::size_t Multigrid<D>::bytes() const;
SLOSH_INSTANTIATE(2)
SLOSH_INSTANTIATE(3)
#undef SLOSH_INSTANTIATE

}  // namespace slosh
