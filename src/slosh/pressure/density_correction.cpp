#include "slosh/pressure/density_correction.h"

#include "slosh/grid/tile.h"

namespace slosh {

namespace {
/// What the multilinear kernel centred at a cell counts of evenly spread particles: it weighs the
/// cell itself 3/4 and its neighbours 1/8 along each axis.
template <int D>
float expected_share(const Tile<float, D, 1>& open, int t) {
    constexpr float kWeight[3] = {0.125f, 0.75f, 0.125f};
    float sum = 0;
    for (int code = 0; code < kNeighbours<D>; ++code) {
        const Index<D> o = neighbour_offset<D>(code);
        float w = 1;
        int at = t;
        for (int d = 0; d < D; ++d) {
            w *= kWeight[o[d] + 1];
            at += o[d] * Tile<float, D, 1>::step(d);
        }
        sum += w * open.v[at];
    }
    return sum;
}
/// Share of the kernel's weight that lies in the liquid, for a flat surface `depth` cells above the
/// cell's centre: the kernel falls linearly to zero at one cell.
float liquid_share(float depth) {
    const float above = std::clamp(1 - depth, 0.0f, 1.0f);
    return 1 - 0.5f * above * above;
}

/// Whether liquid at least a cell deep is next to the cell: only then is the surface near it flat
/// enough for a low density to mean anything (a thin sheet always looks thin).
template <int D>
bool is_thick(const Tile<float, D, 1>& phi, int t) {
    bool deep = phi.v[t] < -1;
    for (int d = 0; d < D; ++d) {
        const int step = Tile<float, D, 1>::step(d);
        deep |= phi.v[t - step] < -1 || phi.v[t + step] < -1;
    }
    return deep;
}

/// Whether the cell or a face neighbour is marked.
template <int D>
bool touches(const Tile<std::uint8_t, D, 1>& marks, int t) {
    bool any = marks.v[t];
    for (int d = 0; d < D; ++d) {
        const int step = Tile<std::uint8_t, D, 1>::step(d);
        any |= marks.v[t - step] || marks.v[t + step];
    }
    return any;
}
}  // namespace

template <int D>
void assemble_density_rhs(const Field<float, D>& density, double rest, const Field<float, D>& phi,
                          const SolidFields<D>& solid, const DensityOptions& options,
                          BlockSystem<D>& system, const Field<std::uint8_t, D>* released) {
    constexpr float kSmallestShare = 0.1f;  // of a cell; less open than this says nothing
    parallel_for(system.blocks->size(), 4, [&](std::size_t block) {
        const int b = static_cast<int>(block);
        const std::uint8_t* unknown = system.unknown.block(b);
        double* rhs = system.rhs.block(b);
        std::fill_n(rhs, kBlockCells<D>, 0.0);
        if (!has_unknowns(system, b)) return;
        const bool free_block = solid.block_kind[b] == 0;
        Tile<float, D, 1> open;
        if (!free_block) open.load(solid.cell_open, b);
        Tile<std::uint8_t, D, 1> gap;
        if (released) gap.load(*released, b);
        const float* n = density.block(b);
        Tile<float, D, 1> p;
        p.load(phi, b);
        for_each_cell<D, 1>([&](const Index<D>&, int o, int t) {
            if (!unknown[o]) return;
            const double share = free_block ? 1.0 : expected_share<D>(open, t);
            if (share < kSmallestShare) return;
            double e = n[o] / (rest * share * liquid_share(-p.v[t])) - 1;
            if (e < 0 && (!is_thick<D>(p, t) || (released && touches<D>(gap, t)))) e = 0;
            e = std::clamp(e, -options.max_error, options.max_error);
            e = e > 0 ? std::max(e - options.ignored, 0.0) : std::min(e + options.ignored, 0.0);
            rhs[o] = options.strength * e * (free_block ? 1.0 : open.v[t]);
        });
    });
}

template <int D>
void limit_displacement(double limit, FaceField<float, D>& displacement) {
    const float l = static_cast<float>(limit);
    for (int d = 0; d < D; ++d)
        parallel_for(displacement.blocks().size(), 16, [&](std::size_t b) {
            float* v = displacement.axis(d).block(static_cast<int>(b));
            for (int o = 0; o < kBlockCells<D>; ++o) v[o] = std::clamp(v[o], -l, l);
        });
}

#define SLOSH_INSTANTIATE(D)                                                                     \
    template void assemble_density_rhs<D>(const Field<float, D>&, double, const Field<float, D>&, \
                                          const SolidFields<D>&, const DensityOptions&,          \
                                          BlockSystem<D>&, const Field<std::uint8_t, D>*);       \
    template void limit_displacement<D>(double, FaceField<float, D>&);
SLOSH_INSTANTIATE(2)
SLOSH_INSTANTIATE(3)
#undef SLOSH_INSTANTIATE

}  // namespace slosh
