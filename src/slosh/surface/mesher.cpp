#include "slosh/surface/mesher.h"

#include <immintrin.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <memory>
#include <vector>

#include "slosh/grid/interpolate.h"
#include "slosh/grid/tile.h"
#include "slosh/surface/sheet_table.h"

namespace slosh {

namespace {

/// The cubes that the surface crosses. A cube belongs to the block of its lowest corner.
template <int D>
struct Cubes {
    static constexpr int kRows = kBlockCells<D> / kSide;
    using Rows = std::array<std::uint8_t, kRows>;  ///< A bit for each cell of a row along x.

    BlocksPtr<D> blocks;  ///< Those that have any.
    /// Per block: where phi is for it and its upper neighbours, by the bits of the step there.
    std::vector<std::array<const float*, kChildren<D>>> phi;
    std::vector<Rows> crossed;
    Field<std::uint8_t, D> pattern;          ///< Signs of the corners of the crossed ones.
    std::vector<std::uint32_t> block_first;  ///< Per block: vertices before it; one more: all.
    std::vector<std::uint32_t> face_first;   ///< Likewise of the faces.

    /// Calls body(offset in the block) for the crossed cubes of a block, in order.
    template <class Body>
    void for_each_crossed(int b, const Body& body) const {
        for (int r = 0; r < kRows; ++r)
            for (unsigned left = crossed[b][r]; left; left &= left - 1)
                body(r * kSide + std::countr_zero(left));
    }
};

/// What takes the place of phi where it does not exist: its background if that is air.
template <int D>
const float* air_block(const Field<float, D>& phi) {
    static const std::vector<float> air(kBlockCells<D>, 1.0f);
    return phi.background() > 0 ? phi.block(phi.blocks().size()) : air.data();
}

/// The cells of a block in which phi is negative.
template <int D>
typename Cubes<D>::Rows signs_of(const float* phi) {
    typename Cubes<D>::Rows signs;
    for (int r = 0; r < Cubes<D>::kRows; ++r) {
        const __m256 row = _mm256_loadu_ps(phi + r * kSide);
        signs[r] = static_cast<std::uint8_t>(
            _mm256_movemask_ps(_mm256_cmp_ps(row, _mm256_setzero_ps(), _CMP_LT_OQ)));
    }
    return signs;
}

/// Calls body(row, the signs of the 2^(D-1) rows of corners around its cubes, nine bits each) for
/// the rows of a block that the surface crosses; `signs` are those of it and its upper neighbours.
template <int D, class Body>
void for_each_crossed_row(const typename Cubes<D>::Rows* const* signs, const Body& body) {
    constexpr int n = kSide + 1, depth = D == 3 ? n : 1, kSides = kChildren<D> / 2;
    unsigned rows[depth][n];
    for (int z = 0; z < depth; ++z)
        for (int y = 0; y < n; ++y) {
            const int there = (y >> 3) << 1 | (z >> 3) << 2, r = (z & 7) * kSide + (y & 7);
            rows[z][y] = (*signs[there])[r] | ((*signs[there | 1])[r] & 1u) << 8;
        }
    for (int r = 0; r < Cubes<D>::kRows; ++r) {
        const int y = r % kSide, z = r / kSide;
        unsigned corner[kSides], any = 0, all = ~0u;
        for (int k = 0; k < kSides; ++k) {
            corner[k] = rows[z + (k >> 1)][y + (k & 1)];
            any |= corner[k];
            all &= corner[k];
        }
        const unsigned crossed = (any | any >> 1) & ~(all & all >> 1) & 0xff;
        if (crossed) body(r, crossed, corner);
    }
}

/// The blocks that may have crossed cubes: those that exist, and those just below them.
template <int D>
std::vector<Index<D>> candidates(const Blocks<D>& blocks,
                                 const std::vector<typename Cubes<D>::Rows>& signs) {
    std::vector<Index<D>> coords;
    for (int b = 0; b < blocks.size(); ++b) {
        bool inside = false;
        for (std::uint8_t row : signs[b]) inside |= row != 0;
        for (int corner = 0; corner < kChildren<D>; ++corner) {
            Index<D> step;
            for (int d = 0; d < D; ++d) step[d] = -(corner >> d & 1);
            const bool there = blocks.neighbour(b, neighbour_code<D>(step)) < blocks.size();
            // A block that exists is asked for its own sake.
            if (corner == 0 || (inside && !there)) coords.push_back(blocks.coord(b) + step);
        }
    }
    return coords;
}

template <int D>
Cubes<D> classify(const Field<float, D>& level_set) {
    using Rows = typename Cubes<D>::Rows;
    const SheetTable<D>& table = sheet_table<D>();
    const Blocks<D>& blocks = level_set.blocks();
    std::vector<Rows> signs(blocks.size() + 1);  // the last stays: air
    parallel_for(blocks.size(), 16, [&](std::size_t b) {
        signs[b] = signs_of<D>(level_set.block(static_cast<int>(b)));
    });
    // For a candidate: the blocks of phi at its corners.
    const auto around = [&](const Index<D>& coord) {
        std::array<int, kChildren<D>> at;
        const int own = blocks.find(coord);
        for (int corner = 0; corner < kChildren<D>; ++corner) {
            Index<D> step;
            for (int d = 0; d < D; ++d) step[d] = corner >> d & 1;
            at[corner] = own < blocks.size() ? blocks.neighbour(own, neighbour_code<D>(step))
                                             : blocks.find(coord + step);
        }
        return at;
    };
    const auto signs_at = [&](const std::array<int, kChildren<D>>& at) {
        std::array<const Rows*, kChildren<D>> s;
        for (int corner = 0; corner < kChildren<D>; ++corner) s[corner] = &signs[at[corner]];
        return s;
    };

    std::vector<Index<D>> coords = candidates<D>(blocks, signs);
    std::vector<std::uint8_t> crossed(coords.size());
    parallel_for(coords.size(), 16, [&](std::size_t i) {
        for_each_crossed_row<D>(signs_at(around(coords[i])).data(),
                                [&](int, unsigned, const unsigned*) { crossed[i] = 1; });
    });
    std::size_t kept = 0;
    for (std::size_t i = 0; i < coords.size(); ++i)
        if (crossed[i]) coords[kept++] = coords[i];
    coords.resize(kept);

    Cubes<D> c;
    c.blocks = std::make_shared<const Blocks<D>>(std::move(coords));
    const std::size_t n = c.blocks->size();
    const float* const air = air_block(level_set);
    c.phi.resize(n);
    c.crossed.assign(n, Rows{});
    c.pattern = Field<std::uint8_t, D>(c.blocks, 0);
    c.block_first.assign(n + 1, 0);
    c.face_first.assign(n + 1, 0);
    parallel_for(n, 8, [&](std::size_t b) {
        const auto at = around(c.blocks->coord(static_cast<int>(b)));
        for (int corner = 0; corner < kChildren<D>; ++corner)
            c.phi[b][corner] = at[corner] < blocks.size() ? level_set.block(at[corner]) : air;
        std::uint32_t vertices = 0, faces = 0;
        std::uint8_t* out = c.pattern.block(static_cast<int>(b));
        for_each_crossed_row<D>(signs_at(at).data(),
                                [&](int r, unsigned row, const unsigned* corner) {
                                    c.crossed[b][r] = static_cast<std::uint8_t>(row);
                                    for (unsigned left = row; left; left &= left - 1) {
                                        const int x = std::countr_zero(left);
                                        unsigned pattern = 0;
                                        for (int k = 0; k < kChildren<D> / 2; ++k)
                                            pattern |= (corner[k] >> x & 3) << 2 * k;
                                        out[r * kSide + x] = static_cast<std::uint8_t>(pattern);
                                        vertices += table.sheets[pattern];
                                        for (int d = 0; d < D; ++d)
                                            faces += (pattern ^ pattern >> (1 << d)) & 1;
                                    }
                                });
        c.block_first[b + 1] = vertices;
        c.face_first[b + 1] = faces;
    });
    for (std::size_t b = 0; b < n; ++b) {
        c.block_first[b + 1] += c.block_first[b];
        c.face_first[b + 1] += c.face_first[b];
    }
    return c;
}

/// Values at the corners of a block's cubes: nine along each axis.
template <int D>
struct Corners {
    static constexpr int kStride = kSide + 1;
    static constexpr int step(int axis) {
        return axis == 0 ? 1 : axis == 1 ? kStride : kStride * kStride;
    }
    float v[D == 3 ? kStride * kStride * kStride : kStride * kStride];

    explicit Corners(const std::array<const float*, kChildren<D>>& phi) {
        for (int z = 0; z < (D == 3 ? kStride : 1); ++z)
            for (int y = 0; y < kStride; ++y) {
                const int there = (y >> 3) << 1 | (z >> 3) << 2;
                const int row = ((z & 7) * kSide + (y & 7)) * kSide;
                float* out = v + (z * kStride + y) * kStride;
                std::copy_n(phi[there] + row, kSide, out);
                out[kSide] = phi[there | 1][row];
            }
    }
};

/// Where phi crosses zero between two values of different sign.
inline double crossing(double a, double b) {
    return a / (a - b);
}

template <int D>
Vec<float, 3> widen(const Point<D>& p) {
    Vec<float, 3> r;
    for (int d = 0; d < D; ++d) r[d] = static_cast<float>(p[d]);
    return r;
}

/// The surface's points within the cube of corner `t`, in cells from there.
template <int D>
void sheet_points(const Corners<D>& corners, int t, int pattern, Point<D>* points) {
    const SheetTable<D>& table = sheet_table<D>();
    int count[kEdges<D>] = {};
    for (int s = 0; s < table.sheets[pattern]; ++s) points[s] = Point<D>{};
    for (int e = 0; e < table.crossings[pattern]; ++e) {
        const auto [axis, corner, sheet] = table.edge[pattern][e];
        int at = t;
        Point<D> x;
        for (int d = 0; d < D; ++d) {
            at += (corner >> d & 1) * Corners<D>::step(d);
            x[d] = corner >> d & 1;
        }
        x[axis] = crossing(corners.v[at], corners.v[at + Corners<D>::step(axis)]);
        points[sheet] += x;
        ++count[sheet];
    }
    for (int s = 0; s < table.sheets[pattern]; ++s) points[s] *= 1.0 / count[s];
}

/// The faces of one block: a quad (3D) or a segment (2D) for each crossed grid edge whose lower end
/// is in the block; emit(vertices of the cubes around the edge, counter-clockwise from the air).
/// `first_of` has the first vertex of each crossed cube.
template <int D, class Emit>
void for_each_face(const Cubes<D>& cubes, const Field<std::uint32_t, D>& first_of, int b,
                   const Emit& emit) {
    using P = Tile<std::uint8_t, D, 1>;
    const SheetTable<D>& table = sheet_table<D>();
    if (cubes.face_first[b] == cubes.face_first[b + 1]) return;
    P pattern;
    Tile<std::uint32_t, D, 1> first;
    pattern.load(cubes.pattern, b);
    first.load(first_of, b);
    cubes.for_each_crossed(b, [&](int o) {
        const int t = P::offset(local_cell<D>(o)), own = pattern.v[t];
        for (int d = 0; d < D; ++d) {
            const bool inside = own & 1;
            if (inside == static_cast<bool>(own >> (1 << d) & 1)) continue;
            // Cubes around the edge, counter-clockwise about +d; a cube one back along an axis sees
            // the edge at its upper side there.
            const int a = (d + 1) % D, c = (d + 2) % D;
            constexpr int back[4][2] = {{0, 0}, {1, 0}, {1, 1}, {0, 1}};
            std::uint32_t v[4];
            for (int k = 0; k < (D == 3 ? 4 : 2); ++k) {
                const int at = t - back[k][0] * P::step(a) - (D == 3 ? back[k][1] * P::step(c) : 0);
                const int corner = back[k][0] << a | (D == 3 ? back[k][1] << c : 0);
                v[k] = first.v[at] + table.sheet_of[pattern.v[at]][edge_number<D>(d, corner)];
            }
            // A 2D segment runs with the liquid on its left.
            bool flip = !inside;
            if (D == 2 && d == 0) flip = !flip;
            if (flip) std::reverse(v, v + (D == 3 ? 4 : 2));
            emit(v);
        }
    });
}

}  // namespace

template <int D>
SurfaceMesh mesh_surface(const Field<float, D>& phi, const GridGeometry<D>& grid,
                         const FaceField<float, D>* velocity,
                         const GridGeometry<D>* velocity_grid) {
    const Cubes<D> cubes = classify(phi);
    const Blocks<D>& blocks = *cubes.blocks;
    const GridGeometry<D>& own_grid = velocity_grid ? *velocity_grid : grid;
    SurfaceMesh mesh;
    mesh.dim = D;
    mesh.vertices.resize(cubes.block_first.back());
    mesh.velocities.resize(cubes.block_first.back());
    Field<std::uint32_t, D> first(cubes.blocks, 0);
    parallel_for(blocks.size(), 4, [&](std::size_t i) {
        const int b = static_cast<int>(i);
        const Corners<D> corners(cubes.phi[b]);
        std::unique_ptr<VelocitySampler<D>> sample;
        if (velocity) sample = std::make_unique<VelocitySampler<D>>(*velocity);
        std::uint32_t n = cubes.block_first[b];
        cubes.for_each_crossed(b, [&](int o) {
            const Index<D> local = local_cell<D>(o);
            int t = 0;
            for (int d = 0; d < D; ++d) t += local[d] * Corners<D>::step(d);
            const int pattern = cubes.pattern.block(b)[o];
            Point<D> points[kEdges<D>];
            sheet_points<D>(corners, t, pattern, points);
            const Index<D> cell = blocks.first_cell(b) + local;
            first.block(b)[o] = n;
            for (int s = 0; s < sheet_table<D>().sheets[pattern]; ++s, ++n) {
                const Point<D> x =
                    grid.to_world(cell.template as<double>() + Point<D>::filled(0.5) + points[s]);
                mesh.vertices[n] = widen<D>(x);
                if (sample) mesh.velocities[n] = widen<D>((*sample)(own_grid.to_grid(x)));
            }
        });
    });

    constexpr std::uint32_t kElements = D == 3 ? 2 : 1;  // of a face
    mesh.elements.resize(kElements * cubes.face_first.back());
    parallel_for(blocks.size(), 8, [&](std::size_t b) {
        std::uint32_t n = kElements * cubes.face_first[b];
        for_each_face(cubes, first, static_cast<int>(b), [&](const std::uint32_t* v) {
            if constexpr (D == 2) {
                mesh.elements[n++] = {v[0], v[1], 0};
            } else {
                // Split along the shorter diagonal: fewer slivers, smoother shading.
                const auto p = mesh.vertices[v[0]] - mesh.vertices[v[2]];
                const auto q = mesh.vertices[v[1]] - mesh.vertices[v[3]];
                const int s = dot(p, p) <= dot(q, q) ? 0 : 1;
                mesh.elements[n++] = {v[s], v[s + 1], v[s + 2]};
                mesh.elements[n++] = {v[s], v[s + 2], v[(s + 3) % 4]};
            }
        });
    });
    return mesh;
}

template SurfaceMesh mesh_surface<2>(const Field<float, 2>&, const GridGeometry<2>&,
                                     const FaceField<float, 2>*, const GridGeometry<2>*);
template SurfaceMesh mesh_surface<3>(const Field<float, 3>&, const GridGeometry<3>&,
                                     const FaceField<float, 3>*, const GridGeometry<3>*);

}  // namespace slosh
