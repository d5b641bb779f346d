#include "slosh/shape/mesh_distance.h"

#include <fmt/format.h>

#include <limits>

#include "slosh/base/error.h"
#include "slosh/shape/mesh_far.h"
#include "slosh/shape/mesh_inside.h"
#include "slosh/shape/mesh_voxels.h"

namespace slosh {

namespace {

constexpr int kMaxVoxels = 2048;   // along the longest side
constexpr double kMaxFaces = 2e7;  // of voxels that the surface passes, some 100 bytes each

class MeshShape final : public Shape<3> {
public:
    MeshShape(const TriangleMesh& mesh, const MeshDistanceOptions& options, bool is_sheet);

    double distance(const Point<3>& x) const override {
        const Point<3> g = (x - origin_) / voxel_;
        return (signed_voxels(g) - half_sheet_) * voxel_;
    }
    Box<3> bounds() const override { return bounds_.grown(half_sheet_ * voxel_); }

private:
    static constexpr int kOutside = -1, kInside = -2;  // instead of a brick's number

    /// Number of the brick that holds a voxel, kOutside or kInside.
    int brick_at(const Index<3>& voxel) const {
        std::size_t n = 0;
        for (int d = 2; d >= 0; --d) {
            const int c = (voxel[d] >> 3) - lo_[d];
            if (c < 0 || c >= size_[d]) return kOutside;
            n = n * size_[d] + c;
        }
        return brick_of_[n];
    }
    double signed_voxels(const Point<3>& g) const;

    Point<3> origin_;
    double voxel_, band_, half_sheet_ = 0;  // the last two in voxels
    Box<3> bounds_;
    Index<3> lo_, size_;  // of the lattice of bricks
    std::vector<int> brick_of_;
    std::vector<DistanceBrick> bricks_;
    MeshFar far_;
};

MeshShape::MeshShape(const TriangleMesh& mesh, const MeshDistanceOptions& options, bool is_sheet)
    : voxel_(options.voxel), band_(options.band), bounds_(mesh.bounds()) {
    if (is_sheet) {
        half_sheet_ = options.open_mesh_thickness / 2 / voxel_;
        band_ = std::max(band_, half_sheet_ + 4);
    }
    // Off the mesh's own corners, which often lie on round numbers: fewer nodes on its edges.
    origin_ = bounds_.lo - Point<3>{0.3737, 0.2911, 0.4323} * voxel_;
    bricks_ = mesh_voxels(mesh, origin_, voxel_, band_);

    const Point<3> top = (bounds_.hi - origin_) / voxel_;
    const int margin = static_cast<int>(std::ceil(band_)) + 2;
    lo_ = Index<3>::filled(-margin >> 3);
    Index<3> last;
    for (int d = 0; d < 3; ++d) last[d] = (static_cast<int>(std::ceil(top[d])) + margin) >> 3;
    size_ = last - lo_ + Index<3>::filled(1);
    const auto number = [&](const Index<3>& c) {
        return (static_cast<std::size_t>(c[2] - lo_[2]) * size_[1] + (c[1] - lo_[1])) * size_[0] +
               (c[0] - lo_[0]);
    };

    brick_of_.assign(static_cast<std::size_t>(size_[0]) * size_[1] * size_[2], kOutside);
    for (std::size_t b = 0; b < bricks_.size(); ++b)
        brick_of_[number(bricks_[b].coord)] = static_cast<int>(b);
    far_ = MeshFar(bricks_, lo_ * kBrickSide, size_ * kBrickSide);
    if (is_sheet) return;

    // Signs: of every node near the surface, and of one node for each brick that holds none.
    const MeshInside inside(mesh, origin_, voxel_, lo_ * kBrickSide,
                            (last + Index<3>::filled(1)) * kBrickSide);
    for (DistanceBrick& brick : bricks_)
        for (int n = 0; n < kBrickNodes; ++n)
            if (inside(brick.coord * kBrickSide + Index<3>{n % 9, n / 9 % 9, n / 81}))
                brick.v[n] = -brick.v[n];
    Index<3> c;
    for (c[2] = lo_[2]; c[2] <= last[2]; ++c[2])
        for (c[1] = lo_[1]; c[1] <= last[1]; ++c[1])
            for (c[0] = lo_[0]; c[0] <= last[0]; ++c[0]) {
                int& brick = brick_of_[number(c)];
                if (brick == kOutside && inside(c * kBrickSide)) brick = kInside;
            }
}

double MeshShape::signed_voxels(const Point<3>& g) const {
    // Far away indices would overflow; there only the bound of the far field counts.
    const Point<3> near_lo = (lo_ * kBrickSide).as<double>();
    const Point<3> near_hi = ((lo_ + size_) * kBrickSide).as<double>();
    if (!Box<3>{near_lo, near_hi}.contains(g)) return std::max(band_ - 2, far_.bound(g));

    const Index<3> voxel = floor(g);
    const int b = brick_at(voxel);
    // A voxel without a brick may have a corner in the band's last layer: two voxels to be safe.
    if (b < 0) return (b == kInside ? -1 : 1) * std::max(band_ - 2, far_.bound(g));

    const Point<3> t = g - voxel.as<double>();
    const float* v = bricks_[b].v + (voxel[0] & 7) + 9 * (voxel[1] & 7) + 81 * (voxel[2] & 7);
    const auto along_x = [&](int o) { return v[o] + t[0] * (v[o + 1] - v[o]); };
    const auto along_y = [&](int o) {
        const double below = along_x(o);
        return below + t[1] * (along_x(o + 9) - below);
    };
    const double below = along_y(0), d = below + t[2] * (along_y(81) - below);
    if (std::abs(d) < band_ - 1) return d;
    return std::copysign(std::max(std::abs(d), far_.bound(g)), d);
}

}  // namespace

ShapePtr<3> mesh_shape(const TriangleMesh& mesh, const MeshDistanceOptions& options) {
    const std::string name = mesh.name.empty() ? "the mesh" : "mesh " + mesh.name;
    SLOSH_EXPECT(options.band >= 3);
    if (!(std::isfinite(options.voxel) && options.voxel > 0))
        throw InputError(fmt::format("{}: the sampling distance is {}; it must be positive", name,
                                     options.voxel));
    for (const auto& t : mesh.triangles)
        for (const auto corner : t) SLOSH_EXPECT(corner < mesh.vertices.size());

    TriangleMesh whole = mesh;
    weld(whole);
    if (whole.triangles.empty()) throw InputError(name + " has no triangles");
    const Box<3> box = whole.bounds();
    double longest = 0, area = 0;
    for (int d = 0; d < 3; ++d) longest = std::max(longest, box.hi[d] - box.lo[d]);
    for (const auto& t : whole.triangles) {
        const Point<3>& a = whole.vertices[t[0]];
        area += length(cross(whole.vertices[t[1]] - a, whole.vertices[t[2]] - a)) / 2;
    }
    if (!std::isfinite(longest) || !std::isfinite(area))
        throw InputError(name + " has coordinates that are not finite or too large");
    if (longest / options.voxel > kMaxVoxels || area / (options.voxel * options.voxel) > kMaxFaces)
        throw InputError(fmt::format(
            "{} is {:.4g} m long, too large for a sampling distance of {:.4g} m (at most "
            "{} samples along it); check its units, scale it down or use larger cells",
            name, longest, options.voxel, kMaxVoxels));

    const std::size_t open_edges = boundary_edges(whole);
    if (open_edges > 0) {
        if (options.open_mesh_thickness == 0)
            throw InputError(
                fmt::format("{} is not closed: {} of its edges border a hole, so it has no inside; "
                            "close the holes, or give it a thickness to make it a sheet",
                            name, open_edges));
        if (!(options.open_mesh_thickness >= 2 * options.voxel))
            throw InputError(
                fmt::format("{}: a thickness of {:.4g} m is below two samples ({:.4g} m); "
                            "make it thicker or the cells smaller",
                            name, options.open_mesh_thickness, 2 * options.voxel));
    }
    return std::make_shared<MeshShape>(whole, options, open_edges > 0);
}

}  // namespace slosh
