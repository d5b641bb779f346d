#include "slosh/pressure/separation.h"

#include "slosh/grid/tile.h"
#include "slosh/linear/cell_mask.h"

namespace slosh {

namespace {

/// Unknowns that some face less than fully open touches.
template <int D>
void mark_touched(const SolidFields<D>& solid, int b, const std::uint8_t* unknown,
                  std::uint8_t* out) {
    CellMask<D> touched = nonzero<D>(unknown);
    if (!any<D>(touched)) return;
    const CellMask<D> closed = compare_faces<D, _CMP_LT_OQ>(solid.open, b, 1);
    for (int z = 0; z < kPlanes<D>; ++z) touched[z] &= closed[z];
    store_marks<D>(touched, out);
}

/// Liquid-centred unknowns with a closed face, none of whose face neighbours is a solid-centred
/// unknown.
template <int D>
void mark_closed(const SolidFields<D>& solid, const Tile<std::uint8_t, D, 1>& unknown,
                 const Tile<float, D, 1>& centre, int b, std::uint8_t* out) {
    std::uint8_t closed[kBlockCells<D>] = {};
    for (int d = 0; d < D; ++d) {
        Tile<float, D, 1> open;
        open.load(solid.open.axis(d), b);
        const int step = Tile<float, D, 1>::step(d);
        for_each_cell<D, 1>([&](const Index<D>&, int o, int t) {
            closed[o] |= open.v[t] == 0 || open.v[t + step] == 0;
        });
    }
    for_each_cell<D, 1>([&](const Index<D>&, int o, int t) {
        if (!closed[o] || !unknown.v[t] || centre.v[t] < 0) return;
        bool behind = false;
        for (int d = 0; d < D; ++d)
            for (int s : {-Tile<float, D, 1>::step(d), Tile<float, D, 1>::step(d)})
                behind |= unknown.v[t + s] && centre.v[t + s] < 0;
        out[o] |= !behind;
    });
}

}  // namespace

template <int D>
void mark_constrained(const BlockSystem<D>& system, const SolidFields<D>& solid,
                      Separation separation, Field<std::uint8_t, D>& constrained) {
    parallel_for(system.blocks->size(), 8, [&](std::size_t block) {
        const int b = static_cast<int>(block);
        std::uint8_t* out = constrained.block(b);
        std::fill_n(out, kBlockCells<D>, 0);
        if (separation == Separation::Off || solid.block_kind[b] == kBlockOpen) return;
        if (separation == Separation::Cell)
            return mark_touched(solid, b, system.unknown.block(b), out);
        Tile<std::uint8_t, D, 1> unknown;
        Tile<float, D, 1> centre;
        unknown.load(system.unknown, b);
        centre.load(solid.centre, b);
        mark_closed(solid, unknown, centre, b, out);
        if (separation == Separation::Node)
            for_each_cell<D, 1>(
                [&](const Index<D>&, int o, int t) { out[o] |= unknown.v[t] && centre.v[t] < 0; });
    });
}

template <int D>
std::vector<CutEdge> find_cut_edges(const BlockSystem<D>& system, const SolidFields<D>& solid) {
    constexpr float kLeast = 1e-3f;  // a wall nearer to a centre is taken to be here
    std::vector<std::vector<CutEdge>> found(system.blocks->size());
    parallel_for(system.blocks->size(), 8, [&](std::size_t block) {
        const int b = static_cast<int>(block);
        if (solid.block_kind[b] == kBlockOpen) return;
        Tile<float, D, 1> s;
        s.load(solid.centre, b);
        for (int d = 0; d < D; ++d) {
            const float* c = system.coefficient.axis(d).block(b);
            const int step = Tile<float, D, 1>::step(d);
            for_each_cell<D, 1>([&](const Index<D>&, int o, int t) {
                const float here = s.v[t], below = s.v[t - step];
                if (!(c[o] > 0) || (here < 0) == (below < 0)) return;
                const float liquid = std::max(here, below), depth = std::min(here, below);
                const float theta = std::clamp(liquid / (liquid - depth), kLeast, 1 - kLeast);
                found[b].push_back({b, o, d, below >= 0, theta});
            });
        }
    });
    std::vector<CutEdge> edges;
    for (const auto& list : found) edges.insert(edges.end(), list.begin(), list.end());
    return edges;
}

template <int D>
void subtract_cut_gradient(const std::vector<CutEdge>& edges,
                           const std::vector<std::uint8_t>& released, const Field<double, D>& q,
                           FaceField<float, D>& u) {
    const Blocks<D>& blocks = q.blocks();
    for (std::size_t k = 0; k < edges.size(); ++k) {
        if (!released[k]) continue;
        const CutEdge& e = edges[k];
        const Index<D> cell = blocks.first_cell(e.block) + local_cell<D>(e.offset);
        const double here = q.block(e.block)[e.offset], below = q.get(cell - unit<D>(e.axis));
        const double wanted = e.liquid_below ? -below / e.theta : here / e.theta;
        float& v = u.axis(e.axis).block(e.block)[e.offset];
        v = static_cast<float>(v + (here - below) - wanted);
    }
}

template std::vector<CutEdge> find_cut_edges<2>(const BlockSystem<2>&, const SolidFields<2>&);
template std::vector<CutEdge> find_cut_edges<3>(const BlockSystem<3>&, const SolidFields<3>&);
template void subtract_cut_gradient<2>(const std::vector<CutEdge>&,
                                       const std::vector<std::uint8_t>&, const Field<double, 2>&,
                                       FaceField<float, 2>&);
template void subtract_cut_gradient<3>(const std::vector<CutEdge>&,
                                       const std::vector<std::uint8_t>&, const Field<double, 3>&,
                                       FaceField<float, 3>&);
template void mark_constrained<2>(const BlockSystem<2>&, const SolidFields<2>&, Separation,
                                  Field<std::uint8_t, 2>&);
template void mark_constrained<3>(const BlockSystem<3>&, const SolidFields<3>&, Separation,
                                  Field<std::uint8_t, 3>&);

}  // namespace slosh
