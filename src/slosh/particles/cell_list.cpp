#include "slosh/particles/cell_list.h"

#include <algorithm>
#include <cmath>

#include "slosh/base/error.h"
#include "slosh/base/parallel.h"

namespace slosh {

template <int D>
CellList<D>::CellList(const Particles<D>& particles, const ParticleBlocks<D>& pblocks)
    : blocks_(pblocks.blocks) {
    SLOSH_EXPECT(pblocks.first.back() == particles.size());
    constexpr int kStarts = kBlockCells<D> + 1;
    start_.resize(static_cast<std::size_t>(blocks_->size()) * kStarts);
    particle_.resize(particles.size());
    for (auto& x : x_) x.resize(particles.size());
    parallel_ranges(blocks_->size(), 8, [&](std::size_t from, std::size_t to) {
        std::vector<std::uint16_t> cell;
        for (std::size_t b = from; b < to; ++b) {
            const std::uint32_t begin = pblocks.first[b], end = pblocks.first[b + 1];
            std::uint32_t* start = start_.data() + b * kStarts;
            std::fill_n(start, kStarts, 0u);
            cell.resize(end - begin);
            const Index<D> origin = blocks_->first_cell(static_cast<int>(b));
            for (std::uint32_t i = begin; i < end; ++i) {
                Index<D> c;
                for (int d = 0; d < D; ++d)
                    c[d] = static_cast<int>(std::floor(particles.x[d][i])) - origin[d];
                cell[i - begin] = static_cast<std::uint16_t>(cell_offset(c));
                ++start[cell[i - begin] + 1];
            }
            start[0] = begin;
            for (int c = 1; c < kStarts; ++c) start[c] += start[c - 1];
            std::uint32_t next[kBlockCells<D>];
            std::copy_n(start, kBlockCells<D>, next);
            for (std::uint32_t i = begin; i < end; ++i) {
                const std::uint32_t slot = next[cell[i - begin]]++;
                particle_[slot] = i;
                for (int d = 0; d < D; ++d) x_[d][slot] = particles.x[d][i];
            }
        }
    });
}

template <int D>
void Neighbourhood<D>::gather(const CellList<D>& list, int b, const Index<D>& cell, int reach,
                              const float* value) {
    constexpr float kFarAway = 1e15f;  // its square is still finite
    for (auto& x : x_) x.clear();
    value_.clear();
    // Row by row along x: what of a row lies in one block is one range.
    Index<D> o = Index<D>::filled(-reach);
    while (o[D - 1] <= reach) {
        Index<D> at = cell + o;
        for (const int end = cell[0] + reach; at[0] <= end;) {
            const int last = std::min(end, at[0] | (kSide - 1));
            const int n = list.blocks().neighbour(b, neighbour_code(block_of(at)));
            if (n < list.blocks().size()) {
                const int c = cell_offset(local_of(at));
                const std::uint32_t from = list.start(n, c),
                                    to = list.start(n, c + last - at[0] + 1);
                for (int d = 0; d < D; ++d)
                    x_[d].insert(x_[d].end(), list.x(d) + from, list.x(d) + to);
                if (value) value_.insert(value_.end(), value + from, value + to);
            }
            at[0] = last + 1;
        }
        ++o[1];
        for (int d = 1; d + 1 < D && o[d] > reach; ++d) {
            o[d] = -reach;
            ++o[d + 1];
        }
    }
    const std::size_t padded = (x_[0].size() + kLanes - 1) / kLanes * kLanes;
    for (auto& x : x_) x.resize(padded, kFarAway);
    if (value) value_.resize(padded, 0.0f);
}

template class CellList<2>;
template class CellList<3>;
template class Neighbourhood<2>;
template class Neighbourhood<3>;

}  // namespace slosh
