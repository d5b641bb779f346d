#include "slosh/particles/spacing.h"

#include <doctest/doctest.h>

#include "particles/cloud.h"
#include "slosh/particles/cell_list.h"
#include "slosh/particles/seed.h"

using namespace slosh;

namespace {

/// Distance to the walls of the box [-half, half]^D, at nodes.
template <int D>
Field<float, D> box_walls(int half) {
    Field<float, D> solid(cube_of_blocks<D>(half + 8), 5.0f);
    fill_field<D>(solid, [&](const Index<D>& node) {
        int least = 5;
        for (int d = 0; d < D; ++d) least = std::min({least, node[d] + half, half - node[d]});
        return least;
    });
    return solid;
}

/// Liquid that fills the box up to a quarter of its height, pressed down by `squeeze` of it.
template <int D>
Particles<D> squeezed_liquid(int half, double squeeze, double jitter = 0.8) {
    Particles<D> p;
    seed_box<D>(
        {Index<D>::filled(-half), Index<D>::filled(half)}, {.jitter = jitter},
        [&](const Point<D>& x) { return x[1] < 0.5 * half; }, false, p);
    for (std::size_t i = 0; i < p.size(); ++i) {
        p.id[i] = static_cast<std::uint32_t>(i);
        const float height = p.x[1][i] + static_cast<float>(half);
        p.x[1][i] -= static_cast<float>(squeeze) * height;
    }
    return p;
}

template <int D>
SpacingReport spread(const SpacingOptions& options, int half, Particles<D>& p) {
    ParticleBlocks<D> blocks = sort_by_block(p);
    return space_particles(box_walls<D>(half), static_cast<const ExactSolids<D>*>(nullptr), options,
                           p, blocks);
}

}  // namespace

TEST_CASE_TEMPLATE("a neighbourhood holds every particle in reach", T, Dim<2>, Dim<3>) {
    constexpr int D = T::value;
    Particles<D> p = random_cloud<D>(3000, 11, false);
    const ParticleBlocks<D> blocks = sort_by_block(p);
    const CellList<D> list(p, blocks);
    Neighbourhood<D> near;
    for (const int reach : {1, 2}) {
        std::size_t wrong = 0, visited = 0;
        for (int b = 0; b < list.blocks().size(); ++b)
            for (int c = 0; c < kBlockCells<D>; c += 3) {
                if (list.start(b, c) == list.start(b, c + 1)) continue;
                const Point<D> x = p.position(list.particle(list.start(b, c)));
                near.gather(list, b, local_cell<D>(c), reach);
                const auto count = [&](int n, const auto& at) {
                    int in = 0;
                    for (int i = 0; i < n; ++i) in += length(at(i) - x) < reach;
                    return in;
                };
                const int found = count(near.size(), [&](int i) {
                    Point<D> y;
                    for (int d = 0; d < D; ++d) y[d] = near.x(d)[i];
                    return y;
                });
                const int all =
                    count(static_cast<int>(p.size()), [&](int i) { return p.position(i); });
                wrong += found != all;
                ++visited;
            }
        CHECK(visited > 100);
        CHECK(wrong == 0);
    }
}

TEST_CASE_TEMPLATE("a lattice has density one, at walls too, and less at the surface", T, Dim<2>,
                   Dim<3>) {
    constexpr int D = T::value;
    Particles<D> p = squeezed_liquid<D>(8, 0, 0);
    const ParticleBlocks<D> blocks = sort_by_block(p);
    const auto density = densities_at_particles(p, blocks, box_walls<D>(8), 2);
    double inside = 0, surface = 0, wall_low = 2, wall_high = 0;
    for (std::size_t i = 0; i < p.size(); ++i) {
        const Point<D> x = p.position(i);
        bool deep = x[1] < 2.5 && x[1] > -6, at_wall = x[1] < -7.5;
        for (int d = 0; d < D; ++d)
            if (d != 1) deep &= std::abs(x[d]) < 6, at_wall &= std::abs(x[d]) < 6;
        if (deep) inside = std::max(inside, std::abs(density[i] - 1.0));
        if (x[1] > 3.5) surface = std::max<double>(surface, density[i]);
        if (at_wall) {
            wall_low = std::min<double>(wall_low, density[i]);
            wall_high = std::max<double>(wall_high, density[i]);
        }
    }
    CHECK(inside < 1e-5);
    CHECK(surface < 0.95);
    // The wall's share is that of a continuum, the lattice's is not.
    CHECK(wall_low > 0.95);
    CHECK(wall_high < 1.05);
}

TEST_CASE_TEMPLATE("density constraints spread squeezed liquid, sooner with scaling", T, Dim<2>,
                   Dim<3>) {
    constexpr int D = T::value;
    const int half = D == 2 ? 16 : 6;
    const double squeeze = D == 2 ? 0.1 : 0.05;
    int iterations[2];
    for (const bool scaled : {false, true}) {
        Particles<D> p = squeezed_liquid<D>(half, squeeze);
        const std::size_t n = p.size();
        const SpacingReport report =
            spread({.max_iterations = 400, .max_scale = scaled ? 5.0 : 1.0}, half, p);
        iterations[scaled] = report.iterations;
        CHECK(report.converged);
        CHECK(report.max_density <= doctest::Approx(1.1));
        REQUIRE(p.size() == n);
        float outside = 0;
        std::vector<int> seen(n);
        for (std::size_t i = 0; i < n; ++i) {
            ++seen[p.id[i]];
            for (int d = 0; d < D; ++d)
                outside = std::max(outside, std::abs(p.x[d][i]) - static_cast<float>(half));
        }
        CHECK(outside <= 0);
        CHECK(std::count(seen.begin(), seen.end(), 1) == static_cast<long>(n));
    }
    CAPTURE(iterations[0]);
    CAPTURE(iterations[1]);
    CHECK(iterations[1] > 3);
    CHECK(iterations[1] < 0.8 * iterations[0]);
}

TEST_CASE_TEMPLATE("liquid that is spread well enough is left alone", T, Dim<2>, Dim<3>) {
    constexpr int D = T::value;
    Particles<D> p = squeezed_liquid<D>(8, 0, 0);
    (void)sort_by_block(p);
    const Particles<D> before = p;
    const SpacingReport report = spread<D>({}, 8, p);
    CHECK(report.iterations == 0);
    CHECK(same_bytes(before, p));
}

TEST_CASE_TEMPLATE("particles in one place come apart", T, Dim<2>, Dim<3>) {
    constexpr int D = T::value;
    for (const Spacing kind : {Spacing::Density, Spacing::Distance}) {
        Particles<D> p = squeezed_liquid<D>(8, 0, 0);
        for (int d = 0; d < D; ++d) p.x[d][1] = p.x[d][0];
        const SpacingReport report = spread({.kind = kind, .max_iterations = 100}, 8, p);
        CHECK(report.converged);
        CHECK(report.iterations > 0);
    }
}

TEST_CASE_TEMPLATE("spacing has the same bytes on any number of threads", T, Dim<2>, Dim<3>) {
    constexpr int D = T::value;
    for (const Spacing kind : {Spacing::Density, Spacing::Distance}) {
        const auto run = [&](int threads) {
            set_threads(threads);
            Particles<D> p = squeezed_liquid<D>(12, 0.1);
            (void)spread({.kind = kind, .max_iterations = 4}, 12, p);
            set_threads(0);
            return p;
        };
        const Particles<D> one = run(1);
        CHECK(same_bytes(one, run(2)));
        CHECK(same_bytes(one, run(3)));
    }
}
