#include "slosh/grid/blocks.h"

#include <doctest/doctest.h>

#include <set>

#include "common.h"
#include "slosh/base/hash.h"
#include "slosh/grid/field.h"
#include "slosh/grid/interpolate.h"
#include "slosh/grid/tile.h"

using namespace slosh;

namespace {
template <int D>
std::vector<Index<D>> random_coords(int n, int range) {
    std::vector<Index<D>> c(n);
    for (int i = 0; i < n; ++i)
        for (int d = 0; d < D; ++d)
            c[i][d] = static_cast<int>(hash_uniform(1, i, d) * range) - range / 2;
    return c;
}
template <int D>
float linear_function(const Index<D>& cell) {
    float s = 3;
    for (int d = 0; d < D; ++d) s += static_cast<float>(cell[d] * (d + 1));
    return s;
}
template <int D>
Field<float, D> linear_field(const BlocksPtr<D>& blocks, float background) {
    Field<float, D> f(blocks, background);
    for (int b = 0; b < blocks->size(); ++b)
        for (int o = 0; o < kBlockCells<D>; ++o)
            f.block(b)[o] = linear_function(blocks->first_cell(b) + local_cell<D>(o));
    return f;
}
}  // namespace

TEST_CASE_TEMPLATE("Blocks are unique, sorted, and find each other", Dm, Dim<2>, Dim<3>) {
    constexpr int D = Dm::value;
    const auto coords = random_coords<D>(500, 12);
    const Blocks<D> blocks(coords);
    std::set<std::uint64_t> keys;
    for (const auto& c : coords) keys.insert(block_key<D>(c));
    REQUIRE(blocks.size() == static_cast<int>(keys.size()));
    for (int b = 0; b < blocks.size(); ++b) {
        CHECK(blocks.find(blocks.coord(b)) == b);
        if (b > 0) CHECK(block_key<D>(blocks.coord(b - 1)) < block_key<D>(blocks.coord(b)));
        for (int code = 0; code < kNeighbours<D>; ++code) {
            const auto c = blocks.coord(b) + neighbour_offset<D>(code);
            CHECK(neighbour_code<D>(neighbour_offset<D>(code)) == code);
            const int n = blocks.neighbour(b, code);
            CHECK((n == blocks.size()) == (keys.count(block_key<D>(c)) == 0));
            if (n < blocks.size()) CHECK(blocks.coord(n) == c);
        }
    }
    CHECK(blocks.find(Index<D>::filled(1000)) == blocks.size());
}

TEST_CASE_TEMPLATE("A tile holds the block and its halo, background outside", Dm, Dim<2>, Dim<3>) {
    constexpr int D = Dm::value;
    auto blocks = std::make_shared<const Blocks<D>>(random_coords<D>(40, 5));
    const auto f = linear_field<D>(blocks, -1);
    Tile<float, D, 2> tile;
    for (int b = 0; b < blocks->size(); ++b) {
        tile.load(f, b);
        for (int o = 0; o < Tile<float, D, 2>::kCells; ++o) {
            Index<D> local;
            int rest = o;
            for (int d = 0; d < D; ++d, rest /= 12) local[d] = rest % 12 - 2;
            CHECK(tile[local] == f.get(blocks->first_cell(b) + local));
        }
    }
}

TEST_CASE_TEMPLATE("Coarsening links parents and children both ways", Dm, Dim<2>, Dim<3>) {
    constexpr int D = Dm::value;
    const Blocks<D> fine(random_coords<D>(300, 14));
    const auto c = coarsen(fine);
    int linked = 0;
    for (int p = 0; p < c.coarse->size(); ++p)
        for (int o = 0; o < kChildren<D>; ++o) {
            const int b = c.children[p][o];
            if (b == fine.size()) continue;
            ++linked;
            CHECK(c.parent[b] == p);
            CHECK(c.octant[b] == o);
            for (int d = 0; d < D; ++d)
                CHECK(fine.coord(b)[d] == 2 * c.coarse->coord(p)[d] + (o >> d & 1));
        }
    CHECK(linked == fine.size());
}

TEST_CASE_TEMPLATE("Interpolation reproduces linear functions", Dm, Dim<2>, Dim<3>) {
    constexpr int D = Dm::value;
    std::vector<Index<D>> coords;
    for (int code = 0; code < kNeighbours<D>; ++code) coords.push_back(neighbour_offset<D>(code));
    auto blocks = std::make_shared<const Blocks<D>>(coords);
    const auto f = linear_field<D>(blocks, 0);
    Accessor<float, D> access(f);
    for (int i = 0; i < 100; ++i) {
        Point<D> g;
        double exact = 3;
        for (int d = 0; d < D; ++d) {
            g[d] = hash_uniform(2, i, d) * 20 - 6;
            exact += (g[d] - 0.5) * (d + 1);
        }
        CHECK(interpolate_cells(access, g) == doctest::Approx(exact).epsilon(1e-6));
    }
}

TEST_CASE("A field that is left unfilled still has its background") {
    const auto blocks = std::make_shared<const Blocks<2>>(std::vector<Index<2>>{{0, 0}});
    const Field<float, 2> f(blocks, Unfilled{}, 3.0f);
    CHECK(f.get({-1, 0}) == 3.0f);
    CHECK(f.get({0, 8}) == 3.0f);
    CHECK(f.background() == 3.0f);
}
