#include "slosh/gas/domain.h"

#include <cmath>

#include "slosh/grid/tile.h"
#include "slosh/particles/seed.h"

namespace slosh {

namespace {

constexpr float kDeep = 3;  // cells; any depth beyond one means the same
/// Layers of empty cells that are filled: more than a particle crosses in a step.
constexpr int kRefillLayers = 8;

template <int D>
bool in_domain(const GridGeometry<D>& grid, const Index<D>& cell) {
    for (int d = 0; d < D; ++d)
        if (cell[d] < 0 || cell[d] >= grid.cells[d]) return false;
    return true;
}

/// Number of particles in each cell, and the sum of their velocities.
template <int D>
struct CellSums {
    explicit CellSums(const BlocksPtr<D>& blocks) : count(blocks) {
        for (auto& v : velocity) v = Field<float, D>(blocks);
    }
    Field<float, D> count, velocity[D];

    void add(const Particles<D>& p, const ParticleBlocks<D>& pblocks) {
        parallel_for(pblocks.blocks->size(), 1, [&](std::size_t i) {
            const int from = static_cast<int>(i);
            const int b = count.blocks().find(pblocks.blocks->coord(from));
            if (b == count.blocks().size()) return;
            for (std::size_t k = pblocks.first[from]; k < pblocks.first[from + 1]; ++k) {
                Index<D> cell;
                for (int d = 0; d < D; ++d) cell[d] = static_cast<int>(std::floor(p.x[d][k]));
                const int o = cell_offset(local_of(cell));
                count.block(b)[o] += 1;
                for (int d = 0; d < D; ++d) velocity[d].block(b)[o] += p.v[d][k];
            }
        });
    }
    /// Mean velocity of the cells around an empty one that are not; false if there are none.
    bool mean_around(const Index<D>& cell, Point<D>& mean) const {
        double n = 0;
        mean = {};
        for (int code = 0; code < kNeighbours<D>; ++code) {
            const Index<D> c = cell + neighbour_offset<D>(code);
            n += count.get(c);
            for (int d = 0; d < D; ++d) mean[d] += velocity[d].get(c);
        }
        if (n > 0) mean = mean / n;
        return n > 0;
    }
};

}  // namespace

template <int D>
BlocksPtr<D> gas_topology(const GridGeometry<D>& grid, const Blocks<D>& occupied) {
    CellBox<D> box;
    for (int d = 0; d < D; ++d) {
        box.lo[d] = -kSide;
        box.hi[d] = grid.cells[d] + kSide;
    }
    std::vector<Index<D>> coords = blocks_in_box<D>(box);
    for (int b = 0; b < occupied.size(); ++b)
        if (!in_domain(grid, occupied.first_cell(b)))
            for (int code = 0; code < kNeighbours<D>; ++code)
                coords.push_back(occupied.coord(b) + neighbour_offset<D>(code));
    return std::make_shared<const Blocks<D>>(std::move(coords));
}

template <int D>
void fill_with_gas(const GridGeometry<D>& grid, const bool (&open_side)[2 * D],
                   Field<float, D>& phi) {
    phi.fill(-kDeep);
    bool any = false;
    for (bool open : open_side) any |= open;
    if (!any) return;
    parallel_for(phi.blocks().size(), 16, [&](std::size_t i) {
        const int b = static_cast<int>(i);
        const Index<D> first = phi.blocks().first_cell(b);
        float* out = phi.block(b);
        for (int o = 0; o < kBlockCells<D>; ++o) {
            const Index<D> cell = first + local_cell<D>(o);
            for (int d = 0; d < D; ++d)
                if ((open_side[2 * d] && cell[d] < 0) ||
                    (open_side[2 * d + 1] && cell[d] >= grid.cells[d]))
                    out[o] = kDeep;
        }
    });
}

template <int D>
Particles<D> refill(const GasSetup<D>& gas, const GridGeometry<D>& grid, int per_axis,
                    double jitter, std::uint64_t seed,
                    const std::function<bool(const Point<D>&)>& inside,
                    const Particles<D>& particles, const ParticleBlocks<D>& pblocks) {
    const BlocksPtr<D> blocks = gas_topology(grid, *pblocks.blocks);
    CellSums<D> sums(blocks);
    sums.add(particles, pblocks);
    std::vector<Index<D>> empty;
    for (int b = 0; b < blocks->size(); ++b)
        for (int o = 0; o < kBlockCells<D>; ++o) {
            if (sums.count.block(b)[o] > 0) continue;
            const Index<D> cell = blocks->first_cell(b) + local_cell<D>(o);
            if (in_domain(grid, cell) && inside(cell.template as<double>() + Point<D>::filled(0.5)))
                empty.push_back(cell);
        }

    const SeedOptions options{.per_axis = per_axis, .jitter = jitter, .seed = seed};
    Particles<D> fresh;
    // From the cells that border on gas outwards, a layer at a time.
    for (int layer = 0; layer < kRefillLayers && !empty.empty(); ++layer) {
        std::vector<Index<D>> left, filled;
        std::vector<Point<D>> velocity;
        for (const Index<D>& cell : empty) {
            Point<D> v;
            if (sums.mean_around(cell, v)) {
                filled.push_back(cell);
                velocity.push_back(v);
            } else {
                left.push_back(cell);
            }
        }
        for (std::size_t k = 0; k < filled.size(); ++k) {
            sums.count.set(filled[k], 1);
            for (int d = 0; d < D; ++d)
                sums.velocity[d].set(filled[k], static_cast<float>(velocity[k][d]));
            for (const Point<D>& x : seeds_in_cell<D>(filled[k], options)) {
                if (!inside(x)) continue;
                for (int d = 0; d < D; ++d) {
                    fresh.x[d].push_back(static_cast<float>(x[d]));
                    fresh.v[d].push_back(static_cast<float>(velocity[k][d]));
                    for (int e = 0; e < D && particles.affine(); ++e) fresh.c[d][e].push_back(0.0f);
                }
                fresh.smoke.push_back(0.0f);
                fresh.temperature.push_back(static_cast<float>(gas.ambient));
                fresh.id.push_back(0u);
            }
        }
        empty = std::move(left);
    }
    return fresh;
}

#define SLOSH_INSTANTIATE(D)                                                                    \
    template BlocksPtr<D> gas_topology<D>(const GridGeometry<D>&, const Blocks<D>&);            \
    template void fill_with_gas<D>(const GridGeometry<D>&, const bool(&)[2 * D],                \
                                   Field<float, D>&);                                           \
    template Particles<D> refill<D>(const GasSetup<D>&, const GridGeometry<D>&, int, double,    \
                                    std::uint64_t, const std::function<bool(const Point<D>&)>&, \
                                    const Particles<D>&, const ParticleBlocks<D>&);
SLOSH_INSTANTIATE(2)
SLOSH_INSTANTIATE(3)
#undef SLOSH_INSTANTIATE

}  // namespace slosh
