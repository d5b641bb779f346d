#include <doctest/doctest.h>

#include <cstring>

#include "slosh/surface/measure.h"
#include "slosh/surface/redistance.h"
#include "surface/scenes.h"

using namespace slosh;
using namespace slosh::test;

namespace {

template <int D>
double ball(const Point<D>& x, double centre, double radius) {
    return length(x - Point<D>::filled(centre)) - radius;
}

template <int D>
BlocksPtr<D> cube(int cells) {
    return box_topology<D>(Index<D>::filled(0), Index<D>::filled(cells));
}

}  // namespace

TEST_CASE_TEMPLATE("Redistancing leaves a plane's distance as it is", Dm, Dim<2>, Dim<3>) {
    constexpr int D = Dm::value;
    Point<D> n = Point<D>::filled(0.3);
    n[1] = 1;
    n = n / length(n);
    auto plane = [&](const Point<D>& x) { return dot(n, x - Point<D>::filled(12.2)); };
    // Given with another slope, which must not matter.
    auto phi = sampled<D>(cube<D>(24), 3, 0.5, [&](const Point<D>& x) { return 2.5 * plane(x); });
    redistance(phi, 4);
    double worst = 0;
    for (int b = 0; b < phi.blocks().size(); ++b)
        for (int o = 0; o < kBlockCells<D>; ++o) {
            const Index<D> c = phi.blocks().first_cell(b) + local_cell<D>(o);
            const double exact = plane(c.template as<double>() + Point<D>::filled(0.5));
            bool inner = true;  // the foot of a cell by the rim may lie outside
            for (int d = 0; d < D; ++d) inner = inner && c[d] >= 5 && c[d] < 19;
            if (!inner) continue;
            worst =
                std::max(worst, std::abs(phi.block(b)[o] - std::min(std::max(exact, -4.0), 4.0)));
        }
    CHECK(worst < 1e-4);
}

TEST_CASE_TEMPLATE("Redistancing a ball gives its distance", Dm, Dim<2>, Dim<3>) {
    constexpr int D = Dm::value;
    // A smooth function with the ball as its zero set, far from a distance.
    auto phi = sampled<D>(cube<D>(32), 3, 0.5, [](const Point<D>& x) {
        const double r = length(x - Point<D>::filled(16.1));
        return (r * r - 81) / 10;
    });
    redistance(phi, 3);
    double worst = 0, near = 0;
    for (int b = 0; b < phi.blocks().size(); ++b)
        for (int o = 0; o < kBlockCells<D>; ++o) {
            const Index<D> c = phi.blocks().first_cell(b) + local_cell<D>(o);
            const double exact = ball(c.template as<double>() + Point<D>::filled(0.5), 16.1, 9);
            const double error = std::abs(phi.block(b)[o] - std::min(std::max(exact, -3.0), 3.0));
            worst = std::max(worst, error);
            if (std::abs(exact) < 0.5) near = std::max(near, error);
        }
    CHECK(near < 0.04);  // curvature 1/9: a plane over half a cell is off by 1/72, twice that here
    CHECK(worst < 0.1);
}

TEST_CASE_TEMPLATE("Redistancing again and again hardly moves the surface", Dm, Dim<2>, Dim<3>) {
    constexpr int D = Dm::value;
    auto phi = sampled<D>(cube<D>(32), 3, 0.5, [](const Point<D>& x) {
        return ball(x, 16.3, 8) + 0.4 * std::sin(x[0]) * std::cos(x[1]);
    });
    const double before = liquid_volume(phi), area = D == 3 ? 4 * M_PI * 64 : 2 * M_PI * 8;
    redistance(phi, 3);
    const double once = liquid_volume(phi);
    for (int k = 0; k < 5; ++k) redistance(phi, 3);
    // Mean shift in cells: of the first pass, then of each further one.
    CHECK(std::abs(once - before) / area < 0.02);
    CHECK(std::abs(liquid_volume(phi) - once) / area / 5 < 0.01);
}

TEST_CASE_TEMPLATE("Distances have the same bytes on 1, 2 and 3 threads", Dm, Dim<2>, Dim<3>) {
    constexpr int D = Dm::value;
    std::vector<Field<float, D>> results;
    for (int threads : {1, 2, 3}) {
        set_threads(threads);
        results.push_back(sampled<D>(cube<D>(40), 3, 0.5, [](const Point<D>& x) {
            return 2 * ball(x, 20, 11) + std::sin(3 * x[0]);
        }));
        redistance(results.back(), 3);
    }
    set_threads(0);
    for (const auto& r : results)
        CHECK(std::memcmp(r.data(), results[0].data(), r.cells() * sizeof(float)) == 0);
}

TEST_CASE("A plane cuts a cell as closed forms say") {
    const Point<2> x2{1, 0}, diagonal2{std::sqrt(0.5), std::sqrt(0.5)};
    CHECK(fraction_below_plane<2>(0, x2) == doctest::Approx(0.5));
    CHECK(fraction_below_plane<2>(-0.2, x2) == doctest::Approx(0.7).epsilon(1e-3));
    CHECK(fraction_below_plane<2>(0.6, x2) == doctest::Approx(0).epsilon(1e-4));
    // The corner triangle that a diagonal line leaves: half the square of its leg 1 - 0.3 sqrt(2).
    CHECK(fraction_below_plane<2>(0.3, diagonal2) ==
          doctest::Approx(0.5 * std::pow(1 - 0.3 * std::sqrt(2.0), 2)));
    const double s = 1 / std::sqrt(3.0);
    const Point<3> diagonal3{s, -s, s};
    CHECK(fraction_below_plane<3>(0, diagonal3) == doctest::Approx(0.5));
    // The corner tetrahedron with legs a = 1.5 - 0.5 sqrt(3): a^3 / 6.
    CHECK(fraction_below_plane<3>(0.5, diagonal3) ==
          doctest::Approx(std::pow(1.5 - 0.5 * std::sqrt(3.0), 3) / 6));
    // Against a sum over points, for a general plane.
    const Point<3> n = Point<3>{0.2, 0.5, -0.7} / length(Point<3>{0.2, 0.5, -0.7});
    int below = 0;
    for (int i = 0; i < 64 * 64 * 64; ++i) {
        const Point<3> p{(i % 64 + 0.5) / 64 - 0.5, (i / 64 % 64 + 0.5) / 64 - 0.5,
                         (i / 4096 + 0.5) / 64 - 0.5};
        below += dot(n, p) + 0.13 < 0;
    }
    CHECK(fraction_below_plane<3>(0.13, n) == doctest::Approx(below / 262144.0).epsilon(0.002));
}

TEST_CASE_TEMPLATE("The volume of a ball is right to a thousandth", Dm, Dim<2>, Dim<3>) {
    constexpr int D = Dm::value;
    const double r = 32, exact = D == 3 ? 4.0 / 3 * M_PI * r * r * r : M_PI * r * r;
    const auto phi =
        sampled<D>(cube<D>(80), 3, 0.5, [&](const Point<D>& x) { return ball(x, 40.3, r); });
    CHECK(liquid_volume(phi) == doctest::Approx(exact).epsilon(0.001));
    // Half the domain closed, cut along a cell boundary next to the ball's centre plane.
    const auto open = sampled<D>(cube<D>(80), 1, 0.5, [&](const Point<D>& x) { return x[0] < 40; });
    const double lost = (D == 3 ? M_PI * r * r : 2 * r) * 0.3;  // between that cut and the centre
    CHECK(liquid_volume(phi, &open) == doctest::Approx(exact / 2 - lost).epsilon(0.001));
}
