#include "slosh/surface/level_set.h"

#include <doctest/doctest.h>

#include <cstring>

#include "surface/scenes.h"

using namespace slosh;
using namespace slosh::test;

namespace {

template <int D>
LevelSetOptions usual() {
    LevelSetOptions o;
    o.particles_per_cell = D == 3 ? 8 : 4;
    return o;
}

template <int D>
Point<D> direction(double x, double y, double z) {
    Point<D> n;
    n[0] = x;
    n[1] = y;
    if constexpr (D == 3) n[2] = z;
    return n / length(n);
}

/// Distance to the walls of the box [0, n]^D.
template <int D>
Field<float, D> box_walls(const BlocksPtr<D>& topology, double n) {
    return sampled<D>(topology, 3, 0.5, [&](const Point<D>& x) {
        double s = n;
        for (int d = 0; d < D; ++d) s = std::min({s, x[d], n - x[d]});
        return s;
    });
}

template <int D>
struct Averages {
    double bias = 0, deviation = 0;
};

/// Over several heights of the surface: seeds do not sit alike at all of them.
template <int D>
Averages<D> flat_surfaces(const Point<D>& n, bool walls) {
    constexpr int size = D == 3 ? 24 : 64, heights = D == 3 ? 6 : 12;
    Averages<D> average;
    for (int k = 0; k < heights; ++k) {
        const double h = dot(n, Point<D>::filled(0.5 * size)) + static_cast<double>(k) / heights;
        const auto points = seeds<D>(Index<D>::filled(0), Index<D>::filled(size), 0.8, 10 + k,
                                     [&](const Point<D>& x) { return dot(n, x) < h; });
        const auto cloud = cloud_of<D>(points);
        Field<float, D> phi(cloud.topology, 3);
        const auto solid = box_walls<D>(cloud.topology, size);
        level_set_from_particles<D>(cloud.particles, cloud.blocks, usual<D>(),
                                    walls ? &solid : nullptr, phi);
        const int rim = walls ? 0 : 4;
        const auto f = flatness<D>(phi, n, h, Index<D>::filled(rim), Index<D>::filled(size - rim));
        average.bias += f.mean / heights;
        average.deviation += f.deviation / heights;
    }
    return average;
}

}  // namespace

TEST_CASE_TEMPLATE("A flat surface lies where it is, with little noise", Dm, Dim<2>, Dim<3>) {
    constexpr int D = Dm::value;
    const double tilts[][3] = {{0, 1, 0}, {0.3, 1, 0.1}, {0.6, 1, 0.3}, {1, 1, 1}};
    for (const auto& t : tilts)
        for (bool walls : {false, true}) {
            CAPTURE(t[0]);
            CAPTURE(walls);
            const auto a = flat_surfaces<D>(direction<D>(t[0], t[1], t[2]), walls);
            MESSAGE("bias " << a.bias << ", deviation " << a.deviation << " cells");
            CHECK(std::abs(a.bias) < 0.03);
            // 2D averages over the square root of 3D's particles
            CHECK(a.deviation < (D == 3 ? 0.05 : 0.09));
        }
}

TEST_CASE_TEMPLATE("Well-filled liquid has no holes, not even by chance", Dm, Dim<2>, Dim<3>) {
    constexpr int D = Dm::value;
    constexpr int size = D == 3 ? 24 : 80;
    // Independent random places: the worst that mixing can do.
    std::vector<Point<D>> points;
    const double count = std::pow(size, D) * (D == 3 ? 8 : 4);
    for (int i = 0; i < count; ++i) {
        Point<D> x;
        for (int d = 0; d < D; ++d) x[d] = size * hash_uniform(5, i, d);
        points.push_back(x);
    }
    const auto cloud = cloud_of<D>(points);
    Field<float, D> phi(cloud.topology, 3);
    level_set_from_particles<D>(cloud.particles, cloud.blocks, usual<D>(), phi);
    int holes = 0;
    for (int b = 0; b < phi.blocks().size(); ++b)
        for (int o = 0; o < kBlockCells<D>; ++o) {
            const Index<D> c = phi.blocks().first_cell(b) + local_cell<D>(o);
            bool deep = true;
            for (int d = 0; d < D; ++d) deep = deep && c[d] >= 2 && c[d] < size - 2;
            holes += deep && !(phi.block(b)[o] < 0);
        }
    CHECK(holes == 0);
}

TEST_CASE_TEMPLATE("A lone particle's cell is liquid wherever it is in the cell", Dm, Dim<2>,
                   Dim<3>) {
    constexpr int D = Dm::value;
    for (int i = 0; i < 200; ++i) {
        Point<D> x;
        for (int d = 0; d < D; ++d) x[d] = 3 + 10 * hash_uniform(8, i, d);
        const auto cloud = cloud_of<D>({x});
        Field<float, D> phi(cloud.topology, 3);
        level_set_from_particles<D>(cloud.particles, cloud.blocks, usual<D>(), phi);
        CHECK(phi.get(floor(x)) < 0);
        int liquid = 0;
        for (int b = 0; b < phi.blocks().size(); ++b)
            for (int o = 0; o < kBlockCells<D>; ++o) liquid += phi.block(b)[o] < 0;
        CHECK(liquid <= kChildren<D>);
    }
}

TEST_CASE_TEMPLATE("A sheet one cell thick stays whole", Dm, Dim<2>, Dim<3>) {
    constexpr int D = Dm::value;
    const auto points =
        seeds<D>(Index<D>::filled(0), Index<D>::filled(24), 0.8, 3,
                 [](const Point<D>& x) { return std::abs(x[1] - 12.3 - 0.2 * (x[0] - 12)) < 0.5; });
    const auto cloud = cloud_of<D>(points);
    Field<float, D> phi(cloud.topology, 3);
    level_set_from_particles<D>(cloud.particles, cloud.blocks, usual<D>(), phi);
    for (int x = 2; x < 22; ++x) {
        Index<D> c = Index<D>::filled(12);
        c[0] = x;
        c[1] = static_cast<int>(std::floor(12.3 + 0.2 * (x + 0.5 - 12)));
        CHECK(phi.get(c) < 0);
    }
}

TEST_CASE_TEMPLATE("A gap of three cells between two bodies stays air", Dm, Dim<2>, Dim<3>) {
    constexpr int D = Dm::value;
    const auto points = seeds<D>(Index<D>::filled(0), Index<D>::filled(24), 0.8, 3,
                                 [](const Point<D>& x) { return std::abs(x[1] - 12.5) > 1.5; });
    const auto cloud = cloud_of<D>(points);
    Field<float, D> phi(cloud.topology, 3);
    level_set_from_particles<D>(cloud.particles, cloud.blocks, usual<D>(), phi);
    for (int x = 2; x < 22; ++x) {
        Index<D> c = Index<D>::filled(12);
        c[0] = x;
        CHECK(phi.get(c) > 0);
    }
}

TEST_CASE_TEMPLATE("The level set has the same bytes on 1, 2 and 3 threads", Dm, Dim<2>, Dim<3>) {
    constexpr int D = Dm::value;
    const auto points =
        seeds<D>(Index<D>::filled(0), Index<D>::filled(40), 0.8, 3, [](const Point<D>& x) {
            return x[1] < 12 + 4 * std::sin(0.3 * x[0]) ||
                   hash_uniform(1, static_cast<int>(x[0] * 1e4), 0) < 0.02;
        });
    const auto cloud = cloud_of<D>(points);
    const auto solid = box_walls<D>(cloud.topology, 40);
    std::vector<Field<float, D>> results;
    for (int threads : {1, 2, 3}) {
        set_threads(threads);
        results.emplace_back(cloud.topology, 3.0f);
        level_set_from_particles<D>(cloud.particles, cloud.blocks, usual<D>(), &solid,
                                    results.back());
    }
    set_threads(0);
    for (const auto& r : results)
        CHECK(std::memcmp(r.data(), results[0].data(), r.cells() * sizeof(float)) == 0);
}
