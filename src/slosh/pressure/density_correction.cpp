#include "slosh/pressure/density_correction.h"

#include "slosh/grid/cell_mask.h"
#include "slosh/grid/tile.h"

namespace slosh {

namespace {
// All of these do a row of eight cells, the first of them at t in the tiles.

/// What the multilinear kernel centred at a cell counts of evenly spread particles: it weighs the
/// cell itself 3/4 and its neighbours 1/8 along each axis.
template <int D>
void expected_shares(const Tile<float, D, 1>& open, int t, float (&share)[kSide]) {
    constexpr float kWeight[3] = {0.125f, 0.75f, 0.125f};
    std::fill_n(share, kSide, 0.0f);
    for (int code = 0; code < kNeighbours<D>; ++code) {
        const Index<D> o = neighbour_offset<D>(code);
        float w = 1;
        int at = t;
        for (int d = 0; d < D; ++d) {
            w *= kWeight[o[d] + 1];
            at += o[d] * Tile<float, D, 1>::step(d);
        }
        for (int x = 0; x < kSide; ++x) share[x] += w * open.v[at + x];
    }
}
/// Share of the kernel's weight that lies in the liquid, for a flat surface at distance phi: the
/// kernel falls linearly to zero at one cell.
void liquid_shares(const float* phi, float (&share)[kSide]) {
    for (int x = 0; x < kSide; ++x) {
        const float depth = -phi[x];
        const float above = depth > 1 ? 0.0f : depth < 0 ? 1.0f : 1 - depth;
        share[x] = 1 - 0.5f * above * above;
    }
}

/// Whether liquid at least a cell deep is next to the cell: only then is the surface near it flat
/// enough for a low density to mean anything (a thin sheet always looks thin). Nor does it mean
/// anything in or next to a gap.
template <int D>
void may_be_low(const Tile<float, D, 1>& phi, const Tile<std::uint8_t, D, 1>* gap, int t,
                int (&may)[kSide]) {
    const auto deep = [&](int at) { return phi.v[at] < -1; };
    for (int x = 0; x < kSide; ++x) may[x] = deep(t + x);
    for (int d = 0; d < D; ++d)
        for (const int step : {-Tile<float, D, 1>::step(d), Tile<float, D, 1>::step(d)})
            for (int x = 0; x < kSide; ++x) may[x] |= deep(t + step + x);
    if (!gap) return;
    for (int x = 0; x < kSide; ++x) may[x] &= !gap->v[t + x];
    for (int d = 0; d < D; ++d)
        for (const int step : {-Tile<float, D, 1>::step(d), Tile<float, D, 1>::step(d)})
            for (int x = 0; x < kSide; ++x) may[x] &= !gap->v[t + step + x];
}

/// Whether a block lies a cell deep in the liquid.
template <int D>
bool is_deep(const float* phi) {
    int all = 1;
    for (int o = 0; o < kBlockCells<D>; ++o) all &= phi[o] < -1;
    return all;
}

/// Blocks that are in or beside one with a mark.
template <int D>
std::vector<std::uint8_t> blocks_near(const Field<std::uint8_t, D>& marks) {
    const Blocks<D>& blocks = marks.blocks();
    std::vector<std::uint8_t> some(static_cast<std::size_t>(blocks.size()) + 1), near(some.size());
    parallel_for(some.size(), 32, [&](std::size_t b) {
        some[b] = any_nonzero<D>(marks.block(static_cast<int>(b)));
    });
    parallel_for(blocks.size(), 64, [&](std::size_t b) {
        for (int n : blocks.neighbours(static_cast<int>(b))) near[b] |= some[n];
    });
    return near;
}

/// The part of an error that is corrected; without a branch, since errors have either sign.
inline double corrected(double e, const DensityOptions& options) {
    e = e < -options.max_error ? -options.max_error : e;
    e = e > options.max_error ? options.max_error : e;
    const double above = e - options.ignored, below = e + options.ignored;
    return options.strength * ((above > 0 ? above : 0) + (below < 0 ? below : 0));
}

}  // namespace

template <int D>
void assemble_density_rhs(const Field<float, D>& density, double rest, const Field<float, D>& phi,
                          const SolidFields<D>& solid, const DensityOptions& given,
                          BlockSystem<D>& system, const Field<std::uint8_t, D>* released) {
    constexpr float kSmallestShare = 0.1f;  // of a cell; less open than this says nothing
    std::vector<std::uint8_t> near_gap(system.blocks->size(), 0);
    if (released) near_gap = blocks_near(*released);
    parallel_for(system.blocks->size(), 4, [&](std::size_t block) {
        const int b = static_cast<int>(block);
        const DensityOptions options = given;  // which no store to rhs can change
        const std::uint8_t* unknown = system.unknown.block(b);
        double* rhs = system.rhs.block(b);
        if (!has_unknowns(system, b)) {
            std::fill_n(rhs, kBlockCells<D>, 0.0);
            return;
        }
        const bool free_block = solid.block_kind[b] == kBlockOpen;
        const float* n = density.block(b);
        if (free_block && !near_gap[b] && is_deep<D>(phi.block(b))) {
            for (int o = 0; o < kBlockCells<D>; ++o)
                rhs[o] = unknown[o] ? corrected(n[o] / rest - 1, options) : 0;
            return;
        }
        Tile<float, D, 1> open;
        if (!free_block) open.load(solid.cell_open, b);
        Tile<std::uint8_t, D, 1> gap;
        if (near_gap[b]) gap.load(*released, b);
        Tile<float, D, 1> p;
        p.load(phi, b);
        for (int o = 0; o < kBlockCells<D>; o += kSide) {
            const int t = Tile<float, D, 1>::offset(local_cell<D>(o));
            float share[kSide], liquid[kSide], cell_open[kSide];
            std::fill_n(share, kSide, 1.0f);
            std::fill_n(cell_open, kSide, 1.0f);
            if (!free_block) {
                expected_shares<D>(open, t, share);
                std::copy_n(open.v + t, kSide, cell_open);
            }
            liquid_shares(p.v + t, liquid);
            int may[kSide];
            may_be_low<D>(p, near_gap[b] ? &gap : nullptr, t, may);
            for (int x = 0; x < kSide; ++x) {
                double e = n[o + x] / (rest * share[x] * liquid[x]) - 1;
                e = e < 0 && !may[x] ? 0 : e;
                const bool says = unknown[o + x] && share[x] >= kSmallestShare;
                rhs[o + x] = says ? corrected(e, options) * cell_open[x] : 0;
            }
        }
    });
}

template <int D>
void limit_displacement(double limit, FaceField<float, D>& displacement) {
    const float l = static_cast<float>(limit);
    for (int d = 0; d < D; ++d)
        parallel_for(displacement.blocks().size(), 16, [&](std::size_t b) {
            float* v = displacement.axis(d).block(static_cast<int>(b));
            // Few blocks hold anything to cut: the others are only read.
            int cut = 0;
            for (int o = 0; o < kBlockCells<D>; ++o) cut |= (v[o] < -l) | (v[o] > l);
            if (!cut) return;
            for (int o = 0; o < kBlockCells<D>; ++o) v[o] = std::clamp(v[o], -l, l);
        });
}

#define SLOSH_INSTANTIATE(D)                                                                      \
    template void assemble_density_rhs<D>(const Field<float, D>&, double, const Field<float, D>&, \
                                          const SolidFields<D>&, const DensityOptions&,           \
                                          BlockSystem<D>&, const Field<std::uint8_t, D>*);        \
    template void limit_displacement<D>(double, FaceField<float, D>&);
SLOSH_INSTANTIATE(2)
SLOSH_INSTANTIATE(3)
#undef SLOSH_INSTANTIATE

}  // namespace slosh
