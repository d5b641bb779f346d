#include "slosh/shape/solid_field.h"

#include <doctest/doctest.h>

#include <cstring>
#include <memory>

#include "common.h"
#include "slosh/base/hash.h"
#include "slosh/base/parallel.h"
#include "slosh/base/timer.h"
#include "slosh/shape/csg.h"
#include "slosh/shape/primitives.h"

using namespace slosh;

namespace {

constexpr double kDt = 0.01;  // s; solids are where a step of this leaves them

/// The cube of n^D cells on the unit box, all of whose blocks exist, and one layer around.
template <int D>
struct Scene {
    GridGeometry<D> grid;
    BlocksPtr<D> blocks;

    explicit Scene(int n, int around = 1) {
        grid = unit_grid<D>(n);
        std::vector<Index<D>> coords;
        const int side = n / kSide + 2 * around;
        for (int i = 0; i < (D == 2 ? side * side : side * side * side); ++i) {
            Index<D> c;
            for (int d = 0, rest = i; d < D; ++d, rest /= side) c[d] = rest % side - around;
            coords.push_back(c);
        }
        blocks = std::make_shared<Blocks<D>>(coords);
    }
    SolidFields<D> fields(std::vector<Solid<D>> solids, Fractions kind = Fractions::Area,
                          const bool (&open)[2 * D] = {}) const {
        SolidFields<D> f;
        SolidGrid<D>(grid, std::move(solids), open).update(0, kDt, blocks, kind, f);
        return f;
    }
};

template <int D>
bool same_bytes(const Field<float, D>& a, const Field<float, D>& b) {
    return a.cells() == b.cells() &&
           std::memcmp(a.data(), b.data(), (a.cells() + kBlockCells<D>)*sizeof(float)) == 0;
}
template <int D>
bool same_bytes(const SolidFields<D>& a, const SolidFields<D>& b) {
    bool same = same_bytes(a.nodal, b.nodal) && same_bytes(a.centre, b.centre) &&
                same_bytes(a.cell_open, b.cell_open) && a.block_kind == b.block_kind;
    for (int d = 0; d < D; ++d)
        same = same && same_bytes(a.open.axis(d), b.open.axis(d)) &&
               same_bytes(a.velocity.axis(d), b.velocity.axis(d));
    return same;
}

/// A ball and a turned box that stand still, a box that moves and turns.
template <int D>
std::vector<Solid<D>> mixed_solids() {
    const auto at = [](double x, double y) {
        Point<D> p = Point<D>::filled(0.5);
        p[0] = x;
        p[1] = y;
        return p;
    };
    Solid<D> ball{"ball", sphere<D>(at(0.3, 0.31), 0.17), {}};
    Solid<D> turned{
        "turned", box<D>(Point<D>::filled(-0.1), Point<D>::filled(0.1)),
        Motion<D>({Key<D>{.time = 0, .position = at(0.7, 0.6), .rotation = {0, 0, 30}}})};
    Solid<D> mover{
        "mover", box<D>(Point<D>::filled(-0.08), Point<D>::filled(0.09)),
        Motion<D>({Key<D>{.time = 0, .position = at(0.2, 0.7), .rotation = {}},
                   Key<D>{.time = 1, .position = at(0.8, 0.8), .rotation = {0, 0, 50}}})};
    return {ball, turned, mover};
}

}  // namespace

TYPE_TO_STRING(Dim<2>);
TYPE_TO_STRING(Dim<3>);

TEST_CASE_TEMPLATE("Domain walls on grid lines give fractions of exactly 0 and 1", T, Dim<2>,
                   Dim<3>) {
    constexpr int D = T::value;
    const int n = 24;
    const Scene<D> scene(n);
    for (const Fractions kind : {Fractions::Area, Fractions::Volume, Fractions::Voxel}) {
        const auto f = scene.fields({}, kind);
        for (int b = 0; b < scene.blocks->size(); ++b)
            for (int o = 0; o < kBlockCells<D>; ++o) {
                const Index<D> cell = scene.blocks->first_cell(b) + local_cell<D>(o);
                bool inside = true;
                for (int d = 0; d < D; ++d) inside = inside && cell[d] >= 0 && cell[d] < n;
                REQUIRE(f.cell_open.block(b)[o] == (inside ? 1 : 0));
                for (int d = 0; d < D; ++d) {
                    // Across a wall a volume is cut in half, yet along it stays open or closed.
                    const bool open = inside && cell[d] > 0;
                    REQUIRE(f.open.axis(d).block(b)[o] == (open ? 1 : 0));
                    REQUIRE(f.velocity.axis(d).block(b)[o] == 0);
                }
            }
    }
}

TEST_CASE_TEMPLATE("An aligned box off the origin gives exact fractions as well", T, Dim<2>,
                   Dim<3>) {
    constexpr int D = T::value;
    Scene<D> scene(40);
    scene.grid.origin = Point<D>::filled(-0.1);
    scene.grid.dx = 0.03;
    // Sides on grid lines only up to rounding: -0.1 + 12 * 0.03 is not 0.26.
    const Solid<D> block{"block", box<D>(Point<D>::filled(0.26), Point<D>::filled(0.62)), {}};
    const auto f = scene.fields({block});
    for (int d = 0; d < D; ++d)
        for (std::size_t i = 0; i < f.open.axis(d).cells(); ++i) {
            const float w = f.open.axis(d).data()[i];
            REQUIRE((w == 0 || w == 1));
        }
    Index<D> cell = Index<D>::filled(15);
    cell[0] = 12;
    CHECK(f.open.axis(0).get(cell) == 0);  // the face that lies in the box's side
    cell[0] = 11;
    CHECK(f.open.axis(0).get(cell) == 1);
    CHECK(f.cell_open.get(cell) == 1);
}

TEST_CASE_TEMPLATE("Values follow the distance, and the flags of blocks are true", T, Dim<2>,
                   Dim<3>) {
    constexpr int D = T::value;
    const Scene<D> scene(64);
    const bool open[2 * D] = {true, true, true, false};
    for (const Fractions kind : {Fractions::Area, Fractions::Volume}) {
        const auto f = scene.fields(mixed_solids<D>(), kind, open);
        const SolidGrid<D> exact(scene.grid, mixed_solids<D>(), open);
        int kinds[3] = {};
        for (int b = 0; b < scene.blocks->size(); ++b) {
            ++kinds[f.block_kind[b]];
            for (int o = 0; o < kBlockCells<D>; ++o) {
                const Index<D> cell = scene.blocks->first_cell(b) + local_cell<D>(o);
                const double d = exact.distance(scene.grid.node(cell), kDt) / scene.grid.dx;
                const float phi = f.nodal.block(b)[o];
                REQUIRE(phi == doctest::Approx(std::clamp(d, -5.0, 5.0)).epsilon(1e-5));
                const float c = f.centre.block(b)[o], w = f.cell_open.block(b)[o];
                if (c >= 2) REQUIRE(w == 1);
                if (c <= -2) REQUIRE(w == 0);
                for (int a = 0; a < D; ++a) {
                    const float face = f.open.axis(a).block(b)[o];
                    REQUIRE((face == 0 || (face >= 1e-3f && face <= 1)));
                    if (f.block_kind[b] == kBlockOpen) REQUIRE(face == 1);
                    if (f.block_kind[b] == kBlockSolid) REQUIRE(face == 0);
                }
                if (f.block_kind[b] == kBlockOpen) REQUIRE(phi == 5);
            }
        }
        CHECK(kinds[kBlockMixed] > 0);
        CHECK(kinds[kBlockSolid] > 0);
        if (D == 2) CHECK(kinds[kBlockOpen] > 0);
    }
    CHECK(scene.fields({}).nodal.get(Index<D>::filled(900)) == 5);  // the background
}

TEST_CASE_TEMPLATE("A tilted wall's fractions are exact for every kind", T, Dim<2>, Dim<3>) {
    constexpr int D = T::value;
    const Scene<D> scene(32, 0);
    Point<D> normal, point = Point<D>::filled(0.47);
    const double components[] = {0.6, 0.9, 0.35};
    for (int d = 0; d < D; ++d) normal[d] = components[d];
    const Solid<D> wall{"wall", half_space<D>(point, normal), {}};
    bool open[2 * D];
    std::fill(std::begin(open), std::end(open), true);
    // A volume fraction is the mean of area fractions: here, by 64 slices of the control volume.
    const auto f = scene.fields({wall}, Fractions::Volume, open);
    const double h = scene.grid.dx;
    int cut = 0;
    for (int i = 0; i < 400; ++i) {
        Index<D> cell;
        for (int d = 0; d < D; ++d) cell[d] = 4 + static_cast<int>(hash_uniform(5, i, d) * 24);
        const int axis = i % D;
        double sum = 0;
        const int slices = 64;
        for (int s = 0; s < slices; ++s) {
            double p[4];
            for (int c = 0; c < kChildren<D - 1>; ++c) {
                Point<D> g = cell.template as<double>();
                g[axis] += (s + 0.5) / slices - 0.5;
                for (int d = 0, k = 0; d < D; ++d)
                    if (d != axis) g[d] += c >> k++ & 1;
                p[c] = wall.shape->distance(scene.grid.to_world(g)) / h;
            }
            sum += D == 2 ? open_segment(p[0], p[1]) : open_square(p);
        }
        const float w = f.open.axis(axis).get(cell);
        // The slices' own error: they miss the tip of the cut by less than a slice squared.
        CHECK(w == doctest::Approx(sum / slices).epsilon(2e-3));
        cut += w > 0 && w < 1;
    }
    CHECK(cut > 10);
    // The flow through a wall's cut cells closes: a constant field has no divergence except at the
    // wall, and there the open faces project to the wall's own area. Checked by Gauss on one cell.
    const auto area = scene.fields({wall}, Fractions::Area, open);
    for (int i = 0; i < 400; ++i) {
        Index<D> cell;
        for (int d = 0; d < D; ++d) cell[d] = 4 + static_cast<int>(hash_uniform(6, i, d) * 24);
        const float v = area.cell_open.get(cell);
        if (v < 0.05 || v > 0.95) continue;
        // sum over faces of w n = -(wall area) * outward normal, so it is parallel to `normal`.
        Point<D> sum;
        for (int d = 0; d < D; ++d)
            sum[d] = area.open.axis(d).get(cell + unit<D>(d)) - area.open.axis(d).get(cell);
        CHECK(dot(sum, normal) / (length(sum) * length(normal)) > 1 - 1e-3);
    }
}

TEST_CASE_TEMPLATE("Voxel fractions are 1 exactly between open cell centres", T, Dim<2>, Dim<3>) {
    constexpr int D = T::value;
    const Scene<D> scene(32);
    const auto f = scene.fields(mixed_solids<D>(), Fractions::Voxel);
    for (int b = 0; b < scene.blocks->size(); ++b)
        for (int o = 0; o < kBlockCells<D>; ++o) {
            const Index<D> cell = scene.blocks->first_cell(b) + local_cell<D>(o);
            for (int d = 0; d < D; ++d) {
                const Index<D> below = cell - unit<D>(d);
                if (scene.blocks->find(block_of(below)) == scene.blocks->size()) continue;
                const bool open = f.centre.get(cell) > 0 && f.centre.get(below) > 0;
                REQUIRE(f.open.axis(d).block(b)[o] == (open ? 1 : 0));
            }
        }
}

TEST_CASE_TEMPLATE("What is kept between calls equals what is computed afresh", T, Dim<2>, Dim<3>) {
    constexpr int D = T::value;
    const Scene<D> all(48), some(16);
    const bool open[2 * D] = {false, true};
    SolidGrid<D> kept(all.grid, mixed_solids<D>(), open);
    SolidFields<D> a, b;
    kept.update(0.2, 0.01, some.blocks, Fractions::Area, a);  // part of the blocks
    for (const Fractions kind : {Fractions::Area, Fractions::Volume, Fractions::Area}) {
        kept.update(0.4, 0.01, all.blocks, kind, a);
        SolidGrid<D>(all.grid, mixed_solids<D>(), open).update(0.4, 0.01, all.blocks, kind, b);
        CHECK(same_bytes(a, b));
    }
    // Blocks that share nodes agree because a block does not know which others exist.
    SolidFields<D> part;
    kept.update(0.4, 0.01, some.blocks, Fractions::Area, part);
    for (int i = 0; i < some.blocks->size(); ++i) {
        const int j = all.blocks->find(some.blocks->coord(i));
        CHECK(std::memcmp(part.nodal.block(i), a.nodal.block(j), kBlockCells<D> * 4) == 0);
        CHECK(std::memcmp(part.open.axis(1).block(i), a.open.axis(1).block(j),
                          kBlockCells<D> * 4) == 0);
    }
}

TEST_CASE_TEMPLATE("The same bytes come out on 1, 2 and 3 threads", T, Dim<2>, Dim<3>) {
    constexpr int D = T::value;
    const Scene<D> scene(40);
    SolidFields<D> one, more;
    set_threads(1);
    one = scene.fields(mixed_solids<D>());
    for (const int n : {2, 3}) {
        set_threads(n);
        more = scene.fields(mixed_solids<D>());
        CHECK(same_bytes(one, more));
    }
    set_threads(0);
}

TEST_CASE_TEMPLATE("Faces near a moving box carry its velocity, others none", T, Dim<2>, Dim<3>) {
    constexpr int D = T::value;
    const Scene<D> scene(64);
    Point<D> from = Point<D>::filled(0.5), to = from;
    to[0] += 0.3;
    to[1] -= 0.1;
    const Solid<D> mover{"mover", box<D>(Point<D>::filled(-0.1), Point<D>::filled(0.1)),
                         Motion<D>({Key<D>{.time = 0, .position = from, .rotation = {}},
                                    Key<D>{.time = 2, .position = to, .rotation = {}}})};
    const auto f = scene.fields({mover});
    int moving = 0;
    for (int b = 0; b < scene.blocks->size(); ++b)
        for (int o = 0; o < kBlockCells<D>; ++o)
            for (int d = 0; d < D; ++d) {
                const Index<D> cell = scene.blocks->first_cell(b) + local_cell<D>(o);
                const double distance =
                    mover.distance(scene.grid.face(d, cell), mover.motion.at(kDt));
                const float u = f.velocity.axis(d).block(b)[o];
                const double exact = (to[d] - from[d]) / 2;
                if (distance < 3 * scene.grid.dx) {
                    REQUIRE(u == doctest::Approx(exact).epsilon(1e-6));
                    ++moving;
                }
                if (distance > 6 * scene.grid.dx) REQUIRE(u == 0);
                if (f.open.axis(d).block(b)[o] < 1 && distance > 6 * scene.grid.dx) REQUIRE(u == 0);
            }
    CHECK(moving > 100);
}

TEST_CASE("Kept solids of a dam break at 128^3 cost little") {
    const int n = 128;
    Scene<3> scene(n, 0);
    const bool open[6] = {};
    SolidGrid<3> solids(scene.grid, {{"ball", sphere<3>({0.7, 0.3, 0.5}, 0.15), {}}}, open);
    SolidFields<3> f;
    set_threads(1);
    double t = cpu_seconds();
    solids.update(0, 0.01, scene.blocks, Fractions::Area, f);
    const double first = cpu_seconds() - t;
    double best = 1e9;
    for (int i = 0; i < 3; ++i) {
        const auto again = std::make_shared<Blocks<3>>(*scene.blocks);  // a new topology
        t = cpu_seconds();
        solids.update(0, 0.01, again, Fractions::Area, f);
        best = std::min(best, cpu_seconds() - t);
    }
    set_threads(0);
    MESSAGE(scene.blocks->size(), " blocks: first ", first * 1e3, " ms, kept ", best * 1e3,
            " ms, kept bytes ", solids.bytes());
    CHECK(best < first);
}
