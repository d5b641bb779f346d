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
        const Point<D> middle = first.template as<double>() + (lo + hi).template as<double>() * 0.5;
        const double there = body.distance(grid.to_world(middle)) / grid.dx;
        if (there > reach) continue;
        for_each_node<D>(lo, hi, [&](const Index<D>& local, int t) {
            phi.v[t] = there < -reach ? -kSolidBand
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

/// Who is nearest at the corner, of the lower faces of a row's cells, that is nearest to a solid; t
/// is the node of the first cell.
template <int D>
void nearest_owners(const BodyNodes<D>& nodes, const NodeTile<D>& phi, int t, int axis,
                    std::int16_t (&owner)[kSide]) {
    float least[kSide];
    for (int x = 0; x < kSide; ++x) least[x] = phi.v[t + x], owner[x] = nodes.owner[t + x];
    for (int c = 1; c < kChildren<D>; ++c) {
        if (c >> axis & 1) continue;
        int at = t;
        for (int d = 0; d < D; ++d) at += (c >> d & 1) * NodeTile<D>::step(d);
        for (int x = 0; x < kSide; ++x) {
            const bool nearer = phi.v[at + x] < least[x];
            least[x] = nearer ? phi.v[at + x] : least[x];
            owner[x] = nearer ? nodes.owner[at + x] : owner[x];
        }
    }
}

/// Whether a body closes any part of eight cells.
template <int D>
bool closes(const BlockFractions<D>& open, int o) {
    bool any = false;
    for (int x = 0; x < kSide; ++x) any |= open.cell_open[o + x] != 1;
    for (int axis = 0; axis < D; ++axis)
        for (int x = 0; x < kSide; ++x) any |= open.open[axis][o + x] != 1;
    return any;
}

}  // namespace

template <int D>
void write_bodies(const GridGeometry<D>& grid, const BodyNodes<D>& nodes, const NodeTile<D>& phi,
                  int b, BlockFractions<D>& fractions, SolidFields<D>& out) {
    const auto& list = nodes.bodies.list;
    std::vector<const BlockFractions<D>*> open;
    for (const NearBody<D>& near : list) open.push_back(near.tile->open.get());

    // What another solid closes moves with that one, however near the body is.
    const auto follow = [&](const Index<D>& cell, int o, int axis, int owner) {
        if (owner < 0 || fractions.open[axis][o] != 1) return;
        out.velocity.axis(axis).block(b)[o] = static_cast<float>(
            list[owner].body->velocity_at(grid.face(axis, nodes.first + cell))[axis]);
    };
    const auto close = [&](const Index<D>& cell, int o, int axis, int owner) {
        float& velocity = out.velocity.axis(axis).block(b)[o];
        const double without = fractions.open[axis][o];
        double closed = 0;  // by all bodies, each alone
        for (const auto* k : open)
            if (k) closed += 1 - double(k->open[axis][o]);
        const double with = snap_fraction(without - closed), share = without - with;
        fractions.open[axis][o] = static_cast<float>(with);
        if (!(closed > 0) || !(share > 0)) return follow(cell, o, axis, owner);
        const Point<D> x = grid.face(axis, nodes.first + cell);
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
    };

    for (int row = 0; row < kBlockCells<D>; row += kSide) {
        const Index<D> first = local_cell<D>(row);
        const int t = NodeTile<D>::offset(first);
        const bool touched = std::any_of(open.begin(), open.end(), [&](const BlockFractions<D>* k) {
            return k && closes(*k, row);
        });
        std::int16_t owner[D][kSide];
        bool any = false;
        for (int axis = 0; axis < D; ++axis) {
            nearest_owners<D>(nodes, phi, t, axis, owner[axis]);
            for (int x = 0; x < kSide; ++x) any |= owner[axis][x] >= 0;
        }
        if (!touched && !any) continue;
        for (int x = 0; x < kSide; ++x) {
            const int o = row + x;
            const Index<D> cell = first + unit<D, int>(0) * x;
            if (touched) {
                double left = fractions.cell_open[o];
                for (const auto* k : open)
                    if (k) left -= 1 - double(k->cell_open[o]);
                fractions.cell_open[o] = snap_fraction(left);
            }
            for (int axis = 0; axis < D; ++axis)
                if (touched)
                    close(cell, o, axis, owner[axis][x]);
                else
                    follow(cell, o, axis, owner[axis][x]);
        }
    }
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
