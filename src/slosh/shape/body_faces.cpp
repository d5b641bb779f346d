#include "slosh/shape/body_faces.h"

#include "slosh/shape/solid_nodes.h"

namespace slosh {

template <int D>
BodyNodes<D>::BodyNodes(const GridGeometry<D>& grid, const Index<D>& first_cell, Fractions kind,
                        const NearBodies<D>& near, NodeTile<D>& phi)
    : first(first_cell), bodies(near) {
    std::fill(std::begin(owner), std::end(owner), std::int16_t(-1));
    for_each_node<D>(first_node(kind), [&](const Index<D>& local, int t) {
        const Point<D> x = grid.node(first + local);
        for (std::size_t k = 0; k < bodies.list.size(); ++k) {
            const float d = kept(bodies.list[k].second->distance(x) / grid.dx);
            if (d >= phi.v[t]) continue;
            phi.v[t] = d;
            owner[t] = static_cast<std::int16_t>(k);
        }
    });
}

namespace {

/// What each body alone would close of the faces of a block.
template <int D>
std::vector<BlockFractions<D>> alone(const GridGeometry<D>& grid, const BodyNodes<D>& nodes,
                                     Fractions kind) {
    std::vector<BlockFractions<D>> open(nodes.bodies.list.size());
    for (std::size_t k = 0; k < open.size(); ++k) {
        NodeTile<D> phi;
        std::fill(std::begin(phi.v), std::end(phi.v), kSolidBand);
        for_each_node<D>(first_node(kind), [&](const Index<D>& local, int t) {
            const Point<D> x = grid.node(nodes.first + local);
            phi.v[t] = kept(nodes.bodies.list[k].second->distance(x) / grid.dx);
        });
        block_fractions(phi, kind, open[k]);
    }
    return open;
}

/// The corner of a lower face that is nearest to a solid.
template <int D>
int nearest_corner(const NodeTile<D>& phi, int t, int axis) {
    int nearest = t;
    for (int c = 1; c < kChildren<D>; ++c) {
        if (c >> axis & 1) continue;
        int corner = t;
        for (int d = 0; d < D; ++d) corner += (c >> d & 1) * NodeTile<D>::step(d);
        if (phi.v[corner] < phi.v[nearest]) nearest = corner;
    }
    return nearest;
}

}  // namespace

template <int D>
void write_bodies(const GridGeometry<D>& grid, const BodyNodes<D>& nodes, const NodeTile<D>& phi,
                  const BlockFractions<D>& without, const BlockFractions<D>& with, Fractions kind,
                  int b, SolidFields<D>& out) {
    const auto& list = nodes.bodies.list;
    std::vector<BlockFractions<D>> open;
    if (list.size() > 1) open = alone(grid, nodes, kind);
    for_each_cell<D, 1>([&](const Index<D>& local, int o, int t) {
        for (int axis = 0; axis < D; ++axis) {
            float& velocity = out.velocity.axis(axis).block(b)[o];
            const int owner = nodes.owner[nearest_corner<D>(phi, t, axis)];
            const Point<D> x = grid.face(axis, nodes.first + local);
            const double share = double(without.open[axis][o]) - with.open[axis][o];
            if (share <= 0) {
                // What another solid closes moves with that one, however near the body is.
                if (owner >= 0 && with.open[axis][o] == 1)
                    velocity = static_cast<float>(list[owner].second->velocity_at(x)[axis]);
                continue;
            }
            double closed = 0;  // by all bodies, each alone
            for (const auto& k : open) closed += 1 - k.open[axis][o];
            double flux = (1 - double(without.open[axis][o])) * velocity;
            for (std::size_t k = 0; k < list.size(); ++k) {
                double part = share;
                if (list.size() > 1)
                    part *= closed > 0 ? (1 - open[k].open[axis][o]) / closed
                                       : (owner == static_cast<int>(k) ? 1 : 0);
                const float kept_part = static_cast<float>(part);
                if (!(kept_part > 0)) continue;
                nodes.bodies.faces->push_back({b, o, axis, list[k].first, kept_part});
                flux += kept_part * list[k].second->velocity_at(x)[axis];
            }
            velocity = static_cast<float>(flux / (1 - double(with.open[axis][o])));
        }
    });
}

#define SLOSH_INSTANTIATE(D)                                                                       \
    template struct BodyNodes<D>;                                                                  \
    template void write_bodies<D>(const GridGeometry<D>&, const BodyNodes<D>&, const NodeTile<D>&, \
                                  const BlockFractions<D>&, const BlockFractions<D>&, Fractions,   \
                                  int, SolidFields<D>&);
SLOSH_INSTANTIATE(2)
SLOSH_INSTANTIATE(3)
#undef SLOSH_INSTANTIATE

}  // namespace slosh
