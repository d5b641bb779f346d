// Several passes over a level's blocks in one journey through memory.
//
// Half-sweeps do little with each number they load, so on large grids memory sets the pace. A pass
// over a block needs the pass before it on the block and its face neighbours only; so the passes
// follow each other over slabs of blocks: while a slab is in cache, all passes see it. Even passes
// run at the same time, three slabs apart, then odd passes, each one slab behind its even one.
// So they neither read nor write what another one writes at the same time, each finds the pass
// before done on the slab and on both its neighbours, and every value comes out as if the passes
// had run one after the other.
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
        std::vector<int> start(passes), until(passes);
        for (int t = 0; t < slabs + behind(passes - 1); ++t)
            for (int parity = 0; parity < 2; ++parity) {
                int total = 0;
                for (int pass = parity; pass < passes; pass += 2) {
                    const int slab = t - behind(pass);
                    const bool there = slab >= 0 && slab < slabs;
                    start[pass] = there ? first_[slab] - total : 0;
                    if (there) total += first_[slab + 1] - first_[slab];
                    until[pass] = total;
                }
                parallel_ranges(total, kGrain, [&](std::size_t begin, std::size_t end) {
                    int pass = parity;
                    for (int i = static_cast<int>(begin); i < static_cast<int>(end); ++i) {
                        while (i >= until[pass]) pass += 2;
                        body(pass, blocks_[start[pass] + i]);
                    }
                });
            }
    }

private:
    /// Slabs by which a pass follows the first one.
    static int behind(int pass) { return 3 * (pass / 2) + pass % 2; }

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
