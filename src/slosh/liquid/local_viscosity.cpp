#include "slosh/liquid/local_viscosity.h"

#include <cmath>

#include "slosh/grid/tile.h"
#include "slosh/shape/solid_field.h"

namespace slosh {

namespace {

/// Viscosities below this count as it in the mean of their logarithms. kg/(m s)
constexpr double kThinnest = 1e-6;

/// Cells at zero take the geometric mean of their neighbours along the axes.
template <int D>
Field<float, D> filled_from_neighbours(const Field<float, D>& nu) {
    Field<float, D> out = nu;
    parallel_for(nu.blocks().size(), 8, [&](std::size_t i) {
        const int b = static_cast<int>(i);
        Tile<float, D, 1> tile;
        tile.load(nu, b);
        for_each_cell<D, 1>([&](const Index<D>&, int o, int t) {
            if (tile.v[t] > 0) return;
            double sum = 0;
            int count = 0;
            for (int d = 0; d < D; ++d)
                for (const int at : {t - tile.step(d), t + tile.step(d)})
                    if (tile.v[at] > 0) {
                        sum += std::log(tile.v[at]);
                        ++count;
                    }
            if (count > 0) out.block(b)[o] = static_cast<float>(std::exp(sum / count));
        });
    });
    return out;
}

}  // namespace

template <int D>
Field<float, D> cell_viscosity(const Particles<D>& p, const ParticleBlocks<D>& occupied,
                               double scale, const BlocksPtr<D>& blocks) {
    Field<float, D> nu(blocks);
    parallel_for(occupied.blocks->size(), 4, [&](std::size_t i) {
        const int b = static_cast<int>(i);
        const Index<D> first = occupied.blocks->first_cell(b);
        double sum[kBlockCells<D>] = {};
        int count[kBlockCells<D>] = {};
        for (std::uint32_t k = occupied.first[b]; k < occupied.first[b + 1]; ++k) {
            const int o = cell_offset<D>(floor(p.position(k)) - first);
            sum[o] += std::log(std::max<double>(p.viscosity[k], kThinnest));
            ++count[o];
        }
        float* out = nu.block(blocks->find(occupied.blocks->coord(b)));
        for (int o = 0; o < kBlockCells<D>; ++o)
            if (count[o] > 0) out[o] = static_cast<float>(scale * std::exp(sum[o] / count[o]));
    });
    return filled_from_neighbours(filled_from_neighbours(nu));
}

template <int D>
bool has_slip(const LiquidSetup<D>& setup) {
    const auto own = [](const auto& solid) { return solid.slip_length > 0; };
    return setup.step.slip_length > 0 ||
           std::any_of(setup.solids.begin(), setup.solids.end(), own) ||
           std::any_of(setup.bodies.begin(), setup.bodies.end(), own);
}

template <int D>
std::array<Field<float, D>, kPairs<D>> edge_slip(const LiquidSetup<D>& setup,
                                                 const SolidGrid<D>& solids,
                                                 const std::vector<ViscousBody<D>>& bodies,
                                                 double time, const SampleVolumes<D>& open) {
    const auto chosen = [&](double own) { return own >= 0 ? own : setup.step.slip_length; };
    std::array<Field<float, D>, kPairs<D>> slip;
    const BlocksPtr<D>& blocks = open.cell.blocks_ptr();
    for (int a = 0; a < D; ++a)
        for (int c = a + 1; c < D; ++c) {
            Field<float, D>& out = slip[pair_of(a, c)];
            out = Field<float, D>(blocks);
            parallel_for(blocks->size(), 4, [&](std::size_t i) {
                const int b = static_cast<int>(i);
                const float* w = open.edge[pair_of(a, c)].block(b);
                for (int o = 0; o < kBlockCells<D>; ++o) {
                    if (w[o] <= 0 || w[o] >= 1) continue;
                    Point<D> x = (blocks->first_cell(b) + local_cell<D>(o)).template as<double>() +
                                 Point<D>::filled(0.5);
                    x[a] -= 0.5;
                    x[c] -= 0.5;
                    x = setup.grid.to_world(x);
                    const int nearest = solids.nearest(x, time);
                    double length = chosen(nearest < 0 ? -1 : setup.solids[nearest].slip_length);
                    double least = bodies.empty() ? 0 : solids.distance(x, time);
                    for (std::size_t n = 0; n < bodies.size(); ++n) {
                        const double distance = bodies[n].placed.distance(x);
                        if (distance >= least) continue;
                        least = distance;
                        length = chosen(setup.bodies[n].slip_length);
                    }
                    out.block(b)[o] = static_cast<float>(std::min(length / setup.grid.dx, 1e6));
                }
            });
        }
    return slip;
}

#define SLOSH_INSTANTIATE(D)                                                                    \
    template Field<float, D> cell_viscosity<D>(const Particles<D>&, const ParticleBlocks<D>&,   \
                                               double, const BlocksPtr<D>&);                    \
    template bool has_slip<D>(const LiquidSetup<D>&);                                           \
    template std::array<Field<float, D>, kPairs<D>> edge_slip<D>(                               \
        const LiquidSetup<D>&, const SolidGrid<D>&, const std::vector<ViscousBody<D>>&, double, \
        const SampleVolumes<D>&);
SLOSH_INSTANTIATE(2)
SLOSH_INSTANTIATE(3)
#undef SLOSH_INSTANTIATE

}  // namespace slosh
