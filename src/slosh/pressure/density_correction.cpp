#include "slosh/pressure/density_correction.h"

#include <optional>

#include "slosh/grid/tile.h"
#include "slosh/linear/cell_mask.h"

namespace slosh {

namespace {
// All of these do a row of eight cells, the first of them at t in the tiles.

/// What the multilinear kernel centred at a cell counts of evenly spread particles: it weighs the
/// cell itself 3/4 and its neighbours 1/8 along each axis. Of a whole block: first along x, then y,
/// then z.
template <int D>
class ExpectedShares {
public:
    explicit ExpectedShares(const Tile<float, D, 1>& open) {
        using T = Tile<float, D, 1>;
        constexpr int kDeep = D == 3 ? T::kStride : 1;
        float along_x[kDeep][T::kStride][kSide];
        for (int z = 0; z < kDeep; ++z)
            for (int y = 0; y < T::kStride; ++y) {
                const float* row = open.v + (z * T::kStride + y) * T::kStride;
                weigh(row, row + 1, row + 2, along_x[z][y]);
            }
        for (int z = 0; z < kDeep; ++z)
            for (int y = 0; y < kSide; ++y)
                weigh(along_x[z][y], along_x[z][y + 1], along_x[z][y + 2], along_y_[z][y]);
    }
    void row(int o, float (&share)[kSide]) const {
        const int y = o / kSide % kSide, z = o / (kSide * kSide);
        if constexpr (D == 3)
            weigh(along_y_[z][y], along_y_[z + 1][y], along_y_[z + 2][y], share);
        else
            std::copy_n(along_y_[z][y], kSide, share);
    }

private:
    static void weigh(const float* before, const float* here, const float* after, float* sum) {
        for (int x = 0; x < kSide; ++x) sum[x] = 0.125f * (before[x] + after[x]) + 0.75f * here[x];
    }

    float along_y_[D == 3 ? kSide + 2 : 1][kSide][kSide];
};

/// Share of the kernel's weight that lies in the liquid, for a flat surface at distance phi: the
/// kernel falls linearly to zero at one cell.
void liquid_shares(const float* phi, float (&share)[kSide]) {
    for (int x = 0; x < kSide; ++x) {
        const float depth = -phi[x];
        const float above = depth > 1 ? 0.0f : depth < 0 ? 1.0f : 1 - depth;
        share[x] = 1 - 0.5f * above * above;
    }
}

/// Cells that are marked or next to one that is; marks(block) gives those of a block.
template <int D, class Marks>
CellMask<D> dilated(const Blocks<D>& blocks, int b, const Marks& marks) {
    const CellMask<D> own = marks(b);
    CellMask<D> all = own;
    for (int axis = 0; axis < D; ++axis) {
        const int below = blocks.neighbour(b, face_code<D>(2 * axis)),
                  above = blocks.neighbour(b, face_code<D>(2 * axis + 1));
        const CellMask<D> lower = from_below<D>(own, marks(below), axis);
        const CellMask<D> upper = from_above<D>(own, marks(above), axis);
        for (int z = 0; z < kPlanes<D>; ++z) all[z] |= lower[z] | upper[z];
    }
    return all;
}

/// Cells with liquid at least a cell deep next to them: only then is the surface near a cell flat
/// enough for a low density to mean anything (a thin sheet always looks thin). Nor does it mean
/// anything in or next to a gap.
template <int D>
CellMask<D> find_flat(const Field<float, D>& phi, const Field<std::uint8_t, D>* gap, int b) {
    CellMask<D> flat = dilated<D>(
        phi.blocks(), b, [&](int at) { return compare<D, _CMP_LT_OQ>(phi.block(at), -1); });
    if (!gap) return flat;
    const CellMask<D> open =
        dilated<D>(phi.blocks(), b, [&](int at) { return nonzero<D>(gap->block(at)); });
    for (int z = 0; z < kPlanes<D>; ++z) flat[z] &= ~open[z];
    return flat;
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
        std::optional<ExpectedShares<D>> shares;
        if (!free_block) {
            Tile<float, D, 1> open;
            open.load(solid.cell_open, b);
            shares.emplace(open);
        }
        const CellMask<D> flat = find_flat<D>(phi, near_gap[b] ? released : nullptr, b);
        for (int o = 0; o < kBlockCells<D>; o += kSide) {
            float share[kSide], liquid[kSide], cell_open[kSide];
            std::fill_n(share, kSide, 1.0f);
            std::fill_n(cell_open, kSide, 1.0f);
            if (!free_block) {
                shares->row(o, share);
                std::copy_n(solid.cell_open.block(b) + o, kSide, cell_open);
            }
            liquid_shares(phi.block(b) + o, liquid);
            alignas(32) int may[kSide];  // be low: -1, or 0
            _mm256_store_si256(
                reinterpret_cast<__m256i*>(may),
                _mm256_castps_si256(lanes_of(row_of(flat[o / 64], o / kSide % kSide))));
            // Without a branch: nobody can guess which cells say something.
            for (int x = 0; x < kSide; ++x) {
                const double error = n[o + x] / (rest * share[x] * liquid[x]) - 1;
                const double e = (error < 0) & !may[x] ? 0 : error;
                const int says = (unknown[o + x] != 0) & (share[x] >= kSmallestShare);
                const double value = corrected(e, options) * cell_open[x];
                rhs[o + x] = says ? value : 0;
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
