// Builds the hierarchy of multigrid.h, level by level, each from the plain arrays of the last.
#include "slosh/linear/multigrid_build.h"

#include <algorithm>

namespace slosh {

namespace {

/// The excess a cell passes on to its coarse cell. A surface that touches the cell's centre
/// (e = infinity) is about half a fine cell from the coarse centre, which bounds what may be
/// passed. Passing half of it, as for faces, costs twice the iterations.
inline float carried(float e, float weight) {
    return e / (1 + e / (3 * weight));
}

/// The next level's arrays: half the sum of the fine faces, the carried excess of the children.
template <int D>
void coarsen_arrays(const PlainArrays<D>& fine, const MultigridLevel<D>& level,
                    FaceField<float, D>& coefficient, Field<float, D>& excess) {
    const Coarsening<D>& up = level.coarsening;
    const float plain = level.weight * (D == 3 ? 2 : 1);
    parallel_for(up.coarse->size(), 4, [&](std::size_t i) {
        const int B = static_cast<int>(i);
        for (int octant = 0; octant < kChildren<D>; ++octant) {
            const int b = up.children[B][octant];
            if (b == level.size()) continue;
            const bool is_plain = level.is_plain(b);
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
    return n;
}

template <int D>
Multigrid<D>::Multigrid(const BlockSystem<D>& system, const MultigridOptions& options)
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
    PlainArrays<D> arrays{&system.coefficient, &system.excess, &system.unknown};
    levels_.emplace_back();
    levels_[0].blocks = system.blocks;
    build_level(arrays, weight, true, levels_[0]);
    partial_.resize(levels_[0].size());

    FaceField<float, D> coefficient;
    Field<float, D> excess;
    // Coordinates have 20 bits, so 20 levels bring everything together.
    while (levels_.back().unknowns > static_cast<std::size_t>(options_.coarsest_cells) &&
           levels_.size() < 20) {
        MultigridLevel<D>& fine = levels_.back();
        fine.coarsening = coarsen(*fine.blocks);
        MultigridLevel<D> coarse;
        coarse.blocks = fine.coarsening.coarse;
        FaceField<float, D> c(coarse.blocks);
        Field<float, D> e(coarse.blocks);
        coarsen_arrays(arrays, fine, c, e);
        coefficient = std::move(c);
        excess = std::move(e);
        arrays = {&coefficient, &excess};
        build_level(arrays, fine.weight * (D == 3 ? 2 : 1), false, coarse);
        if (coarse.unknowns == 0) {  // only clusters of a few cells left, which sweeps solve
            fine.coarsening = {};
            break;
        }
        coarse.x = SplitField<D>(coarse.size());
        coarse.b = SplitField<D>(coarse.size());
        levels_.push_back(std::move(coarse));
    }
}

template struct MultigridLevel<2>;
template struct MultigridLevel<3>;
template Multigrid<2>::Multigrid(const BlockSystem<2>&, const MultigridOptions&);
template Multigrid<3>::Multigrid(const BlockSystem<3>&, const MultigridOptions&);
template std::size_t Multigrid<2>::bytes() const;
template std::size_t Multigrid<3>::bytes() const;

}  // namespace slosh
