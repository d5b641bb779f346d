#include "slosh/gas/smoke.h"

#include <doctest/doctest.h>

#include <cmath>

#include "particles/cloud.h"
#include "slosh/gas/domain.h"
#include "slosh/particles/transfer.h"
#include "slosh/shape/primitives.h"

using namespace slosh;

TEST_CASE_TEMPLATE("Even smoke and heat are even on the grid, and ambient where no gas is", Dm,
                   Dim<2>, Dim<3>) {
    constexpr int D = Dm::value;
    Particles<D> p = random_cloud<D>(5000, 12, true);
    GasSetup<D> gas;
    start_gas(gas, p);
    for (std::size_t i = 0; i < p.size(); ++i) {
        p.smoke[i] = 0.25f;
        p.temperature[i] = 400;
    }
    const ParticleBlocks<D> pblocks = sort_by_block(p);
    const BlocksPtr<D> blocks = around(pblocks);
    Field<float, D> smoke(blocks), temperature(blocks, 293.0f);
    smoke_to_grid(gas, p, pblocks, smoke, temperature);
    int with = 0, without = 0;
    for (int b = 0; b < blocks->size(); ++b)
        for (int o = 0; o < kBlockCells<D>; ++o) {
            const float s = smoke.block(b)[o], t = temperature.block(b)[o];
            const bool none = s == 0 && t == 293;
            CHECK((none || (std::abs(s - 0.25f) < 1e-6f && std::abs(t - 400) < 1e-3f)));
            ++(none ? without : with);
        }
    CHECK(with > 200);
    CHECK(without > 200);
}

TEST_CASE("Smoke fades and heat leaks at their rates; a source works in its shape and its time") {
    GasSetup<2> gas;
    gas.cooling = 2;
    gas.smoke_decay = 0.5;
    GasSource<2> source;
    source.shape = sphere<2>({0, 0}, 0.4);
    source.smoke = 3;
    source.temperature = 500;
    source.velocity = Point<2>{1, 2};
    source.start = 1;
    source.end = 2;
    gas.sources.push_back(source);
    const GridGeometry<2> grid{.origin = {}, .dx = 0.1, .cells = {{16, 16}}};
    Particles<2> p = random_cloud<2>(2000, 16, true);
    start_gas(gas, p);
    const ParticleBlocks<2> pblocks = sort_by_block(p);
    std::fill(p.smoke.begin(), p.smoke.end(), 1.0f);
    std::fill(p.temperature.begin(), p.temperature.end(), 393.0f);
    run_gas_sources(gas, grid, 0.9, 0.3, pblocks, p);
    for (std::size_t i = 0; i < p.size(); ++i) {
        CHECK(p.smoke[i] == doctest::Approx(std::exp(-0.15)));
        CHECK(p.temperature[i] == doctest::Approx(293 + 100 * std::exp(-0.6)));
    }
    run_gas_sources(gas, grid, 1.5, 0, pblocks, p);
    int fed = 0;
    for (std::size_t i = 0; i < p.size(); ++i) {
        const bool inside = length(p.position(i)) < 4;
        fed += inside;
        CHECK((p.smoke[i] == 3) == inside);
        CHECK((p.temperature[i] == 500) == inside);
        CHECK((p.v[0][i] == 1 && p.v[1][i] == 2 && p.c[0][1][i] == 0) == inside);
    }
    CHECK(fed > 20);
    run_gas_sources(gas, grid, 2.0, 0, pblocks, p);
    CHECK(max_lift(gas, p) == doctest::Approx(207.0 / 293));
}

TEST_CASE_TEMPLATE("A push counts as if the particles had it", Dm, Dim<2>, Dim<3>) {
    constexpr int D = Dm::value;
    for (const bool affine : {true, false}) {
        Particles<D> p = random_cloud<D>(3000, 12, affine);
        const ParticleBlocks<D> pblocks = sort_by_block(p);
        const BlocksPtr<D> blocks = around(pblocks);
        AlignedVector<float> amount(p.size());
        for (std::size_t i = 0; i < p.size(); ++i) amount[i] = float(hash_uniform(3, i, 0));
        Point<D> change;
        change[1] = 0.7;
        FaceField<float, D> u(blocks), v(blocks), weight(blocks);
        particles_to_grid(p, pblocks, u, weight, {amount.data(), change});
        for (std::size_t i = 0; i < p.size(); ++i) p.v[1][i] += 0.7f * amount[i];
        particles_to_grid(p, pblocks, v, weight);
        double worst = 0;
        for (int d = 0; d < D; ++d)
            for (int b = 0; b < blocks->size(); ++b)
                for (int o = 0; o < kBlockCells<D>; ++o)
                    worst = std::max<double>(
                        worst, std::abs(u.axis(d).block(b)[o] - v.axis(d).block(b)[o]));
        CHECK(worst < 2e-6);
    }
}

TEST_CASE_TEMPLATE("Gas ends at open sides and nowhere else", Dm, Dim<2>, Dim<3>) {
    constexpr int D = Dm::value;
    const GridGeometry<D> grid = unit_grid<D>(12);
    const BlocksPtr<D> blocks = gas_topology(grid, Blocks<D>{});
    Field<float, D> phi(blocks);
    bool open[2 * D] = {};
    open[3] = true;
    fill_with_gas(grid, open, phi);
    for (int b = 0; b < blocks->size(); ++b)
        for (int o = 0; o < kBlockCells<D>; ++o) {
            const Index<D> cell = blocks->first_cell(b) + local_cell<D>(o);
            CHECK((phi.block(b)[o] > 0) == (cell[1] >= 12));
        }
}

TEST_CASE_TEMPLATE("Smoke and temperature follow their particles through every change", Dm, Dim<2>,
                   Dim<3>) {
    constexpr int D = Dm::value;
    Particles<D> p = random_cloud<D>(20000, 30, true);
    const std::size_t plain = p.bytes();
    start_gas(GasSetup<D>{}, p);
    CHECK(p.bytes() == plain + 8 * p.size());
    const auto mark = [](Particles<D>& q) {
        for (std::size_t i = 0; i < q.size(); ++i) {
            q.smoke[i] = float(q.id[i]);
            q.temperature[i] = float(2 * q.id[i]);
        }
    };
    mark(p);
    Particles<D> more = p;
    for (auto& id : more.id) id += 20000;
    mark(more);
    append(p, more);
    (void)sort_by_block(p);
    std::vector<std::uint8_t> gone(p.size());
    for (std::size_t i = 0; i < p.size(); i += 3) gone[i] = 1;
    remove_marked(p, gone);
    bool right = p.smoke.size() == p.size() && p.temperature.size() == p.size();
    for (std::size_t i = 0; i < p.size(); ++i)
        right = right && p.smoke[i] == float(p.id[i]) && p.temperature[i] == float(2 * p.id[i]);
    CHECK(right);
}
