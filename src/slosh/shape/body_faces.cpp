#include "slosh/shape/body_faces.h"

#include "slosh/shape/solid_nodes.h"

namespace slosh {

template <int D>
BodyTile<D>::BodyTile(const GridGeometry<D>& grid, const PlacedBody<D>& body, const Index<D>& first,
                      Fractions kind)
    : least(kSolidBand) {
    std::fill(std::begin(phi.v), std::end(phi.v), kSolidBand);
    // Octant by octant: distances change no faster than position, so one look at the middle tells
    // whether any node comes within the band.
    constexpr int kHalf = kSide / 2;
    for (int octant = 0; octant < kChildren<D>; ++octant) {
        Index<D> lo, hi;
        double reach = 0;
        for (int d = 0; d < D; ++d) {
            const bool up = octant >> d & 1;
            lo[d] = up ? kHalf + 1 : first_node(kind);
            hi[d] = up ? kSide : kHalf;
            reach += 0.25 * (hi[d] - lo[d]) * (hi[d] - lo[d]);
        }
        reach = std::sqrt(reach) + kSolidBand + 1e-3;
        const Point<D> middle =
            first.template as<double>() + (lo + hi).template as<double>() * 0.5;
        const double there = body.distance(grid.to_world(middle)) / grid.dx;
        if (there > reach) continue;
        for_each_node<D>(lo, hi, [&](const Index<D>& local, int t) {
            phi.v[t] = there < -reach
                           ? -kSolidBand
                           : kept(body.distance(grid.node(first + local)) / grid.dx);
            least = std::min(least, phi.v[t]);
        });
    }
    if (least > 0) return;
    open = std::make_unique<BlockFractions<D>>();
    block_fractions(phi, kind, *open);
}

template <int D>
BodyNodes<D>::BodyNodes(const Index<D>& first_cell, Fractions kind, const NearBodies<D>& near,
                        NodeTile<D>& phi)
    : first(first_cell), bodies(near) {
    std::fill(std::begin(owner), std::end(owner), std::int16_t(-1));
    for_each_node<D>(first_node(kind), [&](const Index<D>&, int t) {
        for (std::size_t k = 0; k < bodies.list.size(); ++k) {
            const float d = bodies.list[k].tile->phi.v[t];
            if (d >= phi.v[t]) continue;
            phi.v[t] = d;
            owner[t] = static_cast<std::int16_t>(k);
        }
    });
}

namespace {

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
                  int b, BlockFractions<D>& fractions, SolidFields<D>& out) {
    const auto& list = nodes.bodies.list;
    std::vector<const BlockFractions<D>*> open;
    for (const NearBody<D>& near : list) open.push_back(near.tile->open.get());
    for_each_cell<D, 1>([&](const Index<D>& local, int o, int t) {
        double cell = fractions.cell_open[o];
        for (const auto* k : open)
            if (k) cell -= 1 - double(k->cell_open[o]);
        fractions.cell_open[o] = snap_fraction(cell);
        for (int axis = 0; axis < D; ++axis) {
            float& velocity = out.velocity.axis(axis).block(b)[o];
            const int owner = nodes.owner[nearest_corner<D>(phi, t, axis)];
            const Point<D> x = grid.face(axis, nodes.first + local);
            const double without = fractions.open[axis][o];
            double closed = 0;  // by all bodies, each alone
            for (const auto* k : open)
                if (k) closed += 1 - double(k->open[axis][o]);
            const double with = snap_fraction(without - closed), share = without - with;
            fractions.open[axis][o] = static_cast<float>(with);
            if (!(closed > 0) || !(share > 0)) {
                // What another solid closes moves with that one, however near the body is.
                if (owner >= 0 && with == 1)
                    velocity = static_cast<float>(list[owner].body->velocity_at(x)[axis]);
                continue;
            }
            double flux = (1 - without) * velocity;
            for (std::size_t k = 0; k < list.size(); ++k) {
                if (!open[k]) continue;
                const float part =
                    static_cast<float>(share * (1 - double(open[k]->open[axis][o])) / closed);
                if (!(part > 0)) continue;
                nodes.bodies.faces->push_back({b, o, axis, list[k].number, part});
                flux += part * list[k].body->velocity_at(x)[axis];
            }
            velocity = static_cast<float>(flux / (1 - with));
        }
    });
}

#define SLOSH_INSTANTIATE(D)                                                                       \
    template struct BodyTile<D>;                                                                   \
    template struct BodyNodes<D>;                                                                  \
    template void write_bodies<D>(const GridGeometry<D>&, const BodyNodes<D>&, const NodeTile<D>&, \
                                  int, BlockFractions<D>&, SolidFields<D>&);
SLOSH_INSTANTIATE(2)
SLOSH_INSTANTIATE(3)
#undef SLOSH_INSTANTIATE

}  // namespace slosh
