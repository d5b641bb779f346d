#include "slosh/particles/density.h"

#include <doctest/doctest.h>

#include "particles/cloud.h"
#include "slosh/particles/seed.h"

using namespace slosh;

namespace {
template <int D>
Field<float, D> density_of(Particles<D> p) {
    const auto pblocks = sort_by_block(p);
    Field<float, D> density(around(pblocks));
    density.fill(7);  // leftovers must not matter
    particle_density(p, pblocks, density);
    return density;
}
}  // namespace

TEST_CASE_TEMPLATE("evenly seeded liquid has the seeding density inside", T, Dim<2>, Dim<3>) {
    constexpr int D = T::value;
    Particles<D> p;
    seed_box<D>(
        {Index<D>::filled(-6), Index<D>::filled(11)}, {.jitter = 0},
        [](const Point<D>&) { return true; }, false, p);
    const auto density = density_of(p);
    const double full = seeds_per_cell<D>(2);
    for (int x = -5; x < 10; ++x) {
        Index<D> cell = Index<D>::filled(x);
        cell[0] = 2;
        CHECK(density.get(cell) == doctest::Approx(full).epsilon(1e-6));
    }
    // A cell at a flat surface lacks what its empty neighbour would have given: one particle in
    // eight of the neighbour's weight per axis, 1 - 1/8 of the full density.
    Index<D> edge = Index<D>::filled(3);
    edge[1] = 10;
    CHECK(density.get(edge) == doctest::Approx(full * 0.875).epsilon(1e-6));
}

TEST_CASE_TEMPLATE("density sums to the number of particles", T, Dim<2>, Dim<3>) {
    constexpr int D = T::value;
    const auto density = density_of(random_cloud<D>(30011, 20, true));
    double sum = 0;
    for (std::size_t c = 0; c < density.cells(); ++c) sum += density.data()[c];
    CHECK(sum == doctest::Approx(30011).epsilon(1e-6));
}

TEST_CASE_TEMPLATE("density is the sum of the particles' hats", T, Dim<2>, Dim<3>) {
    constexpr int D = T::value;
    Particles<D> p = random_cloud<D>(3001, 6, true);
    const auto density = density_of(p);
    Field<double, D> exact(density.blocks_ptr());
    for (std::size_t i = 0; i < p.size(); ++i) {
        const Point<D> g = p.position(i) - Point<D>::filled(0.5);
        const Index<D> low = floor(g);
        for (int corner = 0; corner < 1 << D; ++corner) {
            Index<D> cell = low;
            double w = 1;
            for (int d = 0; d < D; ++d) {
                const int up = corner >> d & 1;
                cell[d] += up;
                w *= up ? g[d] - low[d] : 1 - (g[d] - low[d]);
            }
            exact.set(cell, exact.get(cell) + w);
        }
    }
    double worst = 0;
    for (std::size_t c = 0; c < density.cells(); ++c)
        worst = std::max(worst, std::abs(density.data()[c] - exact.data()[c]));
    CHECK(worst < 1e-4);  // floats: positions of up to 20 cells, sums of some dozens
}

TEST_CASE_TEMPLATE("density has the same bytes on any number of threads", T, Dim<2>, Dim<3>) {
    constexpr int D = T::value;
    set_threads(1);
    const auto one = density_of(random_cloud<D>(50000, 20, true));
    for (int threads : {2, 3}) {
        set_threads(threads);
        const auto many = density_of(random_cloud<D>(50000, 20, true));
        CHECK(std::memcmp(one.data(), many.data(), one.cells() * sizeof(float)) == 0);
    }
    set_threads(0);
}
