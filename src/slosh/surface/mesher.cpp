#include "slosh/surface/mesher.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <vector>

#include "slosh/grid/interpolate.h"
#include "slosh/grid/tile.h"

namespace slosh {

namespace {

/// Number of the edge along `axis` whose lower corner has the bits `corner` (bit `axis` is 0).
template <int D>
constexpr int edge_number(int axis, int corner) {
    const int below = corner & ((1 << axis) - 1), above = corner >> (axis + 1);
    return axis * (kChildren<D> / 2) + (above << axis | below);
}
template <int D>
constexpr int kEdges = D* kChildren<D> / 2;

/// For each of the 2^(2^D) sign patterns of a cube's corners (bit set: inside): how many sheets of
/// surface pass, and which of them crosses each edge.
template <int D>
struct SheetTable {
    static constexpr int kPatterns = 1 << kChildren<D>;
    std::uint8_t sheets[kPatterns];
    std::uint8_t sheet_of[kPatterns][kEdges<D>];  ///< 255 where the edge is not crossed.
    struct Crossed {
        std::uint8_t axis, corner, sheet;
    };
    Crossed edge[kPatterns][kEdges<D>];  ///< The edges that are.
    std::uint8_t crossings[kPatterns];      ///< Their number.

    SheetTable() {
        for (int pattern = 0; pattern < kPatterns; ++pattern) build(pattern);
    }

private:
    void build(int pattern) {
        int root[kEdges<D>];
        for (int e = 0; e < kEdges<D>; ++e) root[e] = e;
        auto find = [&](int e) {
            while (root[e] != e) e = root[e];
            return e;
        };
        auto inside = [&](int corner) { return pattern >> corner & 1; };
        auto join = [&](int e, int f) {
            root[std::max(find(e), find(f))] = std::min(find(e), find(f));
        };
        // On every square face the crossed edges are joined in pairs: around each inside corner if
        // the two inside corners are opposite. Both cubes at a face decide alike.
        for (int a = 0; a < D; ++a)
            for (int b = a + 1; b < D; ++b)
                for (int base = 0; base < kChildren<D>; ++base) {
                    if (base >> a & 1 || base >> b & 1) continue;
                    const int c[4] = {base, base | 1 << a, base | 1 << a | 1 << b, base | 1 << b};
                    const int e[4] = {edge_number<D>(a, c[0]), edge_number<D>(b, c[1]),
                                      edge_number<D>(a, c[3]), edge_number<D>(b, c[0])};
                    // Edge i runs from corner i to i+1; corner i lies between edges i-1 and i.
                    int crossed[4], n = 0;
                    for (int i = 0; i < 4; ++i)
                        if (inside(c[i]) != inside(c[(i + 1) % 4])) crossed[n++] = i;
                    if (n == 2) join(e[crossed[0]], e[crossed[1]]);
                    if (n == 4)
                        for (int i = 0; i < 4; ++i)
                            if (inside(c[i])) join(e[i], e[(i + 3) % 4]);
                }
        int number[kEdges<D>], count = 0;
        crossings[pattern] = 0;
        for (int axis = 0; axis < D; ++axis)
            for (int corner = 0; corner < kChildren<D>; ++corner) {
                if (corner >> axis & 1) continue;
                const int e = edge_number<D>(axis, corner);
                sheet_of[pattern][e] = 255;
                if (inside(corner) == inside(corner | 1 << axis)) continue;
                const int r = find(e);
                if (r == e) number[e] = count++;
                sheet_of[pattern][e] = static_cast<std::uint8_t>(number[r]);
                edge[pattern][crossings[pattern]++] = {static_cast<std::uint8_t>(axis),
                                                          static_cast<std::uint8_t>(corner),
                                                          sheet_of[pattern][e]};
            }
        sheets[pattern] = static_cast<std::uint8_t>(count);
    }
};

template <int D>
const SheetTable<D>& sheet_table() {
    static const SheetTable<D> table;
    return table;
}

/// The cubes that the surface may cross; a cube belongs to the block of its lowest corner.
template <int D>
struct Cubes {
    Field<float, D> phi;              ///< Copied to the blocks below and their upper neighbours.
    std::vector<std::uint8_t> owner;  ///< Per block: its cubes may be crossed.
    Field<std::uint8_t, D> pattern;   ///< Signs of the cube's corners; 0 where not an owner.
    Field<std::uint32_t, D> first;    ///< First vertex of each crossed cube.
    std::vector<std::uint32_t> block_first;  ///< Per block: vertices before it; one more: all.
    std::vector<std::uint32_t> face_first;   ///< Likewise of the faces.
};

/// Finds the owners and copies phi around them; what does not exist becomes air.
template <int D>
void select_blocks(const Field<float, D>& phi, Cubes<D>& cubes) {
    const Blocks<D>& blocks = phi.blocks();
    std::vector<std::uint8_t> crossed(blocks.size());
    parallel_for(blocks.size(), 16, [&](std::size_t i) {
        const int b = static_cast<int>(i);
        bool inside = false, outside = false;
        for (int o = 0; o < kBlockCells<D>; ++o) inside |= phi.block(b)[o] < 0;
        if (!inside) return;
        Tile<float, D, 1> tile;
        tile.load(phi, b);
        for (float v : tile.v) outside |= !(v < 0);
        for (int nb : blocks.neighbours(b)) outside |= nb == blocks.size();
        crossed[b] = outside;
    });
    std::vector<Index<D>> coords;
    for (int b = 0; b < blocks.size(); ++b)
        if (crossed[b])
            for (int corner = 0; corner < kChildren<D>; ++corner) {
                Index<D> c = blocks.coord(b);
                for (int d = 0; d < D; ++d) c[d] -= corner >> d & 1;
                coords.push_back(c);
            }
    const Blocks<D> owners(coords);
    // The upper neighbours too: their cells are the far corners of the last cubes.
    const std::size_t n = coords.size();
    for (std::size_t i = 0; i < n; ++i)
        for (int corner = 1; corner < kChildren<D>; ++corner) {
            Index<D> c = coords[i];
            for (int d = 0; d < D; ++d) c[d] += corner >> d & 1;
            coords.push_back(c);
        }
    auto topology = std::make_shared<const Blocks<D>>(std::move(coords));
    const float air = phi.background() > 0 ? phi.background() : 1.0f;
    cubes.phi = Field<float, D>(topology, air);
    cubes.owner.resize(topology->size());
    parallel_for(topology->size(), 16, [&](std::size_t i) {
        const int b = static_cast<int>(i);
        const int from = blocks.find(topology->coord(b));
        if (from < blocks.size()) std::copy_n(phi.block(from), kBlockCells<D>, cubes.phi.block(b));
        cubes.owner[b] = owners.find(topology->coord(b)) < owners.size();
    });
}

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

/// The surface's points within one cube, in grid coordinates from the cube's lowest cell centre.
template <int D>
void sheet_points(const Tile<float, D, 1>& tile, int t, int pattern, Point<D>* points) {
    const SheetTable<D>& table = sheet_table<D>();
    int count[kEdges<D>] = {};
    for (int s = 0; s < table.sheets[pattern]; ++s) points[s] = Point<D>{};
    for (int e = 0; e < table.crossings[pattern]; ++e) {
        const auto [axis, corner, sheet] = table.edge[pattern][e];
        int at = t;
        Point<D> x;
        for (int d = 0; d < D; ++d) {
            at += (corner >> d & 1) * Tile<float, D, 1>::step(d);
            x[d] = corner >> d & 1;
        }
        x[axis] = crossing(tile.v[at], tile.v[at + Tile<float, D, 1>::step(axis)]);
        points[sheet] += x;
        ++count[sheet];
    }
    for (int s = 0; s < table.sheets[pattern]; ++s) points[s] *= 1.0 / count[s];
}

template <int D>
Cubes<D> classify(const Field<float, D>& level_set) {
    const SheetTable<D>& table = sheet_table<D>();
    Cubes<D> c;
    select_blocks(level_set, c);
    const BlocksPtr<D>& blocks = c.phi.blocks_ptr();
    c.pattern = Field<std::uint8_t, D>(blocks, 0);
    c.first = Field<std::uint32_t, D>(blocks, 0);
    c.block_first.assign(blocks->size() + 1, 0);
    c.face_first.assign(blocks->size() + 1, 0);
    parallel_for(blocks->size(), 8, [&](std::size_t i) {
        const int b = static_cast<int>(i);
        if (!c.owner[b]) return;
        Tile<float, D, 1> tile;
        tile.load(c.phi, b);
        std::uint32_t n = 0, faces = 0;
        int inside = 0;
        for (float v : tile.v) inside += v < 0;
        if (inside == 0) return;  // as the fields are
        if (inside == Tile<float, D, 1>::kCells) {
            std::fill_n(c.pattern.block(b), kBlockCells<D>,
                        static_cast<std::uint8_t>(table.kPatterns - 1));
            return;
        }
        for_each_cell<D, 1>([&](const Index<D>&, int o, int t) {
            int pattern = 0;
            for (int corner = 0; corner < kChildren<D>; ++corner) {
                int at = t;
                for (int d = 0; d < D; ++d) at += (corner >> d & 1) * Tile<float, D, 1>::step(d);
                pattern |= (tile.v[at] < 0) << corner;
            }
            c.pattern.block(b)[o] = static_cast<std::uint8_t>(pattern);
            c.first.block(b)[o] = n;
            n += table.sheets[pattern];
            for (int d = 0; d < D; ++d) faces += (pattern ^ pattern >> (1 << d)) & 1;
        });
        c.block_first[b + 1] = n;
        c.face_first[b + 1] = faces;
    });
    for (int b = 0; b < blocks->size(); ++b) {
        c.block_first[b + 1] += c.block_first[b];
        c.face_first[b + 1] += c.face_first[b];
    }
    parallel_for(blocks->size(), 32, [&](std::size_t i) {
        std::uint32_t* f = c.first.block(static_cast<int>(i));
        for (int o = 0; o < kBlockCells<D>; ++o) f[o] += c.block_first[i];
    });
    return c;
}

/// The faces of one block: a quad (3D) or a segment (2D) for each crossed grid edge whose lower end
/// is in the block; emit(vertices of the cubes around the edge, counter-clockwise from the air).
template <int D, class Emit>
void for_each_face(const Cubes<D>& cubes, int b, const Emit& emit) {
    using P = Tile<std::uint8_t, D, 1>;
    const SheetTable<D>& table = sheet_table<D>();
    if (cubes.face_first[b] == cubes.face_first[b + 1]) return;
    P pattern;
    Tile<std::uint32_t, D, 1> first;
    pattern.load(cubes.pattern, b);
    first.load(cubes.first, b);
    for_each_cell<D, 1>([&](const Index<D>&, int, int t) {
        const int own = pattern.v[t];
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
    const Blocks<D>& blocks = cubes.phi.blocks();
    const GridGeometry<D>& own_grid = velocity_grid ? *velocity_grid : grid;
    SurfaceMesh mesh;
    mesh.dim = D;
    mesh.vertices.resize(cubes.block_first.back());
    mesh.velocities.resize(cubes.block_first.back());
    parallel_for(blocks.size(), 4, [&](std::size_t i) {
        const int b = static_cast<int>(i);
        if (cubes.block_first[b] == cubes.block_first[b + 1]) return;
        Tile<float, D, 1> tile;
        tile.load(cubes.phi, b);
        std::unique_ptr<VelocitySampler<D>> sample;
        if (velocity) sample = std::make_unique<VelocitySampler<D>>(*velocity);
        for_each_cell<D, 1>([&](const Index<D>& local, int o, int t) {
            const int pattern = cubes.pattern.block(b)[o];
            const int sheets = sheet_table<D>().sheets[pattern];
            if (sheets == 0) return;
            Point<D> points[kEdges<D>];
            sheet_points<D>(tile, t, pattern, points);
            const Index<D> cell = blocks.first_cell(b) + local;
            for (int s = 0; s < sheets; ++s) {
                const Point<D> x =
                    grid.to_world(cell.template as<double>() + Point<D>::filled(0.5) + points[s]);
                const std::uint32_t n = cubes.first.block(b)[o] + static_cast<std::uint32_t>(s);
                mesh.vertices[n] = widen<D>(x);
                if (sample) mesh.velocities[n] = widen<D>((*sample)(own_grid.to_grid(x)));
            }
        });
    });

    constexpr std::uint32_t kElements = D == 3 ? 2 : 1;  // of a face
    mesh.elements.resize(kElements * cubes.face_first.back());
    parallel_for(blocks.size(), 8, [&](std::size_t b) {
        std::uint32_t n = kElements * cubes.face_first[b];
        for_each_face(cubes, static_cast<int>(b), [&](const std::uint32_t* v) {
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
