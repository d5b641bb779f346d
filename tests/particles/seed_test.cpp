#include "slosh/particles/seed.h"

#include <doctest/doctest.h>

#include "particles/cloud.h"

using namespace slosh;

TEST_CASE_TEMPLATE("each sub-cell gets one seed, within its share of the sub-cell", T, Dim<2>,
                   Dim<3>) {
    constexpr int D = T::value;
    for (int n : {1, 2, 3})
        for (double jitter : {0.0, 0.5, 1.0}) {
            Index<D> cell = Index<D>::filled(-4);
            cell[0] = 11;
            const auto seeds = seeds_in_cell<D>(cell, {.per_axis = n, .jitter = jitter, .seed = 3});
            REQUIRE(seeds.size() == static_cast<std::size_t>(seeds_per_cell<D>(n)));
            for (std::size_t s = 0; s < seeds.size(); ++s)
                for (int d = 0, k = static_cast<int>(s); d < D; ++d, k /= n) {
                    const double centre = cell[d] + (k % n + 0.5) / n;
                    // 1e-6: positions are rounded to float.
                    CHECK(std::abs(seeds[s][d] - centre) <= 0.5 * jitter / n + 1e-6);
                }
        }
}

TEST_CASE_TEMPLATE("a box of cells gets n^D seeds a cell, in block order", T, Dim<2>, Dim<3>) {
    constexpr int D = T::value;
    CellBox<D> box{Index<D>::filled(-5), Index<D>::filled(12)};
    Particles<D> p;
    const std::size_t n = seed_box<D>(
        box, {}, [](const Point<D>&) { return true; }, true, p);
    CHECK(n == static_cast<std::size_t>(D == 2 ? 17 * 17 * 4 : 17 * 17 * 17 * 8));
    REQUIRE(p.size() == n);
    CHECK(p.affine());
    for (std::size_t i = 0; i < n; ++i) p.id[i] = static_cast<std::uint32_t>(i);
    const auto before = p;
    (void)sort_by_block(p);
    CHECK(same_bytes(p, before));  // they were in order
}

TEST_CASE_TEMPLATE("seeds depend on the seed and the cell, on nothing else", T, Dim<2>, Dim<3>) {
    constexpr int D = T::value;
    const auto disc = [](const Point<D>& x) { return length(x) < 13.3; };
    const SeedOptions options{.per_axis = 2, .jitter = 0.8, .seed = 5};
    const auto seeded = [&](int threads, int half, const SeedOptions& o) {
        set_threads(threads);
        Particles<D> p;
        seed_box<D>({Index<D>::filled(-half), Index<D>::filled(half)}, o, disc, false, p);
        return p;
    };
    const auto one = seeded(1, 16, options);
    CHECK(same_bytes(one, seeded(2, 16, options)));
    CHECK(same_bytes(one, seeded(3, 16, options)));
    CHECK(same_bytes(one, seeded(2, 24, options)));  // a larger box, the same disc
    CHECK_FALSE(same_bytes(one, seeded(2, 16, {.per_axis = 2, .jitter = 0.8, .seed = 6})));
    set_threads(0);
    // As many as the volume says, up to the stratified surface.
    const double volume = D == 2 ? 3.14159265 * 13.3 * 13.3 : 4.1887902 * 13.3 * 13.3 * 13.3;
    const double per_cell = seeds_per_cell<D>(2);
    CHECK(static_cast<double>(one.size()) == doctest::Approx(volume * per_cell).epsilon(0.01));
}

TEST_CASE_TEMPLATE("the jitter is even: mean one half, variance one twelfth", T, Dim<2>, Dim<3>) {
    constexpr int D = T::value;
    Particles<D> p;
    seed_box<D>(
        {Index<D>::filled(0), Index<D>::filled(D == 2 ? 64 : 16)}, {.per_axis = 1},
        [](const Point<D>&) { return true; }, false, p);
    const double n = static_cast<double>(p.size());
    for (int d = 0; d < D; ++d) {
        double sum = 0, square = 0;
        for (float x : p.x[d]) {
            const double u = x - std::floor(x) - 0.5;
            sum += u;
            square += u * u;
        }
        CHECK(std::abs(sum / n) < 4 * 0.2887 / std::sqrt(n));  // four standard errors
        CHECK(std::abs(square / n - 1.0 / 12) < 4 * 0.0745 / std::sqrt(n));
    }
}
