#include "slosh/particles/seed.h"

#include <algorithm>
#include <utility>

namespace slosh {

template <int D>
Point<D> seed_position(const Index<D>& cell, int s, const SeedOptions& options) {
    const int n = options.per_axis;
    Index<D> sub;
    std::uint64_t id = 0;  // a number for the sub-cell, the same on every grid that holds it
    for (int d = 0; d < D; ++d, s /= n) {
        sub[d] = cell[d] * n + s % n;
        id = mix64(id ^ static_cast<std::uint32_t>(sub[d]));
    }
    Point<D> x;
    for (int d = 0; d < D; ++d) {
        const double u = hash_uniform(options.seed, id, static_cast<std::uint64_t>(d));
        x[d] = static_cast<float>((sub[d] + 0.5 + options.jitter * (u - 0.5)) / n);
    }
    return x;
}

template <int D>
std::vector<Point<D>> seeds_in_cell(const Index<D>& cell, const SeedOptions& options) {
    std::vector<Point<D>> seeds(seeds_per_cell<D>(options.per_axis));
    for (std::size_t s = 0; s < seeds.size(); ++s)
        seeds[s] = seed_position<D>(cell, static_cast<int>(s), options);
    return seeds;
}

template <int D>
std::vector<Index<D>> blocks_in_box(const CellBox<D>& box) {
    std::vector<std::pair<std::uint64_t, Index<D>>> found;
    const Index<D> lo = block_of<D>(box.lo), hi = block_of<D>(box.hi - Index<D>::filled(1));
    for (int d = 0; d < D; ++d)
        if (box.lo[d] >= box.hi[d]) return {};
    Index<D> b = lo;
    while (b[D - 1] <= hi[D - 1]) {
        found.emplace_back(block_key<D>(b), b);
        ++b[0];
        for (int d = 0; d + 1 < D && b[d] > hi[d]; ++d) {
            b[d] = lo[d];
            ++b[d + 1];
        }
    }
    std::sort(found.begin(), found.end(),
              [](const auto& a, const auto& c) { return a.first < c.first; });
    std::vector<Index<D>> blocks;
    blocks.reserve(found.size());
    for (const auto& [key, block] : found) blocks.push_back(block);
    return blocks;
}

template Point<2> seed_position<2>(const Index<2>&, int, const SeedOptions&);
template Point<3> seed_position<3>(const Index<3>&, int, const SeedOptions&);
template std::vector<Point<2>> seeds_in_cell<2>(const Index<2>&, const SeedOptions&);
template std::vector<Point<3>> seeds_in_cell<3>(const Index<3>&, const SeedOptions&);
template std::vector<Index<2>> blocks_in_box<2>(const CellBox<2>&);
template std::vector<Index<3>> blocks_in_box<3>(const CellBox<3>&);

}  // namespace slosh
