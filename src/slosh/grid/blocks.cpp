#include "slosh/grid/blocks.h"

#include <algorithm>

#include "slosh/base/error.h"
#include "slosh/base/hash.h"
#include "slosh/base/parallel.h"

namespace slosh {

namespace {
constexpr int kBias = 1 << 20;
}  // namespace

template <int D>
std::uint64_t block_key(const Index<D>& block) {
    std::uint64_t key = 0;
    for (int d = 0; d < D; ++d) {
        SLOSH_EXPECT(block[d] >= -kBias && block[d] < kBias);
        key |= static_cast<std::uint64_t>(block[d] + kBias) << (21 * d);
    }
    return key;
}

template <int D>
Blocks<D>::Blocks(std::vector<Index<D>> coords) {
    std::vector<std::pair<std::uint64_t, Index<D>>> sorted(coords.size());
    for (std::size_t i = 0; i < coords.size(); ++i)
        sorted[i] = {block_key<D>(coords[i]), coords[i]};
    std::sort(sorted.begin(), sorted.end(),
              [](const auto& a, const auto& b) { return a.first < b.first; });
    sorted.erase(std::unique(sorted.begin(), sorted.end(),
                             [](const auto& a, const auto& b) { return a.first == b.first; }),
                 sorted.end());

    const std::size_t n = sorted.size();
    coords_.resize(n);
    std::size_t slots = 16;
    while (slots < 2 * n) slots *= 2;
    slot_key_.assign(slots, 0);
    slot_block_.assign(slots, 0);
    for (std::size_t b = 0; b < n; ++b) {
        coords_[b] = sorted[b].second;
        std::size_t s = mix64(sorted[b].first) & (slots - 1);
        while (slot_key_[s] != 0) s = (s + 1) & (slots - 1);
        slot_key_[s] = sorted[b].first + 1;
        slot_block_[s] = static_cast<int>(b);
    }
    neighbours_.resize(n);
    parallel_for(n, 64, [&](std::size_t b) {
        for (int code = 0; code < kNeighbours<D>; ++code)
            neighbours_[b][code] = find(coords_[b] + neighbour_offset<D>(code));
    });
}

template <int D>
int Blocks<D>::find(const Index<D>& coord) const {
    for (int d = 0; d < D; ++d)
        if (coord[d] < -kBias || coord[d] >= kBias) return size();
    const std::uint64_t key = block_key<D>(coord);
    const std::size_t mask = slot_key_.size() - 1;
    for (std::size_t s = mix64(key) & mask; slot_key_[s] != 0; s = (s + 1) & mask)
        if (slot_key_[s] == key + 1) return slot_block_[s];
    return size();
}

template <int D>
std::size_t Blocks<D>::bytes() const {
    return coords_.size() * (sizeof(Index<D>) + sizeof(neighbours_[0])) + slot_key_.size() * 12;
}

template <int D>
Coarsening<D> coarsen(const Blocks<D>& fine) {
    std::vector<Index<D>> coords(fine.size());
    auto half = [](Index<D> c) {
        for (int d = 0; d < D; ++d) c[d] >>= 1;
        return c;
    };
    for (int b = 0; b < fine.size(); ++b) coords[b] = half(fine.coord(b));
    coords.erase(std::unique(coords.begin(), coords.end()), coords.end());

    Coarsening<D> c;
    c.coarse = std::make_shared<const Blocks<D>>(std::move(coords));
    c.parent.resize(fine.size());
    c.octant.resize(fine.size());
    c.children.resize(c.coarse->size());
    for (auto& list : c.children) list.fill(fine.size());
    for (int b = 0; b < fine.size(); ++b) {
        int octant = 0;
        for (int d = 0; d < D; ++d) octant |= (fine.coord(b)[d] & 1) << d;
        c.parent[b] = c.coarse->find(half(fine.coord(b)));
        c.octant[b] = static_cast<std::uint8_t>(octant);
        c.children[c.parent[b]][octant] = b;
    }
    return c;
}

template class Blocks<2>;
template class Blocks<3>;
template std::uint64_t block_key<2>(const Index<2>&);
template std::uint64_t block_key<3>(const Index<3>&);
template Coarsening<2> coarsen<2>(const Blocks<2>&);
template Coarsening<3> coarsen<3>(const Blocks<3>&);

}  // namespace slosh
