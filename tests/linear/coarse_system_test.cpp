#include "slosh/linear/coarse_system.h"

#include <doctest/doctest.h>

#include "common.h"
#include "linear/problems.h"

using namespace slosh;

TEST_CASE_TEMPLATE("A coarse system asks what its children ask together", Dm, Dim<2>, Dim<3>) {
    constexpr int D = Dm::value;
    auto fine = test::sphere_system<D>(40);
    auto F = std::make_shared<LowRank<D>>();
    for (int b = 0; b < fine.blocks->size(); ++b)
        for (int o = 0; o < kBlockCells<D>; o += 3)
            if (fine.unknown.block(b)[o]) F->entries.push_back({b, o, {1.0 + o, -2.0 * b}});
    F->first.push_back(F->entries.size());
    fine.bodies = F;

    Multigrid<D> multigrid(fine, {}, fine.unknown);
    const BlockSystem<D> coarse = multigrid.coarser(fine);
    const Coarsening<D>& up = multigrid.finest().coarsening;
    Field<double, D> rhs(up.coarse), f(up.coarse);
    Field<std::uint8_t, D> unknown(up.coarse);
    const auto over = [&](auto& field, int b, int o) -> auto& {
        return field.block(up.parent[b])[coarse_offset<D>(up.octant[b], o)];
    };
    for (int b = 0; b < fine.blocks->size(); ++b)
        for (int o = 0; o < kBlockCells<D>; ++o) {
            // The cell over another has half its coordinates.
            const Index<D> cell = fine.blocks->coord(b) * kSide + local_cell<D>(o);
            const Index<D> top = up.coarse->coord(up.parent[b]) * kSide +
                                 local_cell<D>(coarse_offset<D>(up.octant[b], o));
            for (int d = 0; d < D; ++d) REQUIRE(top[d] == (cell[d] >> 1));
            over(rhs, b, o) += fine.rhs.block(b)[o];
            over(unknown, b, o) |= fine.unknown.block(b)[o];
        }
    for (const auto& e : F->entries) over(f, e.block, e.offset) += e.f[0];
    for (const auto& e : coarse.bodies->entries) f.block(e.block)[e.offset] -= e.f[0];
    double scale = 0;
    for (int B = 0; B < up.coarse->size(); ++B)
        for (int o = 0; o < kBlockCells<D>; ++o) {
            scale = std::max(scale, std::abs(rhs.block(B)[o]));
            REQUIRE(std::abs(coarse.rhs.block(B)[o] - rhs.block(B)[o]) < 1e-12);
            REQUIRE(coarse.unknown.block(B)[o] == unknown.block(B)[o]);
            REQUIRE(std::abs(f.block(B)[o]) < 1e-9);
        }
    CHECK(scale > 1e-3);
    CHECK(coarse.bodies->groups() == 1);
}

TEST_CASE_TEMPLATE("Children get the value of the cell over them", Dm, Dim<2>, Dim<3>) {
    constexpr int D = Dm::value;
    const auto fine = test::sphere_system<D>(40);
    Multigrid<D> multigrid(fine);
    const Coarsening<D>& up = multigrid.finest().coarsening;
    Field<double, D> coarse(up.coarse), x(fine.blocks);
    for (int B = 0; B < up.coarse->size(); ++B) std::fill_n(coarse.block(B), kBlockCells<D>, 3.0);
    const double weight = multigrid.finest().weight;
    copy_to_children(coarse, up, weight, fine, x);
    int inside = 0, beside_air = 0;
    for (int b = 0; b < fine.blocks->size(); ++b)
        for (int o = 0; o < kBlockCells<D>; ++o) {
            const double e = fine.excess.block(b)[o], value = x.block(b)[o];
            if (!fine.unknown.block(b)[o]) {
                REQUIRE(value == 0);
            } else if (e == 0) {
                REQUIRE(value == 3);
                ++inside;
            } else {
                // The row of a cell with all its faces open and neighbours at 3 is solved.
                REQUIRE(2 * D * weight * (value - 3) + e * value ==
                        doctest::Approx(0).epsilon(1e-9));
                ++beside_air;
            }
        }
    CHECK(inside > 0);
    CHECK(beside_air > 0);
}
