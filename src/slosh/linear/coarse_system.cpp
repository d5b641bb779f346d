#include "slosh/linear/coarse_system.h"

#include <map>

namespace slosh {

namespace {

/// Calls body(o, to) for all pairs of cells of a fine block: `o` is the lower, `to` the one over
/// them.
template <int D, class Body>
void for_each_pair(int octant, const Body& body) {
    for (int row = 0; row < kBlockCells<D>; row += kSide) {
        const int to = coarse_offset<D>(octant, row);
        for (int x = 0; x < kSide / 2; ++x) body(row + 2 * x, to + x);
    }
}

/// Calls body(fine block, octant, coarse block) for all children, coarse blocks in parallel.
template <int D, class Body>
void for_each_child(const Coarsening<D>& up, const Body& body) {
    parallel_for(up.coarse->size(), 4, [&](std::size_t i) {
        const int B = static_cast<int>(i);
        for (int octant = 0; octant < kChildren<D>; ++octant)
            if (const int b = up.children[B][octant]; b < static_cast<int>(up.parent.size()))
                body(b, octant, B);
    });
}

template <int D>
LowRank<D> coarse_bodies(const LowRank<D>& fine, const Coarsening<D>& up) {
    LowRank<D> coarse;
    coarse.lightness = fine.lightness;
    for (int g = 0; g < fine.groups(); ++g) {
        std::map<std::pair<int, int>, typename LowRank<D>::Entry> sums;  // by block and offset
        for (std::size_t i = fine.first[g]; i < fine.first[g + 1]; ++i) {
            const auto& e = fine.entries[i];
            const int B = up.parent[e.block], o = coarse_offset<D>(up.octant[e.block], e.offset);
            auto& sum =
                sums.try_emplace({B, o}, typename LowRank<D>::Entry{B, o, {}}).first->second;
            for (int k = 0; k < kColumns<D>; ++k) sum.f[k] += e.f[k];
        }
        for (const auto& [cell, entry] : sums) coarse.entries.push_back(entry);
        coarse.first.push_back(coarse.entries.size());
    }
    return coarse;
}

}  // namespace

template <int D>
BlockSystem<D> coarse_system(const BlockSystem<D>& fine, const Coarsening<D>& up,
                             CoarseArrays<D> arrays) {
    BlockSystem<D> coarse(up.coarse);
    coarse.coefficient = std::move(arrays.coefficient);
    coarse.excess = std::move(arrays.excess);
    coarse.unknown = coarse_marks(fine.unknown, up);
    for_each_child(up, [&](int b, int octant, int B) {
        const double* from = fine.rhs.block(b);
        double* to = coarse.rhs.block(B);
        for_each_pair<D>(octant, [&](int o, int over) { to[over] += from[o] + from[o + 1]; });
    });
    if (fine.bodies)
        coarse.bodies = std::make_shared<const LowRank<D>>(coarse_bodies(*fine.bodies, up));
    return coarse;
}

template <int D>
Field<std::uint8_t, D> coarse_marks(const Field<std::uint8_t, D>& fine, const Coarsening<D>& up) {
    Field<std::uint8_t, D> coarse(up.coarse);
    for_each_child(up, [&](int b, int octant, int B) {
        const std::uint8_t* from = fine.block(b);
        std::uint8_t* to = coarse.block(B);
        for_each_pair<D>(octant, [&](int o, int over) { to[over] |= from[o] | from[o + 1]; });
    });
    return coarse;
}

template <int D>
void copy_to_children(const Field<double, D>& coarse, const Coarsening<D>& up, double weight,
                      const BlockSystem<D>& fine, Field<double, D>& x) {
    const double faces = 2 * D * weight;
    for_each_child(up, [&](int b, int octant, int B) {
        const double* from = coarse.block(B);
        const std::uint8_t* unknown = fine.unknown.block(b);
        const float* excess = fine.excess.block(b);
        double* to = x.block(b);
        for_each_pair<D>(octant, [&](int o, int over) {
            for (int i = o; i < o + 2; ++i)
                to[i] = unknown[i] ? from[over] * faces / (faces + excess[i]) : 0;
        });
    });
}

#define SLOSH_INSTANTIATE(D)                                                                 \
    template BlockSystem<D> coarse_system<D>(const BlockSystem<D>&, const Coarsening<D>&,    \
                                             CoarseArrays<D>);                               \
    template Field<std::uint8_t, D> coarse_marks<D>(const Field<std::uint8_t, D>&,           \
                                                    const Coarsening<D>&);                   \
    template void copy_to_children<D>(const Field<double, D>&, const Coarsening<D>&, double, \
                                      const BlockSystem<D>&, Field<double, D>&);
SLOSH_INSTANTIATE(2)
SLOSH_INSTANTIATE(3)
#undef SLOSH_INSTANTIATE

}  // namespace slosh
