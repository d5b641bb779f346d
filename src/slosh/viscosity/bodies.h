// Rigid bodies in the viscous system [Takahashi2019, sec. 3.4]: their twists are unknowns beside
// the faces, so the matrix stays sparse,
//
//     [ A    B ] [x]   [ b   ]        B = K W_S J,     S = M + (W_S J)^T K (W_S J)             (V4)
//     [ B^T  S ] [V] = [ M V*]
//
// W_S J V is the part of the averaged velocity that the bodies' twists make: the shares of the
// faces' boxes that each body fills, times its motion there. K is that of (V3), over the samples
// beside bodies that liquid touches. A body that may not move freely has V = N a: only the columns
// of N are unknowns, the others drop out.
#pragma once

#include <functional>

#include "slosh/grid/geometry.h"
#include "slosh/shape/placed_body.h"
#include "slosh/viscosity/system.h"

namespace slosh {

template <int D>
constexpr int kTwist = D == 3 ? 6 : 3;

template <int D>
struct ViscousBody {
    PlacedBody<D> placed;
    Mat<kTwist<D>> mass;   ///< kg, kg m, kg m^2 over rho dx^D
    Mat<kTwist<D>> basis;  ///< N, column by column; a zero column is no unknown.
};

/// What of the faces' boxes each body fills, by block, then body. `open` is that of all solids:
/// where bodies and other solids meet, what is closed is shared in proportion to what each closes
/// alone.
template <int D>
std::vector<BodyFace> body_volumes(const GridGeometry<D>& grid,
                                   const std::vector<ViscousBody<D>>& bodies,
                                   const SampleVolumes<D>& open, VolumeKind kind);

/// W_S u_solid on every face: what is known of it. Where bodies have a share, the rest moves with
/// `others(world point)`; their own share counts, with the velocity they have, unless they are
/// `unknown`.
template <int D>
FaceField<float, D> solid_motion(const GridGeometry<D>& grid, const SampleVolumes<D>& open,
                                 const FaceField<float, D>& solid_velocity,
                                 const std::vector<ViscousBody<D>>& bodies,
                                 const std::vector<BodyFace>& faces, bool unknown,
                                 const std::function<Point<D>(const Point<D>&)>& others);

/// B N by its entries, body after body, by row.
template <int D>
struct BodyEntries {
    struct Entry {
        int row;
        double f[kTwist<D>];
    };
    std::vector<Entry> entries;
    std::vector<std::size_t> first = {0};  ///< Of each body.

    int bodies() const { return static_cast<int>(first.size()) - 1; }
    int size() const { return bodies() * kTwist<D>; }
    std::size_t bytes() const { return entries.size() * sizeof(Entry); }
    /// Appends a body; entries of one row are summed.
    void add_body(std::vector<Entry> list);
    /// y += s B a
    template <class T>
    void add_to_rows(double s, const double* a, std::vector<T>& y) const {
        for (int b = 0; b < bodies(); ++b)
            for (std::size_t i = first[b]; i < first[b + 1]; ++i) {
                double sum = 0;
                for (int k = 0; k < kTwist<D>; ++k) sum += entries[i].f[k] * a[b * kTwist<D> + k];
                y[entries[i].row] += static_cast<T>(s * sum);
            }
    }
    /// y += s B^T x
    template <class T>
    void add_to_bodies(double s, const std::vector<T>& x, double* y) const {
        for (int b = 0; b < bodies(); ++b)
            for (std::size_t i = first[b]; i < first[b + 1]; ++i)
                for (int k = 0; k < kTwist<D>; ++k)
                    y[b * kTwist<D> + k] += s * entries[i].f[k] * x[entries[i].row];
    }
};

template <int D>
struct BodyColumns : BodyEntries<D> {
    using typename BodyEntries<D>::Entry;
    using BodyEntries<D>::size;
    std::vector<double> stiffness;  ///< N^T S N, dense; 1 on the diagonal where N is zero.
    std::vector<double> mass;       ///< Diagonal of N^T M N, likewise.
    std::vector<double> rhs;        ///< N^T (M V* - what solids of known velocity pull).
    std::vector<Mat<kTwist<D>>> basis;
    std::vector<Point<D>> centre;  ///< In cells.
    double dx = 0;                 ///< m

    /// y += s S a
    void add_stiffness(double s, const double* a, double* y) const;
    /// yx += B a, ya = B^T x + S a; `x`, `y` hold rows, then the bodies' numbers.
    void multiply(int rows, const std::vector<double>& x, std::vector<double>& y) const;
    /// V = N a of body n.
    Vec<double, kTwist<D>> twist(const double* a, int n) const;
    /// a of body n that comes nearest to the twist V: least squares on the columns of N.
    void nearest(const Vec<double, kTwist<D>>& v, int n, double* a) const;
    /// a of all bodies from the velocities that they have.
    void guess(const std::vector<ViscousBody<D>>& bodies, double* a) const;
};

/// `moved` is what assembled `system`, the bodies' own share left out.
template <int D>
BodyColumns<D> couple_bodies(const GridGeometry<D>& grid, const ViscousSystem<D>& system,
                             const FaceField<float, D>& moved,
                             const std::vector<ViscousBody<D>>& bodies,
                             const std::vector<BodyFace>& faces);

}  // namespace slosh
