#include "slosh/viscosity/bodies.h"

namespace slosh {

namespace {

/// Distances are cut off here: a box reaches no further from its face. Cells.
constexpr double kFar = 5;

/// The body's distance at the nodes of a block; false if it is not near.
template <int D>
bool load_body(const GridGeometry<D>& grid, const PlacedBody<D>& body, const Index<D>& first,
               Tile<float, D, 1>& nodes) {
    const Point<D> middle = first.template as<double>() + Point<D>::filled(kSide / 2);
    const double reach = (kSide / 2 + 1) * std::sqrt(double(D)) + 1;
    if (body.distance(grid.to_world(middle)) > reach * grid.dx) return false;
    Index<D> local;
    for (int z = D == 3 ? -1 : 0; z <= (D == 3 ? kSide : 0); ++z)
        for (local[1] = -1; local[1] <= kSide; ++local[1])
            for (local[0] = -1; local[0] <= kSide; ++local[0]) {
                if constexpr (D == 3) local[2] = z;
                const double d = body.distance(grid.node(first + local)) / grid.dx;
                nodes.v[Tile<float, D, 1>::offset(local)] =
                    static_cast<float>(std::clamp(d, -kFar, kFar));
            }
    return true;
}

}  // namespace

template <int D>
std::vector<BodyFace> body_volumes(const GridGeometry<D>& grid,
                                   const std::vector<ViscousBody<D>>& bodies,
                                   const SampleVolumes<D>& open, VolumeKind kind) {
    const Blocks<D>& blocks = open.cell.blocks();
    std::vector<std::vector<BodyFace>> part(blocks.size());
    parallel_for(blocks.size(), 1, [&](std::size_t i) {
        const int b = static_cast<int>(i);
        Tile<float, D, 1> nodes;
        float own_open[D][kBlockCells<D>];
        float sum[D][kBlockCells<D>] = {};
        for (std::size_t n = 0; n < bodies.size(); ++n) {
            if (!load_body(grid, bodies[n].placed, blocks.first_cell(b), nodes)) continue;
            open_face_volumes(nodes, kind, own_open);
            for (int d = 0; d < D; ++d)
                for (int o = 0; o < kBlockCells<D>; ++o) {
                    const float share = 1 - own_open[d][o];
                    if (share <= 0) continue;
                    part[b].push_back({b, o, d, static_cast<int>(n), share});
                    sum[d][o] += share;
                }
        }
        for (BodyFace& f : part[b]) {
            const float left = open.face.axis(f.axis).block(b)[f.offset];
            const float closed = left < kLeastOpenFace ? 1.0f : 1 - left;
            if (sum[f.axis][f.offset] > closed || closed == 1)
                f.share *= closed /
                           std::max(sum[f.axis][f.offset], closed == 1 ? 1 - kLeastOpenFace : 0.0f);
        }
    });
    std::vector<BodyFace> out;
    for (const auto& list : part)
        for (const BodyFace& f : list)
            if (f.share > 0) out.push_back(f);
    return out;
}

template <int D>
FaceField<float, D> solid_motion(const GridGeometry<D>& grid, const SampleVolumes<D>& open,
                                 const FaceField<float, D>& solid_velocity,
                                 const std::vector<ViscousBody<D>>& bodies,
                                 const std::vector<BodyFace>& faces, bool unknown,
                                 const std::function<Point<D>(const Point<D>&)>& others) {
    const BlocksPtr<D>& blocks = open.cell.blocks_ptr();
    FaceField<float, D> moved(blocks);
    const auto closed = [&](int axis, int b, int o) {
        const float w = open.face.axis(axis).block(b)[o];
        return w < kLeastOpenFace ? 1.0f : 1 - w;
    };
    parallel_for(blocks->size(), 16, [&](std::size_t i) {
        const int b = static_cast<int>(i);
        for (int d = 0; d < D; ++d)
            for (int o = 0; o < kBlockCells<D>; ++o)
                moved.axis(d).block(b)[o] = closed(d, b, o) * solid_velocity.axis(d).block(b)[o];
    });
    // Faces with bodies: first what is left to the others, then the bodies.
    FaceField<float, D> share(blocks);
    for (const BodyFace& f : faces) share.axis(f.axis).block(f.block)[f.offset] += f.share;
    for (const BodyFace& f : faces) {
        const float rest =
            closed(f.axis, f.block, f.offset) - share.axis(f.axis).block(f.block)[f.offset];
        const Point<D> x = grid.face(f.axis, blocks->first_cell(f.block) + local_cell<D>(f.offset));
        moved.axis(f.axis).block(f.block)[f.offset] =
            rest > kLeastOpenFace ? rest * static_cast<float>(others(x)[f.axis]) : 0.0f;
    }
    if (unknown) return moved;
    for (const BodyFace& f : faces) {
        const Point<D> x = grid.face(f.axis, blocks->first_cell(f.block) + local_cell<D>(f.offset));
        moved.axis(f.axis).block(f.block)[f.offset] +=
            f.share * static_cast<float>(bodies[f.body].placed.velocity_at(x)[f.axis]);
    }
    return moved;
}

#define SLOSH_INSTANTIATE(D)                                                             \
    template std::vector<BodyFace> body_volumes<D>(const GridGeometry<D>&,               \
                                                   const std::vector<ViscousBody<D>>&,   \
                                                   const SampleVolumes<D>&, VolumeKind); \
    template FaceField<float, D> solid_motion<D>(                                        \
        const GridGeometry<D>&, const SampleVolumes<D>&, const FaceField<float, D>&,     \
        const std::vector<ViscousBody<D>>&, const std::vector<BodyFace>&, bool,          \
        const std::function<Point<D>(const Point<D>&)>&);
SLOSH_INSTANTIATE(2)
SLOSH_INSTANTIATE(3)
#undef SLOSH_INSTANTIATE

}  // namespace slosh
