#include "slosh/linear/system.h"

#include <algorithm>
#include <numeric>

#include "slosh/linear/residual_block.h"

namespace slosh {

template <int D>
std::size_t BlockSystem<D>::unknowns() const {
    return static_cast<std::size_t>(parallel_sum(blocks->size(), [&](std::size_t b) {
        const std::uint8_t* u = unknown.block(static_cast<int>(b));
        int n = 0;
        for (int o = 0; o < kBlockCells<D>; ++o) n += u[o] != 0;
        return static_cast<double>(n);
    }));
}

template <int D>
BodiesRhs<D>::BodiesRhs(const BlockSystem<D>& system) : system_(system) {
    if (!system.bodies) return;
    const LowRank<D>& F = *system.bodies;
    first_.assign(static_cast<std::size_t>(system.blocks->size()) + 1, 0);
    for (const auto& e : F.entries) ++first_[e.block + 1];
    std::partial_sum(first_.begin(), first_.end(), first_.begin());
    std::vector<std::uint32_t> next(first_.begin(), first_.end() - 1);
    entries_.resize(F.entries.size());
    for (int g = 0; g < F.groups(); ++g)
        for (std::size_t i = F.first[g]; i < F.first[g + 1]; ++i)
            entries_[next[F.entries[i].block]++] = {static_cast<std::uint32_t>(i), g};
}

template <int D>
void BodiesRhs<D>::set(const Field<double, D>& x) {
    if (system_.bodies) t_ = system_.bodies->transposed(x);
}

template <int D>
const double* BodiesRhs<D>::block(int b, Room& room) const {
    const double* rhs = system_.rhs.block(b);
    if (!system_.bodies || first_[b] == first_[b + 1]) return rhs;
    std::copy_n(rhs, kBlockCells<D>, room);
    for (std::uint32_t i = first_[b]; i < first_[b + 1]; ++i) {
        const auto& e = system_.bodies->entries[entries_[i].number];
        const double* t = t_.data() + entries_[i].group * kColumns<D>;
        for (int k = 0; k < kColumns<D>; ++k) room[e.offset] -= e.f[k] * t[k];
    }
    return room;
}

template <int D>
double residual(const BlockSystem<D>& system, const Field<double, D>& x, Field<double, D>& r) {
    BodiesRhs<D> rhs(system);
    rhs.set(x);
    return parallel_max(system.blocks->size(), [&](std::size_t i) {
        const int b = static_cast<int>(i);
        alignas(32) typename BodiesRhs<D>::Room room;
        const ResidualBlock<D> block(system, x, b, rhs.block(b, room));
        const __m256d zero = _mm256_setzero_pd();
        detail::Largest worst;
        double* out = r.block(b);
        for (int z = 0; z < kPlanes<D>; ++z)
            for (int y = 0; y < kSide; ++y, out += kSide) {
                const detail::Row row =
                    block.has_unknowns(y, z) ? block.row(y, z) : detail::Row{zero, zero};
                worst.keep(row);
                detail::store_row(out, row);
            }
        return worst.value();
    });
}

template class BodiesRhs<2>;
template class BodiesRhs<3>;
template struct BlockSystem<2>;
template struct BlockSystem<3>;
template double residual<2>(const BlockSystem<2>&, const Field<double, 2>&, Field<double, 2>&);
template double residual<3>(const BlockSystem<3>&, const Field<double, 3>&, Field<double, 3>&);

}  // namespace slosh
