// Particles and topologies for the tests of surface/.
#pragma once

#include <algorithm>
#include <cmath>
#include <map>
#include <vector>

#include "common.h"
#include "slosh/base/hash.h"
#include "slosh/grid/field.h"
#include "slosh/particles/particles.h"

namespace slosh::test {

/// Particles in block order with their blocks, and a topology that holds them and all neighbours.
template <int D>
struct Cloud {
    Particles<D> particles;
    ParticleBlocks<D> blocks;
    BlocksPtr<D> topology;
};

template <int D>
BlocksPtr<D> with_neighbours(const Blocks<D>& blocks) {
    std::vector<Index<D>> coords;
    for (int b = 0; b < blocks.size(); ++b)
        for (int code = 0; code < kNeighbours<D>; ++code)
            coords.push_back(blocks.coord(b) + neighbour_offset<D>(code));
    return std::make_shared<const Blocks<D>>(coords);
}

template <int D>
Cloud<D> cloud_of(const std::vector<Point<D>>& points) {
    Cloud<D> cloud;
    std::vector<Index<D>> coords;
    auto block_at = [](const Point<D>& x) {
        Index<D> cell;
        // as float: a particle belongs to the block its stored position lies in
        for (int d = 0; d < D; ++d)
            cell[d] = static_cast<int>(std::floor(static_cast<float>(x[d])));
        return block_of(cell);
    };
    for (const auto& x : points) coords.push_back(block_at(x));
    cloud.blocks.blocks = std::make_shared<const Blocks<D>>(coords);
    std::vector<std::vector<std::size_t>> members(cloud.blocks.blocks->size());
    for (std::size_t i = 0; i < points.size(); ++i)
        members[cloud.blocks.blocks->find(coords[i])].push_back(i);
    for (int d = 0; d < D; ++d) {
        cloud.particles.x[d].resize(points.size());
        cloud.particles.v[d].resize(points.size());
    }
    cloud.particles.id.resize(points.size());
    std::uint32_t n = 0;
    for (const auto& list : members) {
        cloud.blocks.first.push_back(n);
        for (std::size_t i : list) {
            for (int d = 0; d < D; ++d) cloud.particles.x[d][n] = static_cast<float>(points[i][d]);
            cloud.particles.id[n] = n;
            ++n;
        }
    }
    cloud.blocks.first.push_back(n);
    cloud.topology = with_neighbours<D>(*cloud.blocks.blocks);
    return cloud;
}

/// Jittered seeds, 2 an axis and cell, where inside(x) says so, in the cells lo .. hi-1.
template <int D, class Inside>
std::vector<Point<D>> seeds(const Index<D>& lo, const Index<D>& hi, double jitter, int seed,
                            const Inside& inside) {
    std::vector<Point<D>> points;
    std::uint64_t id = 0;
    for (int z = D == 3 ? 2 * lo[D - 1] : 0; z < (D == 3 ? 2 * hi[D - 1] : 1); ++z)
        for (int y = 2 * lo[1]; y < 2 * hi[1]; ++y)
            for (int x = 2 * lo[0]; x < 2 * hi[0]; ++x, ++id) {
                const int at[3] = {x, y, z};
                Point<D> p;
                for (int d = 0; d < D; ++d)
                    p[d] = 0.5 * (at[d] + 0.5 + jitter * (hash_uniform(seed, id, d) - 0.5));
                if (inside(p)) points.push_back(p);
            }
    return points;
}

/// All blocks that touch the cells lo .. hi-1.
template <int D>
BlocksPtr<D> box_topology(const Index<D>& lo, const Index<D>& hi) {
    std::vector<Index<D>> coords;
    const Index<D> a = block_of(lo), b = block_of(hi - Index<D>::filled(1));
    for (int z = D == 3 ? a[D - 1] : 0; z <= (D == 3 ? b[D - 1] : 0); ++z)
        for (int y = a[1]; y <= b[1]; ++y)
            for (int x = a[0]; x <= b[0]; ++x) {
                Index<D> c;
                c[0] = x;
                c[1] = y;
                if constexpr (D == 3) c[2] = z;
                coords.push_back(c);
            }
    return std::make_shared<const Blocks<D>>(coords);
}

/// A field of f(grid point of the cell's sample), samples at i + shift.
template <int D, class F>
Field<float, D> sampled(const BlocksPtr<D>& blocks, float background, double shift, const F& f) {
    Field<float, D> field(blocks, background);
    parallel_for(blocks->size(), [&](std::size_t i) {
        const int b = static_cast<int>(i);
        for (int o = 0; o < kBlockCells<D>; ++o) {
            const Index<D> c = blocks->first_cell(b) + local_cell<D>(o);
            field.block(b)[o] =
                static_cast<float>(f(c.template as<double>() + Point<D>::filled(shift)));
        }
    });
    return field;
}

/// Mean and deviation of the heights at which phi crosses zero along grid edges near a plane
/// n.x = h, for crossings whose cells lie in the open box lo .. hi.
template <int D>
struct Flatness {
    double mean = 0, deviation = 0, worst = 0;
    int crossings = 0;
};
template <int D>
Flatness<D> flatness(const Field<float, D>& phi, const Point<D>& n, double h, const Index<D>& lo,
                     const Index<D>& hi) {
    std::vector<double> e;
    for (int b = 0; b < phi.blocks().size(); ++b)
        for (int o = 0; o < kBlockCells<D>; ++o) {
            const Index<D> c = phi.blocks().first_cell(b) + local_cell<D>(o);
            bool in = true;
            for (int d = 0; d < D; ++d) in = in && c[d] >= lo[d] && c[d] + 1 < hi[d];
            if (!in) continue;
            for (int d = 0; d < D; ++d) {
                const double p = phi.get(c), q = phi.get(c + unit<D>(d));
                if ((p < 0) == (q < 0)) continue;
                Point<D> x = c.template as<double>() + Point<D>::filled(0.5);
                x[d] += p / (p - q);
                e.push_back(dot(n, x) - h);
            }
        }
    Flatness<D> f;
    f.crossings = static_cast<int>(e.size());
    for (double v : e) f.mean += v / static_cast<double>(e.size());
    for (double v : e) {
        f.deviation += (v - f.mean) * (v - f.mean) / static_cast<double>(e.size());
        f.worst = std::max(f.worst, std::abs(v - f.mean));
    }
    f.deviation = std::sqrt(f.deviation);
    return f;
}

}  // namespace slosh::test
