#include "slosh/render/light.h"

#include <doctest/doctest.h>

using namespace slosh;

TEST_CASE("Fresnel's law: head on, at Brewster's angle, and beyond the critical angle") {
    float out;
    const float n = kWaterIndex;
    const float head_on = (n - 1) * (n - 1) / ((n + 1) * (n + 1));
    CHECK(fresnel(1, 1 / n, out) == doctest::Approx(head_on).epsilon(1e-5));
    CHECK(fresnel(1, n, out) == doctest::Approx(head_on).epsilon(1e-5));
    // At Brewster's angle, tan = n, only the s part is left: ((n^2 - 1) / (n^2 + 1))^2 / 2.
    const float s = (n * n - 1) / (n * n + 1);
    CHECK(fresnel(1 / std::sqrt(1 + n * n), 1 / n, out) ==
          doctest::Approx(s * s / 2).epsilon(1e-4));
    const float critical = std::sqrt(1 - 1 / (n * n));
    CHECK(fresnel(critical * 0.99f, n, out) == 1);
    CHECK(fresnel(critical * 1.01f, n, out) < 1);
    // Snell: sin out = sin in * eta.
    fresnel(0.6f, 1 / n, out);
    CHECK(std::sqrt(1 - out * out) == doctest::Approx(0.8 / n).epsilon(1e-5));
}

TEST_CASE("Points of the even sequence fill the square evenly") {
    int count[4][4] = {};
    for (int i = 0; i < 1600; ++i) {
        float a, b;
        even_point(std::size_t(i), a, b);
        ++count[int(a * 4)][int(b * 4)];
    }
    for (const auto& row : count)
        for (int n : row) CHECK(std::abs(n - 100) <= 5);
}
