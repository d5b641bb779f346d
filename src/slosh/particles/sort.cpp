// Counting sort of the particles by block, in chunks, without a table of all possible blocks.
//
//  1. Every chunk lists the blocks it meets and counts its particles in each. Particles come nearly
//     sorted from the step before, so a chunk meets few blocks and finds them in a small table.
//  2. The union of the lists is the new topology. Walking the chunks in order gives every
//     (chunk, block) pair its place within the block: that makes the sort stable and its result
//     independent of how chunks are shared out to threads.
//  3. Every chunk writes the places of its particles; then each array is permuted.
#include <cmath>

#include "slosh/base/error.h"
#include "slosh/particles/arrays.h"

namespace slosh {

namespace {

constexpr std::size_t kChunk = 1 << 14;

/// The blocks that one chunk meets, numbered in the order of meeting.
template <int D>
class ChunkBlocks {
public:
    /// Number of a block in this chunk; a new one is added.
    int number(const Index<D>& coord) {
        if (last_ >= 0 && coords_[last_] == coord) return last_;
        std::size_t s = slot(coord);
        while (slots_[s] >= 0 && !(coords_[slots_[s]] == coord)) s = (s + 1) & (slots_.size() - 1);
        if (slots_[s] < 0) {
            slots_[s] = static_cast<int>(coords_.size());
            coords_.push_back(coord);
            counts_.push_back(0);
            last_ = slots_[s];
            if (2 * coords_.size() > slots_.size()) grow();
            return last_;
        }
        return last_ = slots_[s];
    }
    const std::vector<Index<D>>& coords() const { return coords_; }
    std::vector<std::uint32_t>& counts() { return counts_; }

private:
    std::size_t slot(const Index<D>& c) const {
        std::uint64_t h = 0;
        for (int d = 0; d < D; ++d)
            h = (h ^ static_cast<std::uint32_t>(c[d])) * 0x9e3779b97f4a7c15ull;
        return (h >> 32) & (slots_.size() - 1);
    }
    void grow() {
        slots_.assign(4 * slots_.size(), -1);
        for (std::size_t i = 0; i < coords_.size(); ++i) {
            std::size_t s = slot(coords_[i]);
            while (slots_[s] >= 0) s = (s + 1) & (slots_.size() - 1);
            slots_[s] = static_cast<int>(i);
        }
    }
    std::vector<Index<D>> coords_;
    std::vector<std::uint32_t> counts_;
    std::vector<int> slots_ = std::vector<int>(64, -1);
    int last_ = -1;
};

}  // namespace

template <int D>
ParticleBlocks<D> sort_by_block(Particles<D>& particles) {
    const std::size_t n = particles.size();
    SLOSH_EXPECT(n <= 0xffffffffu);
    const std::size_t chunks = (n + kChunk - 1) / kChunk;
    std::vector<ChunkBlocks<D>> chunk(chunks);
    PageArray<std::uint16_t> number(n);  // of the particle's block within its chunk

    // 1. List and count. (What a chunk writes for every particle is its own: in lines that chunks
    // share, two threads would wait for each other.)
    parallel_for(chunks, 1, [&](std::size_t k) {
        const std::size_t end = std::min(n, (k + 1) * kChunk);
        ChunkBlocks<D> mine;
        for (std::size_t i = k * kChunk; i < end; ++i) {
            Index<D> block;
            for (int d = 0; d < D; ++d)
                block[d] = static_cast<int>(std::floor(particles.x[d][i])) >> 3;
            const int b = mine.number(block);
            number[i] = static_cast<std::uint16_t>(b);
            ++mine.counts()[b];
        }
        chunk[k] = std::move(mine);
    });

    // 2. The topology, and from counts to places.
    std::vector<Index<D>> coords;
    for (const auto& c : chunk) coords.insert(coords.end(), c.coords().begin(), c.coords().end());
    ParticleBlocks<D> sorted;
    sorted.blocks = std::make_shared<const Blocks<D>>(std::move(coords));
    const int blocks = sorted.blocks->size();
    std::vector<std::vector<int>> index(chunks);  // per chunk: block number -> block
    parallel_for(chunks, 4, [&](std::size_t k) {
        index[k].reserve(chunk[k].coords().size());
        for (const auto& c : chunk[k].coords()) index[k].push_back(sorted.blocks->find(c));
    });
    sorted.first.assign(static_cast<std::size_t>(blocks) + 1, 0);
    for (std::size_t k = 0; k < chunks; ++k)
        for (std::size_t b = 0; b < index[k].size(); ++b)
            sorted.first[index[k][b] + 1] += chunk[k].counts()[b];
    for (int b = 0; b < blocks; ++b) sorted.first[b + 1] += sorted.first[b];
    std::vector<std::uint32_t> place(sorted.first.begin(), sorted.first.end() - 1);
    for (std::size_t k = 0; k < chunks; ++k)
        for (std::size_t b = 0; b < index[k].size(); ++b) {
            const std::uint32_t count = chunk[k].counts()[b];
            chunk[k].counts()[b] = place[index[k][b]];
            place[index[k][b]] += count;
        }

    // 3. Places of the particles, and the move.
    PageArray<std::uint32_t> source(n);
    std::vector<std::uint8_t> moved(chunks, 0);
    parallel_for(chunks, 1, [&](std::size_t k) {
        const std::size_t end = std::min(n, (k + 1) * kChunk);
        std::uint32_t* next = chunk[k].counts().data();
        bool some_moved = false;
        for (std::size_t i = k * kChunk; i < end; ++i) {
            const std::uint32_t to = next[number[i]]++;
            source[to] = static_cast<std::uint32_t>(i);
            some_moved |= to != i;
        }
        moved[k] = some_moved;
    });
    if (std::find(moved.begin(), moved.end(), 1) != moved.end()) permute(particles, source);
    return sorted;
}

template ParticleBlocks<2> sort_by_block<2>(Particles<2>&);
template ParticleBlocks<3> sort_by_block<3>(Particles<3>&);

}  // namespace slosh
