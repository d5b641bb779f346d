// Placing new particles: stratified with jitter.
//
// A cell is cut into n^D sub-cells with one particle each. Where in the sub-cell depends on (seed,
// sub-cell) alone, so the same liquid is seeded the same whatever the order, the box or the
// threads.
#pragma once

#include <cstdint>
#include <vector>

#include "slosh/base/error.h"
#include "slosh/base/hash.h"
#include "slosh/base/parallel.h"
#include "slosh/particles/particles.h"

namespace slosh {

struct SeedOptions {
    int per_axis = 2;        ///< Particles along a cell's edge. 1 to 8.
    double jitter = 1;       ///< Share of the sub-cell a particle may lie in; 0 = its centre.
    std::uint64_t seed = 0;  ///< Another seed, another jitter.
};

/// Sub-cells of a cell.
template <int D>
constexpr int seeds_per_cell(int per_axis) {
    return D == 2 ? per_axis * per_axis : per_axis * per_axis * per_axis;
}

/// Position of the seed of sub-cell `s` of a cell (x fastest), rounded to float as particles are.
/// Grid coordinates.
template <int D>
Point<D> seed_position(const Index<D>& cell, int s, const SeedOptions& options);

/// All seeds of a cell.
template <int D>
std::vector<Point<D>> seeds_in_cell(const Index<D>& cell, const SeedOptions& options);

/// A box of cells lo <= cell < hi.
template <int D>
struct CellBox {
    Index<D> lo, hi;
};

/// The blocks that a box of cells touches, in their order.
template <int D>
std::vector<Index<D>> blocks_in_box(const CellBox<D>& box);

/// Appends a particle for every seed of the box's cells where inside(position) holds; position in
/// grid coordinates. Order: the blocks as listed (as blocks_in_box orders them; leave out those
/// without liquid: the predicate is asked about every seed of every block), then cells, then
/// sub-cells. Velocity and c are zero, ids are the caller's to hand out. `affine` says whether
/// c is kept. Returns the number of new particles. `inside` is called from several threads.
template <int D, class Inside>
std::size_t seed_blocks(const std::vector<Index<D>>& blocks, const CellBox<D>& box,
                        const SeedOptions& options, const Inside& inside, bool affine,
                        Particles<D>& particles) {
    SLOSH_EXPECT(particles.size() == 0 || particles.affine() == affine);
    const int per_cell = seeds_per_cell<D>(options.per_axis);
    const auto in_box = [&](const Index<D>& cell) {
        for (int d = 0; d < D; ++d)
            if (cell[d] < box.lo[d] || cell[d] >= box.hi[d]) return false;
        return true;
    };

    // The predicate is the costly part: ask it once, keep a bit per seed, place in a second pass.
    std::vector<std::vector<bool>> wanted(blocks.size());
    std::vector<std::size_t> start(blocks.size() + 1, particles.size());
    parallel_for(blocks.size(), 1, [&](std::size_t b) {
        std::vector<bool> bits(static_cast<std::size_t>(kBlockCells<D>) * per_cell);
        std::size_t count = 0;
        for (int o = 0; o < kBlockCells<D>; ++o) {
            const Index<D> cell = blocks[b] * kSide + local_cell<D>(o);
            if (!in_box(cell)) continue;
            for (int s = 0; s < per_cell; ++s)
                if (inside(seed_position<D>(cell, s, options))) {
                    bits[static_cast<std::size_t>(o) * per_cell + s] = true;
                    ++count;
                }
        }
        if (count > 0) wanted[b] = std::move(bits);
        start[b + 1] = count;
    });
    for (std::size_t b = 0; b < blocks.size(); ++b) start[b + 1] += start[b];

    const std::size_t before = particles.size();
    particles.resize(start.back(), affine);
    parallel_for(blocks.size(), 1, [&](std::size_t b) {
        std::size_t i = start[b];
        for (std::size_t k = 0; k < wanted[b].size(); ++k) {
            if (!wanted[b][k]) continue;
            const Index<D> cell = blocks[b] * kSide + local_cell<D>(static_cast<int>(k) / per_cell);
            const Point<D> x = seed_position<D>(cell, static_cast<int>(k) % per_cell, options);
            for (int d = 0; d < D; ++d) {
                particles.x[d][i] = static_cast<float>(x[d]);
                particles.v[d][i] = 0;
                for (int e = 0; e < D && affine; ++e) particles.c[d][e][i] = 0;
            }
            particles.id[i++] = 0;
        }
    });
    return particles.size() - before;
}

/// The same for all blocks of the box.
template <int D, class Inside>
std::size_t seed_box(const CellBox<D>& box, const SeedOptions& options, const Inside& inside,
                     bool affine, Particles<D>& particles) {
    return seed_blocks<D>(blocks_in_box<D>(box), box, options, inside, affine, particles);
}

}  // namespace slosh
