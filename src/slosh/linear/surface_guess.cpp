#include "slosh/linear/surface_guess.h"

#include <bit>
#include <vector>

#include "slosh/linear/cell_mask.h"
#include "slosh/linear/residual_block.h"

namespace slosh {

namespace {

template <int D>
struct SurfaceBlock {
    int b;
    CellMask<D> cells;
    std::vector<double> values;  ///< The new x of cells of one colour, in their order.
};

/// Cells of a colour in a plane: x + y + z even, or odd.
std::uint64_t colour_of_plane(int colour, int z) {
    return ((z + colour) & 1) ? 0x55aa55aa55aa55aaull : 0xaa55aa55aa55aa55ull;
}

template <int D>
std::vector<SurfaceBlock<D>> surface_blocks(const BlockSystem<D>& system) {
    const int n = system.blocks->size();
    std::vector<CellMask<D>> cells(n);
    std::vector<std::uint8_t> beside_body(n, 0);
    if (system.bodies)
        for (const auto& e : system.bodies->entries) beside_body[e.block] = 1;
    parallel_for(n, 16, [&](std::size_t i) {
        const int b = static_cast<int>(i);
        cells[i] = {};
        const CellMask<D> unknown = nonzero<D>(system.unknown.block(b));
        if (beside_body[i] || !any<D>(unknown)) return;
        cells[i] = compare<D, _CMP_GT_OQ>(system.excess.block(b), 0);
        for (int z = 0; z < kPlanes<D>; ++z) cells[i][z] &= unknown[z];
    });
    std::vector<SurfaceBlock<D>> list;
    for (int b = 0; b < n; ++b)
        if (any<D>(cells[b])) list.push_back({b, cells[b], {}});
    return list;
}

/// Calls body(y, z, cells' bits) for each row of the block with cells of the colour.
template <int D, class Body>
void for_each_row(const SurfaceBlock<D>& block, int colour, const Body& body) {
    for (int z = 0; z < kPlanes<D>; ++z) {
        const std::uint64_t plane = block.cells[z] & colour_of_plane(colour, z);
        for (int y = 0; y < kSide; ++y)
            if (const auto row = static_cast<unsigned>(plane >> (kSide * y) & 0xff))
                body(y, z, row);
    }
}

}  // namespace

template <int D>
void relax_surface(const BlockSystem<D>& system, const Field<std::uint8_t, D>& constrained,
                   Field<double, D>& x) {
    std::vector<SurfaceBlock<D>> list = surface_blocks(system);
    for (int colour = 0; colour < 2; ++colour) {
        // Rows are read eight cells at a time, so nothing is written while others look.
        parallel_for(list.size(), 4, [&](std::size_t i) {
            SurfaceBlock<D>& block = list[i];
            const ResidualBlock<D> rows(system, x, block.b, system.rhs.block(block.b));
            block.values.clear();
            for_each_row(block, colour, [&](int y, int z, unsigned bits) {
                alignas(32) double r[kSide], d[kSide];
                detail::Row diagonal;
                detail::store_row(r, rows.row(y, z, diagonal));
                detail::store_row(d, diagonal);
                for (; bits; bits &= bits - 1) {
                    const int k = std::countr_zero(bits), o = 64 * z + kSide * y + k;
                    const double value = x.block(block.b)[o] + r[k] / d[k];
                    const bool held = constrained.block(block.b)[o] && value < 0;
                    block.values.push_back(held ? 0 : value);
                }
            });
        });
        parallel_for(list.size(), 4, [&](std::size_t i) {
            const double* value = list[i].values.data();
            for_each_row(list[i], colour, [&](int y, int z, unsigned bits) {
                for (; bits; bits &= bits - 1)
                    x.block(list[i].b)[64 * z + kSide * y + std::countr_zero(bits)] = *value++;
            });
        });
    }
}

template void relax_surface<2>(const BlockSystem<2>&, const Field<std::uint8_t, 2>&,
                               Field<double, 2>&);
template void relax_surface<3>(const BlockSystem<3>&, const Field<std::uint8_t, 3>&,
                               Field<double, 3>&);

}  // namespace slosh
