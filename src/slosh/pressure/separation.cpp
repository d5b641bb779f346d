#include "slosh/pressure/separation.h"

#include "slosh/base/error.h"
#include "slosh/grid/tile.h"

namespace slosh {

template <int D>
void mark_constrained(const BlockSystem<D>& system, const SolidFields<D>& solid,
                      Separation separation, Field<std::uint8_t, D>& constrained) {
    SLOSH_EXPECT(separation == Separation::Cell || separation == Separation::Node);
    parallel_for(system.blocks->size(), 8, [&](std::size_t block) {
        const int b = static_cast<int>(block);
        std::uint8_t* out = constrained.block(b);
        std::fill_n(out, kBlockCells<D>, 0);
        if (solid.block_kind[b] == kBlockOpen) return;
        const std::uint8_t* unknown = system.unknown.block(b);
        if (separation == Separation::Node) {
            const float* centre = solid.centre.block(b);
            for (int o = 0; o < kBlockCells<D>; ++o) out[o] = unknown[o] && centre[o] < 0;
            return;
        }
        for (int d = 0; d < D; ++d) {
            Tile<float, D, 1> open;
            open.load(solid.open.axis(d), b);
            const int step = Tile<float, D, 1>::step(d);
            for_each_cell<D, 1>([&](const Index<D>&, int o, int t) {
                out[o] |= unknown[o] && (open.v[t] < 1 || open.v[t + step] < 1);
            });
        }
    });
}

template void mark_constrained<2>(const BlockSystem<2>&, const SolidFields<2>&, Separation,
                                  Field<std::uint8_t, 2>&);
template void mark_constrained<3>(const BlockSystem<3>&, const SolidFields<3>&, Separation,
                                  Field<std::uint8_t, 3>&);

}  // namespace slosh
