// Clouds of particles and the grids around them, for the tests of this folder.
#pragma once

#include <cstring>

#include "common.h"
#include "slosh/base/hash.h"
#include "slosh/grid/field.h"
#include "slosh/particles/particles.h"

namespace slosh {

/// n particles scattered evenly over a cube around the origin, with random velocities in [-1, 1]
/// and, if affine, random c; ids count up.
template <int D>
Particles<D> random_cloud(std::size_t n, double half_side, bool affine, std::uint64_t seed = 1) {
    Particles<D> p;
    p.resize(n, affine);
    for (std::size_t i = 0; i < n; ++i) {
        std::uint64_t draw = 0;
        const auto symmetric = [&] { return 2 * hash_uniform(seed, i, draw++) - 1; };
        for (int d = 0; d < D; ++d) p.x[d][i] = static_cast<float>(half_side * symmetric());
        for (int d = 0; d < D; ++d) p.v[d][i] = static_cast<float>(symmetric());
        for (int d = 0; d < D && affine; ++d)
            for (int e = 0; e < D; ++e) p.c[d][e][i] = static_cast<float>(symmetric());
        p.id[i] = static_cast<std::uint32_t>(i);
    }
    return p;
}

/// The particle blocks with all their neighbours: the topology of a step.
template <int D>
BlocksPtr<D> around(const ParticleBlocks<D>& pblocks) {
    std::vector<Index<D>> coords;
    for (int b = 0; b < pblocks.blocks->size(); ++b)
        for (int code = 0; code < kNeighbours<D>; ++code)
            coords.push_back(pblocks.blocks->coord(b) + neighbour_offset<D>(code));
    return std::make_shared<const Blocks<D>>(std::move(coords));
}

/// All blocks that overlap the cube [-half, half)^D of cells.
template <int D>
BlocksPtr<D> cube_of_blocks(int half) {
    std::vector<Index<D>> coords;
    const int m = half / kSide;
    Index<D> b = Index<D>::filled(-m);
    while (b[D - 1] < m) {
        coords.push_back(b);
        ++b[0];
        for (int d = 0; d + 1 < D && b[d] >= m; ++d) {
            b[d] = -m;
            ++b[d + 1];
        }
    }
    return std::make_shared<const Blocks<D>>(std::move(coords));
}

/// Sets every value of a field to f(cell index).
template <int D, class F>
void fill_field(Field<float, D>& field, const F& f) {
    for (int b = 0; b < field.blocks().size(); ++b)
        for (int o = 0; o < kBlockCells<D>; ++o)
            field.block(b)[o] =
                static_cast<float>(f(field.blocks().first_cell(b) + local_cell<D>(o)));
}

/// Grid coordinates of a face.
template <int D>
Point<D> face_point(int axis, const Index<D>& cell) {
    Point<D> g = cell.template as<double>() + Point<D>::filled(0.5);
    g[axis] -= 0.5;
    return g;
}

/// Sets a staggered field to u(point)[axis].
template <int D, class F>
void fill_faces(FaceField<float, D>& field, const F& u) {
    for (int axis = 0; axis < D; ++axis)
        fill_field<D>(field.axis(axis),
                      [&](const Index<D>& cell) { return u(face_point<D>(axis, cell))[axis]; });
}

/// A solid distance that says: no solid anywhere.
template <int D>
Field<float, D> no_solid(const BlocksPtr<D>& blocks) {
    return Field<float, D>(blocks, 1e3f);
}

template <class A>
bool same_bytes(const A& a, const A& b) {
    return a.size() == b.size() &&
           (a.empty() || std::memcmp(a.data(), b.data(), a.size() * sizeof(a[0])) == 0);
}
template <int D>
bool same_bytes(const Particles<D>& a, const Particles<D>& b) {
    bool same = same_bytes(a.id, b.id);
    for (int d = 0; d < D; ++d) {
        same = same && same_bytes(a.x[d], b.x[d]) && same_bytes(a.v[d], b.v[d]);
        for (int e = 0; e < D; ++e) same = same && same_bytes(a.c[d][e], b.c[d][e]);
    }
    return same;
}

/// A matrix with nothing special about it.
template <int D>
Mat<D> some_matrix() {
    Mat<D> a;
    for (int i = 0; i < D; ++i)
        for (int j = 0; j < D; ++j) a.row[i][j] = 2 * hash_uniform(77, i, j) - 1;
    return a;
}

}  // namespace slosh
