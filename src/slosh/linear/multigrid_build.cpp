// Builds the hierarchy of multigrid.h, level by level, each from the plain arrays of the last.
#include "slosh/linear/multigrid_build.h"

#include <algorithm>
#include <numeric>
#include <optional>

#include "slosh/linear/cell_mask.h"

namespace slosh {

namespace {

/// The excess a cell passes on to its coarse cell. A surface that touches the cell's centre
/// (e = infinity) is about half a fine cell from the coarse centre, which bounds what may be
/// passed. Passing half of it, as for faces, costs twice the iterations.
inline float carried(float e, float weight) {
    return e / (1 + e / (3 * weight));
}

/// Which cells of a block are active or have active neighbours. Towards those, faces pull like air.
template <int D>
struct ActiveBlock {
    CellMask<D> self, below[D], above[D];
    CellMask<D> concerned{};  ///< Any of these.

    ActiveBlock(const Field<std::uint8_t, D>& active, const MultigridLevel<D>& level, int b)
        : self(nonzero<D>(active.block(b))) {
        for (int d = 0; d < D; ++d) {
            below[d] = from_below<D>(self, nonzero<D>(active.block(level.faces[b][2 * d])), d);
            above[d] = from_above<D>(self, nonzero<D>(active.block(level.faces[b][2 * d + 1])), d);
        }
        for (int z = 0; z < kPlanes<D>; ++z) {
            concerned[z] = self[z];
            for (int d = 0; d < D; ++d) concerned[z] |= below[d][z] | above[d][z];
        }
    }
    static bool has(const CellMask<D>& m, int o) { return m[o >> 6] >> (o & 63) & 1; }
};

/// The coefficient of the upper face of a cell along d.
template <int D>
float upper_coefficient(const Field<float, D>& c, const MultigridLevel<D>& level, int b, int o,
                        int d) {
    const int step = d == 0 ? 1 : d == 1 ? kSide : kSide * kSide;
    return local_cell<D>(o)[d] < kSide - 1
               ? c.block(b)[o + step]
               : c.block(level.faces[b][2 * d + 1])[o - (kSide - 1) * step];
}

/// The next level's arrays in the given blocks: half the sum of the fine faces, the carried excess
/// of the children.
template <int D>
void coarsen_arrays(const PlainArrays<D>& fine, const MultigridLevel<D>& level,
                    const std::vector<int>& coarse_blocks, CoarseArrays<D>& coarse) {
    FaceField<float, D>& coefficient = coarse.coefficient;
    Field<float, D>& excess = coarse.excess;
    const Coarsening<D>& up = level.coarsening;
    const float plain = level.weight * (D == 3 ? 2 : 1);
    parallel_for(coarse_blocks.size(), 4, [&](std::size_t i) {
        const int B = coarse_blocks[i];
        for (int octant = 0; octant < kChildren<D>; ++octant) {
            const int b = up.children[B][octant];
            if (b == level.size()) continue;
            const bool is_plain = level.is_plain(b);
            std::optional<ActiveBlock<D>> active;
            if (fine.active && !is_plain) active.emplace(*fine.active, level, b);
            for (int z = 0; z < (D == 3 ? 4 : 1); ++z)
                for (int y = 0; y < 4; ++y) {
                    const int to = 4 * (octant & 1) + kSide * (y + 4 * (octant >> 1 & 1)) +
                                   64 * (z + 4 * (octant >> 2 & 1));
                    if (is_plain) {
                        for (int d = 0; d < D; ++d)
                            std::fill_n(coefficient.axis(d).block(B) + to, 4, plain);
                        continue;
                    }
                    const int from = 2 * kSide * y + 2 * 64 * z;
                    for (int x = 0; x < 4; ++x) {
                        float e = 0, c[D] = {};
                        for (int child = 0; child < kChildren<D>; ++child) {
                            const int o = from + 2 * x + (child & 1) + kSide * (child >> 1 & 1) +
                                          64 * (child >> 2 & 1);
                            if (fine.unknown && !fine.unknown->block(b)[o]) continue;
                            if (active && active->has(active->concerned, o)) {
                                if (active->has(active->self, o)) continue;
                                float pull = fine.excess->block(b)[o];
                                for (int d = 0; d < D; ++d) {
                                    const Field<float, D>& f = fine.coefficient->axis(d);
                                    if (active->has(active->above[d], o))
                                        pull += upper_coefficient(f, level, b, o, d);
                                    if (active->has(active->below[d], o))
                                        pull += f.block(b)[o];
                                    else if (!(child >> d & 1))
                                        c[d] += f.block(b)[o];
                                }
                                e += carried(pull, level.weight);
                                continue;
                            }
                            e += carried(fine.excess->block(b)[o], level.weight);
                            for (int d = 0; d < D; ++d)
                                if (!(child >> d & 1))
                                    c[d] += fine.coefficient->axis(d).block(b)[o];
                        }
                        excess.block(B)[to + x] = e;
                        for (int d = 0; d < D; ++d)
                            coefficient.axis(d).block(B)[to + x] = 0.5f * c[d];
                    }
                }
        }
    });
}

}  // namespace

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
