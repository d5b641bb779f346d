#include "slosh/shape/solid_field.h"

#include <cstring>
#include <unordered_map>

#include "slosh/base/error.h"
#include "slosh/shape/block_fractions.h"
#include "slosh/shape/body_faces.h"
#include "slosh/shape/solid_nodes.h"

namespace slosh {

namespace {

/// No node that a block reads is further than this from the block's centre (cells), so a solid
/// further away than this plus the band leaves no trace in it.
template <int D>
double block_reach() {
    return (kSide / 2 + 1) * std::sqrt(double(D)) + kSolidBand;
}

/// What one block has of the solids that do not move. Arrays only where they say something.
template <int D>
struct StaticBlock {
    BlockKind kind = kBlockOpen;
    float uniform_open = 1;                        ///< All fractions, if `fractions` is empty.
    std::unique_ptr<NodeTile<D>> phi;              ///< Empty: kSolidBand or -kSolidBand throughout.
    std::unique_ptr<BlockFractions<D>> fractions;  ///< Empty: uniform.

    std::size_t bytes() const {
        return sizeof(*this) + (phi ? sizeof(*phi) : 0) + (fractions ? sizeof(*fractions) : 0);
    }
};

/// What blocks had of a body where it was seen last. A step asks twice about the same place, at its
/// end and at the start of the next, and shapes are dear.
template <int D>
struct SeenBody {
    const Shape<D>* shape = nullptr;
    Transform<D> at;
    std::vector<std::unique_ptr<BodyTile<D>>> tile;  ///< By entry of the cache of blocks.

    bool fits(const PlacedBody<D>& body) const {
        if (shape != body.shape || !(at.translation == body.at.translation)) return false;
        for (int d = 0; d < D; ++d)
            if (!(at.rotation.row[d] == body.at.rotation.row[d])) return false;
        return true;
    }
};

/// A solid that moves, where it is in this step.
template <int D>
struct Mover {
    const Solid<D>* solid;
    Transform<D> start, end;
};

}  // namespace

template <int D>
struct SolidGrid<D>::Impl {
    GridGeometry<D> grid;
    std::vector<Solid<D>> solids;
    bool open_side[2 * D];
    std::vector<std::pair<const Shape<D>*, Transform<D>>> still;  // placed once and for all
    std::vector<int> moving;

    // Blocks computed so far, by the key of their coordinate, for one kind of fraction.
    Fractions cached_kind = Fractions::Area;
    std::unordered_map<std::uint64_t, std::uint32_t> slot;
    std::vector<StaticBlock<D>> cache;
    std::vector<SeenBody<D>> seen;

    /// Distance to the closed sides of the domain, at a point in grid coordinates. Cells.
    double wall_distance(const Point<D>& g) const {
        double phi = 1e30;
        for (int d = 0; d < D; ++d) {
            if (!open_side[2 * d]) phi = std::min(phi, g[d]);
            if (!open_side[2 * d + 1]) phi = std::min(phi, grid.cells[d] - g[d]);
        }
        return phi;
    }
    double still_distance(const Point<D>& world, const Shape<D>& shape,
                          const Transform<D>& at) const {
        return shape.distance(at.unapply(world)) / grid.dx;
    }

    void keep_seen(const std::vector<PlacedBody<D>>& bodies);
    const BodyTile<D>& body_tile(std::size_t k, const PlacedBody<D>& body, const Index<D>& first,
                                 std::uint32_t entry);
    StaticBlock<D> compute_static(const Index<D>& first_cell, Fractions kind) const;
    void close_domain_sides(const Index<D>& first_cell, BlockFractions<D>& f) const;
    void look_up(const Blocks<D>& blocks, Fractions kind, std::vector<std::uint32_t>& entry);
    void write_static(const StaticBlock<D>& from, int b, SolidFields<D>& out) const;
    void write_moving(const StaticBlock<D>& from, const std::vector<const Mover<D>*>& near,
                      const NearBodies<D>& bodies, double dt, Fractions kind, int b,
                      SolidFields<D>& out) const;
    void write_velocity(const Index<D>& first, const NodeTile<D>& phi, const std::int16_t* owner,
                        const std::vector<const Mover<D>*>& near, double dt, int b,
                        SolidFields<D>& out) const;
};

/// Faces on and behind a closed side let nothing through, whatever the kind of fraction.
template <int D>
void SolidGrid<D>::Impl::close_domain_sides(const Index<D>& first_cell,
                                            BlockFractions<D>& f) const {
    for (int axis = 0; axis < D; ++axis) {
        const int lo = open_side[2 * axis] ? -(1 << 30) : 0;
        const int hi = open_side[2 * axis + 1] ? 1 << 30 : grid.cells[axis];
        if (first_cell[axis] > lo && first_cell[axis] + kSide <= hi) continue;
        for (int o = 0; o < kBlockCells<D>; ++o) {
            const int face = first_cell[axis] + local_cell<D>(o)[axis];
            if (face <= lo || face >= hi) f.open[axis][o] = 0;
        }
    }
}

template <int D>
StaticBlock<D> SolidGrid<D>::Impl::compute_static(const Index<D>& first, Fractions kind) const {
    const Point<D> centre = first.template as<double>() + Point<D>::filled(kSide / 2);
    const Point<D> world = grid.to_world(centre);
    const double reach = block_reach<D>();

    // Which of the solids can be felt here at all?
    bool walls = false;
    std::vector<std::pair<const Shape<D>*, Transform<D>>> near;
    const auto solid_throughout = [] { return StaticBlock<D>{kBlockSolid, 0, {}, {}}; };
    const double wall = wall_distance(centre);
    if (wall < -reach) return solid_throughout();
    walls = wall <= reach;
    for (const auto& [shape, at] : still) {
        const double phi = still_distance(world, *shape, at);
        if (phi < -reach) return solid_throughout();
        if (phi <= reach) near.emplace_back(shape, at);
    }
    if (!walls && near.empty()) return {};

    auto phi = std::make_unique<NodeTile<D>>();
    std::fill(std::begin(phi->v), std::end(phi->v), kSolidBand);
    float least = kSolidBand, most = -kSolidBand;
    for_each_node<D>(first_node(kind), [&](const Index<D>& local, int t) {
        const Index<D> node = first + local;
        double d = walls ? wall_distance(node.template as<double>()) : 1e30;
        const Point<D> x = grid.node(node);
        for (const auto& [shape, at] : near) d = std::min(d, still_distance(x, *shape, at));
        phi->v[t] = kept(d);
        least = std::min(least, phi->v[t]);
        most = std::max(most, phi->v[t]);
    });
    if (least >= kSolidBand) return {};

    StaticBlock<D> block{most <= 0 ? kBlockSolid : kBlockMixed, most <= 0 ? 0.0f : 1.0f, {}, {}};
    block.phi = std::move(phi);
    if (block.kind == kBlockMixed && least <= 0) {
        block.fractions = std::make_unique<BlockFractions<D>>();
        block_fractions(*block.phi, kind, *block.fractions);
        close_domain_sides(first, *block.fractions);
    }
    return block;
}

/// Finds the cache entry of every block, computing those that are missing.
template <int D>
void SolidGrid<D>::Impl::look_up(const Blocks<D>& blocks, Fractions kind,
                                 std::vector<std::uint32_t>& entry) {
    // Liquid that has moved on leaves entries behind; start afresh once they are the most by far.
    const std::size_t blocks_now = static_cast<std::size_t>(blocks.size());
    if (kind != cached_kind || cache.size() > 8 * blocks_now + 4096) {
        slot.clear();
        cache.clear();
        seen.clear();
        cached_kind = kind;
    }
    entry.resize(blocks_now);
    std::vector<int> missing;
    const std::size_t known = cache.size();
    for (int b = 0; b < blocks.size(); ++b) {
        const auto next = static_cast<std::uint32_t>(known + missing.size());
        const auto [it, is_new] = slot.try_emplace(block_key<D>(blocks.coord(b)), next);
        entry[b] = it->second;
        if (is_new) missing.push_back(b);
    }
    cache.resize(known + missing.size());
    parallel_for(missing.size(), 1, [&](std::size_t m) {
        cache[known + m] = compute_static(blocks.first_cell(missing[m]), kind);
    });
}

/// Forgets bodies that are not where they were.
template <int D>
void SolidGrid<D>::Impl::keep_seen(const std::vector<PlacedBody<D>>& bodies) {
    seen.resize(bodies.size());
    for (std::size_t k = 0; k < bodies.size(); ++k) {
        if (!seen[k].fits(bodies[k])) seen[k] = {bodies[k].shape, bodies[k].at, {}};
        seen[k].tile.resize(cache.size());
    }
}

/// What the block with the given entry has of body k; each block is asked for by one thread.
template <int D>
const BodyTile<D>& SolidGrid<D>::Impl::body_tile(std::size_t k, const PlacedBody<D>& body,
                                                 const Index<D>& first, std::uint32_t entry) {
    std::unique_ptr<BodyTile<D>>& tile = seen[k].tile[entry];
    if (!tile) tile = std::make_unique<BodyTile<D>>(grid, body, first, cached_kind);
    return *tile;
}

/// The lower-node part of a tile, as a block of a field.
template <int D>
static void copy_nodes(const NodeTile<D>& phi, float* out) {
    for (int row = 0; row < kBlockCells<D> / kSide; ++row) {
        const Index<D> first = local_cell<D>(row * kSide);
        std::memcpy(out + row * kSide, phi.v + NodeTile<D>::offset(first), kSide * sizeof(float));
    }
}

template <int D>
void SolidGrid<D>::Impl::write_static(const StaticBlock<D>& from, int b,
                                      SolidFields<D>& out) const {
    constexpr int n = kBlockCells<D>;
    out.block_kind[b] = from.kind;
    if (from.phi) {
        copy_nodes<D>(*from.phi, out.nodal.block(b));
        centre_distances<D>(*from.phi, out.centre.block(b));
    } else {
        const float far = from.kind == kBlockSolid ? -kSolidBand : kSolidBand;
        std::fill_n(out.nodal.block(b), n, far);
        std::fill_n(out.centre.block(b), n, far);
    }
    if (from.fractions) {
        for (int d = 0; d < D; ++d)
            std::memcpy(out.open.axis(d).block(b), from.fractions->open[d], n * sizeof(float));
        std::memcpy(out.cell_open.block(b), from.fractions->cell_open, n * sizeof(float));
    } else {
        for (int d = 0; d < D; ++d) std::fill_n(out.open.axis(d).block(b), n, from.uniform_open);
        std::fill_n(out.cell_open.block(b), n, from.uniform_open);
    }
    for (int d = 0; d < D; ++d) std::fill_n(out.velocity.axis(d).block(b), n, 0.0f);
}

template <int D>
void SolidGrid<D>::Impl::write_moving(const StaticBlock<D>& from,
                                      const std::vector<const Mover<D>*>& near,
                                      const NearBodies<D>& bodies, double dt, Fractions kind, int b,
                                      SolidFields<D>& out) const {
    const Index<D> first = out.nodal.blocks().first_cell(b);
    NodeTile<D> phi;
    if (from.phi)
        phi = *from.phi;
    else
        std::fill(std::begin(phi.v), std::end(phi.v),
                  from.kind == kBlockSolid ? -kSolidBand : kSolidBand);

    // Each node belongs to the solid nearest to it; -1 is one that does not move, or none.
    std::int16_t owner[NodeTile<D>::kCells];
    std::fill(std::begin(owner), std::end(owner), std::int16_t(-1));
    float least = kSolidBand, most = -kSolidBand;
    for_each_node<D>(first_node(kind), [&](const Index<D>& local, int t) {
        const Point<D> x = grid.node(first + local);
        for (std::size_t m = 0; m < near.size(); ++m) {
            const float d = kept(near[m]->solid->distance(x, near[m]->end) / grid.dx);
            if (d < phi.v[t]) {
                phi.v[t] = d;
                owner[t] = static_cast<std::int16_t>(m);
            }
        }
        least = std::min(least, phi.v[t]);
        most = std::max(most, phi.v[t]);
    });

    BlockFractions<D> fractions;
    if (!near.empty()) {
        block_fractions(phi, kind, fractions);
        close_domain_sides(first, fractions);
    } else if (from.fractions) {
        fractions = *from.fractions;
    } else {
        for (int d = 0; d < D; ++d)
            std::fill_n(fractions.open[d], kBlockCells<D>, from.uniform_open);
        std::fill_n(fractions.cell_open, kBlockCells<D>, from.uniform_open);
    }
    write_velocity(first, phi, owner, near, dt, b, out);
    if (!bodies.empty()) {
        const BodyNodes<D> nodes(first, kind, bodies, phi);
        least = kSolidBand, most = -kSolidBand;
        for_each_node<D>(first_node(kind), [&](const Index<D>&, int t) {
            least = std::min(least, phi.v[t]);
            most = std::max(most, phi.v[t]);
        });
        write_bodies(grid, nodes, phi, b, fractions, out);
        // Nodes may all be solid with gaps between them left.
        for (int d = 0; d < D; ++d)
            for (const float w : fractions.open[d])
                if (w > 0) most = std::max(most, kOnSurface);
    }
    out.block_kind[b] = least >= kSolidBand ? kBlockOpen : most <= 0 ? kBlockSolid : kBlockMixed;
    copy_nodes<D>(phi, out.nodal.block(b));
    centre_distances<D>(phi, out.centre.block(b));
    for (int d = 0; d < D; ++d)
        std::memcpy(out.open.axis(d).block(b), fractions.open[d], sizeof(fractions.open[d]));
    std::memcpy(out.cell_open.block(b), fractions.cell_open, sizeof(fractions.cell_open));
}

template <int D>
void SolidGrid<D>::Impl::write_velocity(const Index<D>& first, const NodeTile<D>& phi,
                                        const std::int16_t* owner,
                                        const std::vector<const Mover<D>*>& near, double dt, int b,
                                        SolidFields<D>& out) const {
    if (near.empty()) {
        for (int d = 0; d < D; ++d)
            std::fill_n(out.velocity.axis(d).block(b), kBlockCells<D>, 0.0f);
        return;
    }
    for_each_cell<D, 1>([&](const Index<D>& local, int o, int t) {
        for (int axis = 0; axis < D; ++axis) {
            // The face takes the velocity of the solid nearest to any of its corners.
            int nearest = t;
            for (int c = 1; c < kChildren<D>; ++c) {
                if (c >> axis & 1) continue;
                int corner = t;
                for (int d = 0; d < D; ++d) corner += (c >> d & 1) * NodeTile<D>::step(d);
                if (phi.v[corner] < phi.v[nearest]) nearest = corner;
            }
            float u = 0;
            if (owner[nearest] >= 0) {
                const Mover<D>& m = *near[owner[nearest]];
                const Point<D> x = grid.face(axis, first + local);
                u = static_cast<float>(-mean_velocity(m.end, m.start, x, dt)[axis]);
            }
            out.velocity.axis(axis).block(b)[o] = u;
        }
    });
}

template <int D>
SolidGrid<D>::SolidGrid(const GridGeometry<D>& grid, std::vector<Solid<D>> solids,
                        const bool (&open_side)[2 * D])
    : impl_(std::make_unique<Impl>()) {
    impl_->grid = grid;
    impl_->solids = std::move(solids);
    std::copy(std::begin(open_side), std::end(open_side), impl_->open_side);
    for (std::size_t i = 0; i < impl_->solids.size(); ++i) {
        const Solid<D>& solid = impl_->solids[i];
        SLOSH_EXPECT(solid.shape != nullptr);
        if (solid.motion.moving())
            impl_->moving.push_back(static_cast<int>(i));
        else
            impl_->still.emplace_back(solid.shape.get(), solid.motion.at(0));
    }
}
template <int D>
SolidGrid<D>::~SolidGrid() = default;
template <int D>
SolidGrid<D>::SolidGrid(SolidGrid&&) noexcept = default;

template <int D>
void SolidGrid<D>::update(double time, double dt, const BlocksPtr<D>& blocks, Fractions kind,
                          SolidFields<D>& out, const std::vector<PlacedBody<D>>& bodies) {
    const double end = time + std::max(dt, 0.0);
    if (!(dt > 0)) dt = 1e-6;  // s; an instant
    std::vector<Mover<D>> movers;
    for (const int i : impl_->moving) {
        const Solid<D>& solid = impl_->solids[i];
        movers.push_back({&solid, solid.motion.at(end - dt), solid.motion.at(end)});
    }

    std::vector<std::uint32_t> entry;
    impl_->look_up(*blocks, kind, entry);
    impl_->keep_seen(bodies);

    const bool fresh = out.nodal.blocks_ptr() != blocks;
    if (fresh) {
        // Each block is written whole, once, below.
        out.nodal = Field<float, D>(blocks, Unfilled{}, kSolidBand);
        out.centre = Field<float, D>(blocks, Unfilled{}, kSolidBand);
        out.open = FaceField<float, D>(blocks, Unfilled{}, 0);
        out.cell_open = Field<float, D>(blocks, Unfilled{}, 0);
        out.velocity = FaceField<float, D>(blocks, Unfilled{}, 0);
        out.block_kind.resize(blocks->size());
    }
    if (fresh || out.made_by != impl_.get() || out.kind != kind) {
        out.at_rest.assign(blocks->size(), 0);
        out.made_by = impl_.get();
        out.kind = kind;
    }
    std::vector<std::vector<BodyFace>> faces(bodies.empty() ? 0 : blocks->size());
    parallel_for(blocks->size(), 4, [&](std::size_t i) {
        const int b = static_cast<int>(i);
        const double reach = block_reach<D>() * impl_->grid.dx;
        const Point<D> middle =
            impl_->grid.node(blocks->first_cell(b) + Index<D>::filled(kSide / 2));
        std::vector<const Mover<D>*> near;
        for (const Mover<D>& m : movers)
            if (m.solid->distance(middle, m.end) <= reach) near.push_back(&m);
        NearBodies<D> near_bodies;
        for (std::size_t k = 0; k < bodies.size(); ++k)
            if (bodies[k].distance(middle) <= reach) {
                const BodyTile<D>& tile =
                    impl_->body_tile(k, bodies[k], blocks->first_cell(b), entry[b]);
                if (tile.least < kSolidBand)
                    near_bodies.list.push_back({static_cast<int>(k), &bodies[k], &tile});
            }
        if (!near_bodies.empty()) near_bodies.faces = &faces[b];
        const StaticBlock<D>& fixed = impl_->cache[entry[b]];
        const bool at_rest = near.empty() && near_bodies.empty();
        if (at_rest && !out.at_rest[b])
            impl_->write_static(fixed, b, out);
        else if (!at_rest)
            impl_->write_moving(fixed, near, near_bodies, dt, kind, b, out);
        out.at_rest[b] = at_rest;
    });
    out.body_faces.clear();
    for (const auto& list : faces)
        out.body_faces.insert(out.body_faces.end(), list.begin(), list.end());
}

template <int D>
double SolidGrid<D>::distance(const Point<D>& world, double time) const {
    double phi = impl_->wall_distance(impl_->grid.to_grid(world)) * impl_->grid.dx;
    for (const auto& [shape, at] : impl_->still)
        phi = std::min(phi, shape->distance(at.unapply(world)));
    for (const int i : impl_->moving) {
        const Solid<D>& solid = impl_->solids[i];
        phi = std::min(phi, solid.distance(world, solid.motion.at(time)));
    }
    return phi;
}

template <int D>
int SolidGrid<D>::nearest(const Point<D>& world, double time) const {
    double least = impl_->wall_distance(impl_->grid.to_grid(world)) * impl_->grid.dx;
    int index = -1;
    for (std::size_t i = 0; i < impl_->solids.size(); ++i) {
        const Solid<D>& solid = impl_->solids[i];
        const double phi = solid.distance(world, solid.motion.at(time));
        if (phi < least) {
            least = phi;
            index = static_cast<int>(i);
        }
    }
    return index;
}

template <int D>
bool SolidGrid<D>::moving() const {
    return !impl_->moving.empty();
}

template <int D>
std::size_t SolidGrid<D>::bytes() const {
    std::size_t n = impl_->slot.size() * 32;
    for (const StaticBlock<D>& block : impl_->cache) n += block.bytes();
    return n;
}

template class SolidGrid<2>;
template class SolidGrid<3>;

}  // namespace slosh
