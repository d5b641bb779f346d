#include "slosh/viscosity/bodies.h"

#include <algorithm>
#include <tuple>
#include <unordered_map>

#include "slosh/shape/motion_along.h"
#include "slosh/viscosity/dense.h"

namespace slosh {

namespace {

/// A face or a stress sample: its cell by block and offset, and which of the cell's it is.
struct Place {
    int block, offset, kind;
    auto operator<=>(const Place&) const = default;
};

template <int D>
std::uint64_t key(const Place& p) {
    return (static_cast<std::uint64_t>(p.block) * kBlockCells<D> + p.offset) * 8 + p.kind;
}

/// The neighbour `step` cells along `axis`; a block that does not exist has the topology's size.
template <int D>
Place moved_along(const Blocks<D>& blocks, Place p, int axis, int step, int kind) {
    Index<D> local = local_cell<D>(p.offset);
    local[axis] += step;
    p.kind = kind;
    if (local[axis] < 0 || local[axis] >= kSide) {
        Index<D> side;
        side[axis] = local[axis] < 0 ? -1 : 1;
        p.block = p.block < blocks.size() ? blocks.neighbour(p.block, neighbour_code<D>(side))
                                          : blocks.size();
        local[axis] &= kSide - 1;
    }
    p.offset = cell_offset<D>(local);
    return p;
}

/// Kinds of samples: the normal strain along each axis, then the pairs.
template <int D>
int shear_kind(int a, int c) {
    return D + pair_of(std::min(a, c), std::max(a, c));
}

/// Faces of a sample with their signs in its strain; returns how many.
template <int D>
int sample_faces(const Blocks<D>& blocks, const Place& s, Place (&face)[4], double (&sign)[4]) {
    if (s.kind < D) {
        face[0] = moved_along<D>(blocks, s, s.kind, 1, s.kind);
        face[1] = s;
        sign[0] = 1, sign[1] = -1;
        return 2;
    }
    for (int a = 0; a < D; ++a)
        for (int c = a + 1; c < D; ++c) {
            if (shear_kind<D>(a, c) != s.kind) continue;
            face[0] = {s.block, s.offset, a};
            face[1] = moved_along<D>(blocks, s, c, -1, a);
            face[2] = {s.block, s.offset, c};
            face[3] = moved_along<D>(blocks, s, a, -1, c);
            for (int k = 0; k < 4; ++k) sign[k] = k % 2 ? -1 : 1;
        }
    return 4;
}

/// Samples next to the faces of bodies, each once, in block order.
template <int D>
std::vector<Place> samples_beside(const Blocks<D>& blocks, const std::vector<BodyFace>& faces) {
    std::vector<Place> samples;
    for (const BodyFace& f : faces) {
        const Place p{f.block, f.offset, f.axis};
        samples.push_back(p);
        samples.push_back(moved_along<D>(blocks, p, f.axis, -1, f.axis));
        for (int c = 0; c < D; ++c) {
            if (c == f.axis) continue;
            const int kind = shear_kind<D>(f.axis, c);
            samples.push_back({f.block, f.offset, kind});
            samples.push_back(moved_along<D>(blocks, p, c, 1, kind));
        }
    }
    std::sort(samples.begin(), samples.end());
    samples.erase(std::unique(samples.begin(), samples.end()), samples.end());
    return samples;
}

template <int D>
Vec<double, kTwist<D>> transposed_times(const Mat<kTwist<D>>& m, const Vec<double, kTwist<D>>& v) {
    Vec<double, kTwist<D>> r;
    for (int k = 0; k < kTwist<D>; ++k) r += m.row[k] * v[k];
    return r;
}

}  // namespace

template <int D>
void BodyEntries<D>::add_body(std::vector<Entry> list) {
    std::stable_sort(list.begin(), list.end(),
                     [](const Entry& p, const Entry& q) { return p.row < q.row; });
    for (const Entry& e : list) {
        if (entries.size() == first.back() || entries.back().row != e.row) {
            entries.push_back(e);
            continue;
        }
        for (int m = 0; m < kTwist<D>; ++m) entries.back().f[m] += e.f[m];
    }
    first.push_back(entries.size());
}

template <int D>
BodyColumns<D> couple_bodies(const GridGeometry<D>& grid, const ViscousSystem<D>& system,
                             const FaceField<float, D>& moved,
                             const std::vector<ViscousBody<D>>& bodies,
                             const std::vector<BodyFace>& faces) {
    constexpr int K = kTwist<D>;
    using Twist = Vec<double, K>;
    using Entry = typename BodyColumns<D>::Entry;
    const Blocks<D>& blocks = *system.rows.blocks;
    const int count = static_cast<int>(bodies.size()), size = count * K;
    BodyColumns<D> out;
    out.stiffness.assign(static_cast<std::size_t>(size) * size, 0);
    out.rhs.assign(size, 0);
    out.dx = grid.dx;

    // W_S J of every face that a body has a share of; several bodies follow each other.
    std::unordered_map<std::uint64_t, std::vector<int>> at;
    for (int i = 0; i < static_cast<int>(faces.size()); ++i)
        at[key<D>({faces[i].block, faces[i].offset, faces[i].axis})].push_back(i);
    const auto share_motion = [&](const BodyFace& f) {
        const Index<D> cell = blocks.first_cell(f.block) + local_cell<D>(f.offset);
        return motion_along<D>(f.axis, grid.face(f.axis, cell) - bodies[f.body].placed.centre) *
               double(f.share);
    };

    std::vector<std::vector<Entry>> columns(count);
    for (const Place& s : samples_beside<D>(blocks, faces)) {
        if (s.block == blocks.size()) continue;
        const double c = s.kind < D ? system.normal.block(s.block)[s.offset]
                                    : system.shear[s.kind - D].block(s.block)[s.offset];
        if (!(c > 0)) continue;
        Place face[4];
        double sign[4];
        const int n = sample_faces<D>(blocks, s, face, sign);
        int row[4];
        bool touched = false;
        std::vector<std::pair<int, Twist>> strain;  // by body
        double known = 0;
        for (int k = 0; k < n; ++k) {
            row[k] = system.rows.number.axis(face[k].kind).block(face[k].block)[face[k].offset];
            touched |= row[k] >= 0;
            known += sign[k] * moved.axis(face[k].kind).block(face[k].block)[face[k].offset];
            const auto found = at.find(key<D>(face[k]));
            if (found == at.end()) continue;
            for (const int i : found->second) {
                auto it = std::find_if(strain.begin(), strain.end(),
                                       [&](const auto& e) { return e.first == faces[i].body; });
                if (it == strain.end()) it = strain.insert(it, {faces[i].body, Twist{}});
                it->second += share_motion(faces[i]) * sign[k];
            }
        }
        if (!touched) continue;  // bodies and walls among themselves: contact, not liquid
        for (const auto& [b, e] : strain) {
            for (int k = 0; k < n; ++k) {
                if (row[k] < 0) continue;
                Entry entry{row[k], {}};
                for (int m = 0; m < K; ++m) entry.f[m] = c * sign[k] * e[m];
                columns[b].push_back(entry);
            }
            for (int m = 0; m < K; ++m) out.rhs[b * K + m] -= c * e[m] * known;
            for (const auto& [b2, e2] : strain)
                for (int m = 0; m < K; ++m)
                    for (int m2 = 0; m2 < K; ++m2)
                        out.stiffness[static_cast<std::size_t>(b * K + m) * size + b2 * K + m2] +=
                            c * e[m] * e2[m2];
        }
    }

    // One entry a row, in the unknowns that the bodies have.
    for (int b = 0; b < count; ++b) {
        for (Entry& e : columns[b]) {
            Twist f;
            for (int m = 0; m < K; ++m) f[m] = e.f[m];
            f = transposed_times<D>(bodies[b].basis, f);
            for (int m = 0; m < K; ++m) e.f[m] = f[m];
        }
        out.add_body(std::move(columns[b]));
        out.basis.push_back(bodies[b].basis);
        out.centre.push_back(grid.to_grid(bodies[b].placed.centre));
        // M V* and M.
        Twist v;
        for (int d = 0; d < D; ++d) v[d] = bodies[b].placed.velocity[d];
        for (int k = D; k < K; ++k) v[k] = bodies[b].placed.spin[k - K + 3];
        const Twist momentum = bodies[b].mass * v;
        for (int m = 0; m < K; ++m) {
            out.rhs[b * K + m] += momentum[m];
            for (int m2 = 0; m2 < K; ++m2)
                out.stiffness[static_cast<std::size_t>(b * K + m) * size + b * K + m2] +=
                    bodies[b].mass.row[m][m2];
        }
    }
    // N^T . N
    const std::vector<double> full = out.stiffness;
    const std::vector<double> force = out.rhs;
    out.mass.assign(size, 0);
    for (int b = 0; b < count; ++b) {
        const Mat<K> nt = bodies[b].basis.transposed();
        Twist f;
        for (int m = 0; m < K; ++m) f[m] = force[b * K + m];
        f = nt * f;
        for (int m = 0; m < K; ++m) out.rhs[b * K + m] = f[m];
        const Mat<K> own = nt * (bodies[b].mass * bodies[b].basis);
        for (int b2 = 0; b2 < count; ++b2) {
            Mat<K> block;
            for (int m = 0; m < K; ++m)
                for (int m2 = 0; m2 < K; ++m2)
                    block.row[m][m2] =
                        full[static_cast<std::size_t>(b * K + m) * size + b2 * K + m2];
            block = nt * (block * bodies[b2].basis);
            for (int m = 0; m < K; ++m)
                for (int m2 = 0; m2 < K; ++m2)
                    out.stiffness[static_cast<std::size_t>(b * K + m) * size + b2 * K + m2] =
                        block.row[m][m2];
        }
        for (int m = 0; m < K; ++m) {
            const bool dead = dot(nt.row[m], nt.row[m]) == 0;
            out.mass[b * K + m] = dead ? 1 : own.row[m][m];
            if (dead) out.stiffness[static_cast<std::size_t>(b * K + m) * (size + 1)] = 1;
        }
    }
    return out;
}

template <int D>
void BodyColumns<D>::add_stiffness(double s, const double* a, double* y) const {
    const int n = size();
    for (int i = 0; i < n; ++i)
        for (int j = 0; j < n; ++j)
            y[i] += s * stiffness[static_cast<std::size_t>(i) * n + j] * a[j];
}

template <int D>
void BodyColumns<D>::multiply(int rows, const std::vector<double>& x,
                              std::vector<double>& y) const {
    std::fill(y.begin() + rows, y.end(), 0.0);
    add_stiffness(1, x.data() + rows, y.data() + rows);
    this->add_to_rows(1, x.data() + rows, y);
    this->add_to_bodies(1, x, y.data() + rows);
}

template <int D>
Vec<double, kTwist<D>> BodyColumns<D>::twist(const double* a, int n) const {
    Vec<double, kTwist<D>> v;
    for (int k = 0; k < kTwist<D>; ++k) v[k] = a[n * kTwist<D> + k];
    return basis[n] * v;
}

template <int D>
void BodyColumns<D>::nearest(const Vec<double, kTwist<D>>& v, int n, double* a) const {
    constexpr int K = kTwist<D>;
    const Mat<K> nt = basis[n].transposed();
    const Mat<K> gram = nt * basis[n];
    std::vector<double> g;
    for (const auto& row : gram.row) g.insert(g.end(), row.v, row.v + K);
    const Vec<double, K> right = nt * v;
    std::copy(right.v, right.v + K, a + n * K);
    DenseCholesky(std::move(g), K, 1e-9).solve(a + n * K);
}

template <int D>
void BodyColumns<D>::guess(const std::vector<ViscousBody<D>>& list, double* a) const {
    constexpr int K = kTwist<D>;
    for (int b = 0; b < this->bodies(); ++b) {
        Vec<double, K> v;
        for (int d = 0; d < D; ++d) v[d] = list[b].placed.velocity[d];
        for (int k = D; k < K; ++k) v[k] = list[b].placed.spin[k - K + 3];
        nearest(v, b, a);
    }
}

#define SLOSH_INSTANTIATE(D)                                                         \
    template struct BodyEntries<D>;                                                  \
    template struct BodyColumns<D>;                                                  \
    template BodyColumns<D> couple_bodies<D>(                                        \
        const GridGeometry<D>&, const ViscousSystem<D>&, const FaceField<float, D>&, \
        const std::vector<ViscousBody<D>>&, const std::vector<BodyFace>&);
SLOSH_INSTANTIATE(2)
SLOSH_INSTANTIATE(3)
#undef SLOSH_INSTANTIATE

}  // namespace slosh
