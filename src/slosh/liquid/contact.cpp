#include "slosh/liquid/contact.h"

#include "slosh/surface/byte_rows.h"

namespace slosh {

template <int D>
Separation separation_of(const LiquidSetup<D>& setup) {
    if (setup.step.separation != Separation::Off) return setup.step.separation;
    for (const Solid<D>& solid : setup.solids)
        if (solid.walls == SolidWalls::Separating) return Separation::Cell;
    for (const Body<D>& body : setup.bodies)
        if (body.walls == SolidWalls::Separating) return Separation::Cell;
    return Separation::Off;
}

template <int D>
Field<std::uint8_t, D> mark_sticky_solids(const LiquidSetup<D>& setup, const SolidGrid<D>& solids,
                                          double time, const std::vector<PlacedBody<D>>& placed,
                                          const SolidFields<D>& fields) {
    constexpr float kNear = 3;  // cells; further from a solid nobody asks
    const auto differs = [](const auto& s) { return s.walls != SolidWalls::Scene; };
    if (std::none_of(setup.solids.begin(), setup.solids.end(), differs) &&
        std::none_of(setup.bodies.begin(), setup.bodies.end(), differs))
        return {};
    const bool scene_sticky = setup.step.separation == Separation::Off;
    Field<std::uint8_t, D> sticky(fields.centre.blocks_ptr());
    const Blocks<D>& blocks = sticky.blocks();
    parallel_for(blocks.size(), 4, [&](std::size_t i) {
        const int b = static_cast<int>(i);
        if (fields.block_kind[b] == kBlockOpen) return;
        for (int o = 0; o < kBlockCells<D>; ++o) {
            if (std::abs(fields.centre.block(b)[o]) > kNear) continue;
            const Index<D> cell = blocks.first_cell(b) + local_cell<D>(o);
            const Point<D> x = setup.grid.centre(cell);
            const int nearest = solids.nearest(x, time);
            SolidWalls walls = nearest < 0 ? SolidWalls::Scene : setup.solids[nearest].walls;
            double least = placed.empty() ? 0 : solids.distance(x, time);
            for (std::size_t n = 0; n < placed.size(); ++n) {
                const double distance = placed[n].distance(x);
                if (distance >= least) continue;
                least = distance;
                walls = setup.bodies[n].walls;
            }
            sticky.block(b)[o] =
                walls == SolidWalls::Scene ? scene_sticky : walls == SolidWalls::Sticky;
        }
    });
    return sticky;
}

template <int D>
void mark_pressed(const Field<std::uint8_t, D>& constrained, const Field<std::uint8_t, D>& active,
                  const SolidFields<D>& fields, Field<std::uint8_t, D>& sticky) {
    constexpr std::uint8_t kPressed = 1, kLeaving = 2;
    const BlocksPtr<D>& blocks = constrained.blocks_ptr();
    if (!sticky.blocks_ptr()) sticky = Field<std::uint8_t, D>(blocks);
    Field<std::uint8_t, D> marks(blocks);
    parallel_for(blocks->size(), 16, [&](std::size_t i) {
        const int b = static_cast<int>(i);
        if (fields.block_kind[b] == kBlockOpen) return;
        const std::uint8_t *c = constrained.block(b), *a = active.block(b);
        std::uint8_t* m = marks.block(b);
        for (int o = 0; o < kBlockCells<D>; ++o)
            m[o] = static_cast<std::uint8_t>(a[o] ? kLeaving : c[o] ? kPressed : 0);
    });
    parallel_for(blocks->size(), 16, [&](std::size_t i) {
        const int b = static_cast<int>(i);
        if (fields.block_kind[b] == kBlockOpen) return;
        Tile<std::uint8_t, D, 2> tile;
        tile.load(marks, b);
        alignas(8) std::uint8_t near[kBlockCells<D>], next[kBlockCells<D>];
        dilate<D, 2, 2>(tile, near);
        dilate<D, 2, 2>(tile, next);
        std::uint8_t* out = sticky.block(b);
        for (int o = 0; o < kBlockCells<D>; ++o)
            out[o] |= (near[o] & kPressed) && !(next[o] & kLeaving);
    });
}

#define SLOSH_INSTANTIATE(D)                                                                    \
    template Separation separation_of<D>(const LiquidSetup<D>&);                                \
    template Field<std::uint8_t, D> mark_sticky_solids<D>(                                      \
        const LiquidSetup<D>&, const SolidGrid<D>&, double, const std::vector<PlacedBody<D>>&,  \
        const SolidFields<D>&);                                                                 \
    template void mark_pressed<D>(const Field<std::uint8_t, D>&, const Field<std::uint8_t, D>&, \
                                  const SolidFields<D>&, Field<std::uint8_t, D>&);
SLOSH_INSTANTIATE(2)
SLOSH_INSTANTIATE(3)
#undef SLOSH_INSTANTIATE

}  // namespace slosh
