#include "slosh/linear/system.h"

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
const Field<double, D>& BodiesRhs<D>::at(const Field<double, D>& x) {
    return system_.bodies ? held(system_.bodies->transposed(x)) : system_.rhs;
}

template <int D>
const Field<double, D>& BodiesRhs<D>::held(const std::vector<double>& t) {
    const LowRank<D>& F = *system_.bodies;
    if (!rhs_.blocks_ptr()) rhs_ = system_.rhs;
    for (const auto& e : F.entries)
        rhs_.block(e.block)[e.offset] = system_.rhs.block(e.block)[e.offset];
    F.each(t, [&](int b, int o, double s) { rhs_.block(b)[o] -= s; });
    return rhs_;
}

template <int D>
double residual(const BlockSystem<D>& system, const Field<double, D>& x, Field<double, D>& r) {
    BodiesRhs<D> moved(system);
    const Field<double, D>& rhs = moved.at(x);
    return parallel_max(system.blocks->size(), [&](std::size_t i) {
        const int b = static_cast<int>(i);
        const ResidualBlock<D> block(system, x, b, rhs);
        const __m256d zero = _mm256_setzero_pd();
        detail::Row worst{zero, zero};
        double* out = r.block(b);
        for (int z = 0; z < kPlanes<D>; ++z)
            for (int y = 0; y < kSide; ++y, out += kSide) {
                const detail::Row row =
                    block.has_unknowns(y, z) ? block.row(y, z) : detail::Row{zero, zero};
                detail::keep_largest(worst, row);
                _mm256_store_pd(out, row.low);
                _mm256_store_pd(out + 4, row.high);
            }
        return detail::largest(worst);
    });
}

template class BodiesRhs<2>;
template class BodiesRhs<3>;
template struct BlockSystem<2>;
template struct BlockSystem<3>;
template double residual<2>(const BlockSystem<2>&, const Field<double, 2>&, Field<double, 2>&);
template double residual<3>(const BlockSystem<3>&, const Field<double, 3>&, Field<double, 3>&);

}  // namespace slosh
