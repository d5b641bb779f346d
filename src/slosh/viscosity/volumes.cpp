#include "slosh/viscosity/volumes.h"

#include "slosh/shape/fractions.h"

namespace slosh {

template <int D>
SampleVolumes<D>::SampleVolumes(const BlocksPtr<D>& blocks, float background)
    : cell(blocks, background), face(blocks, background) {
    for (auto& e : edge) e = Field<float, D>(blocks, background);
}

namespace {

/// Values at the nodes of the half-size grid, from half a cell below a block to its end: point k
/// along an axis is at (k - 1) / 2 cells.
template <int D>
struct HalfPoints {
    static constexpr int kPoints = 2 * kSide + 2;
    static constexpr int kCells = kPoints - 1;
    static constexpr int kSize = D == 2 ? kPoints * kPoints : kPoints * kPoints * kPoints;
    float value[kSize];
    float share[kSize];  ///< Of the half-size cell above each point that is inside.

    static constexpr int step(int axis) {
        return axis == 0 ? 1 : axis == 1 ? kPoints : kPoints * kPoints;
    }
    static constexpr int offset(const Index<D>& i) {
        int o = 0;
        for (int d = D - 1; d >= 0; --d) o = o * kPoints + i[d];
        return o;
    }
};

/// Interpolates a tile of samples to half points, one axis after the other. Samples are at even
/// half points (nodes) or odd ones (centres); in the tile, sample i of local index i.
template <int D>
void interpolate_half(const Tile<float, D, 1>& tile, bool centred, float sign, HalfPoints<D>& out) {
    using H = HalfPoints<D>;
    // The two samples whose mean is point k (the same twice if the point is a sample).
    int lo[H::kPoints], hi[H::kPoints];
    for (int k = 0; k < H::kPoints; ++k) {
        const int twice = k - 1 - (centred ? 1 : 0);  // position in half cells from sample 0
        lo[k] = twice >> 1;
        hi[k] = lo[k] + (twice & 1);
    }
    Index<D> i;
    for (int z = 0; z < (D == 3 ? H::kPoints : 1); ++z)
        for (int y = 0; y < H::kPoints; ++y) {
            const float* row[4];
            const int zs[2] = {lo[z], hi[z]}, ys[2] = {lo[y], hi[y]};
            for (int c = 0; c < 4; ++c) {
                i[1] = ys[c & 1];
                if constexpr (D == 3) i[2] = zs[c >> 1];
                i[0] = 0;
                row[c] = tile.v + Tile<float, D, 1>::offset(i);
            }
            i[0] = 0;
            i[1] = y;
            if constexpr (D == 3) i[2] = z;
            float* to = out.value + H::offset(i);
            float mean[kSide + 2];
            for (int x = -1; x <= kSide; ++x) {
                const float a = row[0][x] + row[1][x];
                mean[x + 1] = sign * (D == 3 ? 0.25f * (a + (row[2][x] + row[3][x])) : 0.5f * a);
            }
            for (int x = 0; x < H::kPoints; ++x) to[x] = 0.5f * (mean[lo[x] + 1] + mean[hi[x] + 1]);
        }
}

/// Share of the box with corners `base`, base + reach along each axis, where the value is > 0.
template <int D>
float box_share(const HalfPoints<D>& p, int base, int reach) {
    double corner[kChildren<D>];
    bool any = false, all = true;
    for (int c = 0; c < kChildren<D>; ++c) {
        int o = base;
        for (int d = 0; d < D; ++d) o += (c >> d & 1) * reach * HalfPoints<D>::step(d);
        corner[c] = p.value[o];
        any |= corner[c] > 0;
        all &= corner[c] >= 0;
    }
    if (!any) return 0;
    if (all) return 1;
    if constexpr (D == 2)
        return static_cast<float>(open_square(corner));
    else
        return static_cast<float>(open_cube(corner));
}

template <int D>
float middle_sign(const HalfPoints<D>& p, int base) {
    float sum = 0;
    for (int c = 0; c < kChildren<D>; ++c) {
        int o = base;
        for (int d = 0; d < D; ++d) o += (c >> d & 1) * HalfPoints<D>::step(d);
        sum += p.value[o];
    }
    return sum > 0 ? 1.0f : 0.0f;
}

/// Shares of all half-size cells.
template <int D>
void cut_half_cells(VolumeKind kind, HalfPoints<D>& p) {
    using H = HalfPoints<D>;
    Index<D> i;
    for (int z = 0; z < (D == 3 ? H::kCells : 1); ++z)
        for (int y = 0; y < H::kCells; ++y) {
            i[0] = 0;
            i[1] = y;
            if constexpr (D == 3) i[2] = z;
            const int row = H::offset(i);
            for (int x = 0; x < H::kCells; ++x)
                p.share[row + x] = kind == VolumeKind::Consistent ? box_share(p, row + x, 1)
                                                                  : middle_sign(p, row + x);
        }
}

/// All shares that one tile of a level set gives.
template <int D>
class TileShares {
public:
    /// `tile` at nodes (positive inside) or at cell centres (negative inside).
    TileShares(const Tile<float, D, 1>& tile, bool centred, VolumeKind kind) : kind_(kind) {
        float least = tile.v[0], most = tile.v[0];
        for (const float v : tile.v) {
            least = std::min(least, v);
            most = std::max(most, v);
        }
        full_ = centred ? most < 0 : least > 0;
        empty_ = centred ? least >= 0 : most <= 0;
        if (full_ || empty_) return;
        interpolate_half(tile, centred, centred ? -1.0f : 1.0f, points_);
        if (kind_ != VolumeKind::Independent) cut_half_cells(kind_, points_);
    }

    /// Of boxes that begin at their cell's lower corner, or half a cell below along `shift`.
    void write(const Index<D>& shift, float* out) const {
        using H = HalfPoints<D>;
        if (full_ || empty_) {
            std::fill_n(out, kBlockCells<D>, full_ ? 1.0f : 0.0f);
            return;
        }
        for_each_cell<D, 1>([&](const Index<D>& local, int o, int) {
            const int base = H::offset(local * 2 + Index<D>::filled(1) - shift);
            if (kind_ == VolumeKind::Independent) {
                out[o] = box_share(points_, base, 2);
                return;
            }
            float s = 0;
            for (int c = 0; c < kChildren<D>; ++c) {
                int at = base;
                for (int d = 0; d < D; ++d) at += (c >> d & 1) * H::step(d);
                s += points_.share[at];
            }
            out[o] = s / kChildren<D>;
        });
    }

private:
    VolumeKind kind_;
    bool full_ = false, empty_ = false;
    HalfPoints<D> points_;
};

template <int D>
SampleVolumes<D> volumes(const Field<float, D>& level_set, bool centred, VolumeKind kind) {
    SampleVolumes<D> out(level_set.blocks_ptr(), 0);
    parallel_for(level_set.blocks().size(), 2, [&](std::size_t i) {
        const int b = static_cast<int>(i);
        Tile<float, D, 1> tile;
        tile.load(level_set, b);
        const TileShares<D> shares(tile, centred, kind);
        shares.write({}, out.cell.block(b));
        for (int a = 0; a < D; ++a) {
            shares.write(unit<D>(a), out.face.axis(a).block(b));
            for (int c = a + 1; c < D; ++c)
                shares.write(unit<D>(a) + unit<D>(c), out.edge[pair_of(a, c)].block(b));
        }
    });
    return out;
}

}  // namespace

template <int D>
SampleVolumes<D> open_volumes(const Field<float, D>& nodal, VolumeKind kind) {
    return volumes(nodal, false, kind);
}

template <int D>
SampleVolumes<D> liquid_volumes(const Field<float, D>& phi, VolumeKind kind) {
    return volumes(phi, true, kind);
}

template <int D>
void open_face_volumes(const Tile<float, D, 1>& nodal, VolumeKind kind,
                       float (&out)[D][kBlockCells<D>]) {
    const TileShares<D> shares(nodal, false, kind);
    for (int d = 0; d < D; ++d) shares.write(unit<D>(d), out[d]);
}

#define SLOSH_INSTANTIATE(D)                                                         \
    template struct SampleVolumes<D>;                                                \
    template SampleVolumes<D> open_volumes<D>(const Field<float, D>&, VolumeKind);   \
    template SampleVolumes<D> liquid_volumes<D>(const Field<float, D>&, VolumeKind); \
    template void open_face_volumes<D>(const Tile<float, D, 1>&, VolumeKind,         \
                                       float(&)[D][kBlockCells<D>]);
SLOSH_INSTANTIATE(2)
SLOSH_INSTANTIATE(3)
#undef SLOSH_INSTANTIATE

}  // namespace slosh
