// Several passes over a level's blocks in one journey through memory.
//
// Half-sweeps do little with each number they load, so on large grids memory sets the pace. A pass
// over a block needs the pass before it on the block and its face neighbours only; so the passes
// follow each other over slabs of blocks, each one slab behind the pass before it: while a slab is
// in cache, all passes see it. A pass so finds the pass before done on its slab and on both
// neighbours, and that pass is past needing what it changes: every value comes out as if the passes
// had run one after the other. A thread gets the same share of a slab in each pass (base/team.h).
#pragma once

#include <algorithm>
#include <vector>

#include "slosh/base/parallel.h"
#include "slosh/grid/blocks.h"

namespace slosh {

class Slabs {
public:
    /// Slabs of the blocks in `live`: across the last axis, where they are as blocks lie in memory,
    /// unless another gives much thinner ones. A level that fits in cache as a whole is left in one
    /// slab.
    template <int D>
    static Slabs make(const Blocks<D>& blocks, std::size_t bytes, const std::vector<int>& live);

    /// Runs body(pass, block) over all blocks for pass = 0, 1 ... passes - 1.
    template <class Body>
    void run(int passes, const Body& body) const {
        const int slabs = static_cast<int>(first_.size()) - 1;
        for (int front = 0; front < slabs + passes - 1; ++front)
            for (int pass = std::max(0, front - slabs + 1); pass <= std::min(front, passes - 1);
                 ++pass) {
                const int* slab = blocks_.data() + first_[front - pass];
                const int size = first_[front - pass + 1] - first_[front - pass];
                parallel_for(size, kGrain, [&](std::size_t i) { body(pass, slab[i]); });
            }
    }

private:
    static constexpr std::size_t kGrain = 16;
    static constexpr std::size_t kCache = std::size_t(8) << 20;

    std::vector<int> blocks_;
    std::vector<int> first_ = {0};  // of each slab, in blocks_, and their end
};

template <int D>
Slabs Slabs::make(const Blocks<D>& blocks, std::size_t bytes, const std::vector<int>& live) {
    Slabs s;
    s.blocks_ = live;
    if (s.blocks_.empty()) return s;
    if (bytes <= kCache) {
        s.first_.push_back(static_cast<int>(s.blocks_.size()));
        return s;
    }
    std::vector<int> best;  // blocks of each slab
    int best_axis = 0, lowest = 0;
    for (int axis = D - 1; axis >= 0; --axis) {
        const auto by_coord = [&](int a, int b) {
            return blocks.coord(a)[axis] < blocks.coord(b)[axis];
        };
        const auto [low, high] = std::minmax_element(s.blocks_.begin(), s.blocks_.end(), by_coord);
        const int from = blocks.coord(*low)[axis];
        std::vector<int> count(blocks.coord(*high)[axis] - from + 1);
        for (int b : s.blocks_) ++count[blocks.coord(b)[axis] - from];
        if (best.empty() || 2 * *std::max_element(count.begin(), count.end()) <
                                *std::max_element(best.begin(), best.end())) {
            best = std::move(count);
            best_axis = axis;
            lowest = from;
        }
    }
    for (int n : best) s.first_.push_back(s.first_.back() + n);
    std::vector<int> next(s.first_.begin(), s.first_.end() - 1), sorted(s.blocks_.size());
    for (int b : s.blocks_) sorted[next[blocks.coord(b)[best_axis] - lowest]++] = b;
    s.blocks_ = std::move(sorted);
    return s;
}

}  // namespace slosh
