// Vectors in the multigrid's layout, for tests.
#pragma once

#include "slosh/base/hash.h"
#include "slosh/linear/split.h"
#include "slosh/linear/system.h"

namespace slosh::test {

/// A random vector over the unknowns.
template <int D>
SplitField<D> random_vector(const BlockSystem<D>& s, std::uint64_t seed) {
    SplitField<D> f(s.blocks->size());
    for (int b = 0; b < s.blocks->size(); ++b)
        for (int o = 0; o < kBlockCells<D>; ++o)
            if (s.unknown.block(b)[o])
                split_place<D>(b, o).in(f) =
                    static_cast<float>(hash_uniform(seed, b * kBlockCells<D> + o, 0) - 0.5);
    return f;
}

template <int D>
double dot(const BlockSystem<D>& s, const SplitField<D>& a, const SplitField<D>& b) {
    double sum = 0;
    for (int i = 0; i < s.blocks->size(); ++i)
        for (int o = 0; o < kBlockCells<D>; ++o)
            sum += static_cast<double>(split_place<D>(i, o).in(a)) * split_place<D>(i, o).in(b);
    return sum;
}

}  // namespace slosh::test
