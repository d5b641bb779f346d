#include <doctest/doctest.h>

#include "tall/pools.h"

using namespace slosh::tall;

TEST_CASE("A linear function of height is read back exactly at every world cell") {
    const Pool pool(16, 8, 16, 60, 4, [](int x, int z) { return hills(x, z, 40); });
    const Grid& g = pool.grid;
    const auto f = [](int x, int y, int z) { return static_cast<float>(2 * y + 3 * x - z); };
    Columns<float> q(g, -1.0f);
    for (int z = 0; z < 16; ++z)
        for (int x = 0; x < 16; ++x) {
            const int c = g.column(x, z);
            q.bottom(c) = f(x, g.bottom(c), z);
            for (int i = 0; i <= g.ny(); ++i) q.at(c)[i] = f(x, g.top(c) + i, z);
        }
    q.refresh_all(g, Under::Nothing);
    for (int z = 0; z < 16; ++z)
        for (int x = 0; x < 16; ++x) {
            const int c = g.column(x, z);
            for (int y = g.bottom(c); y <= g.highest(c); ++y)
                CHECK(q.value(g, c, y, Under::Nothing) == doctest::Approx(f(x, y, z)));
            CHECK(q.value(g, c, g.bottom(c) - 1, Under::Nothing) == 0);
            CHECK(q.value(g, c, g.bottom(c) - 1, Under::Bottom) == q.bottom(c));
            CHECK(q.value(g, c, g.highest(c) + 1, Under::Nothing) == -1);
        }
}

TEST_CASE("A column read by its neighbour's offsets is the same, near and far") {
    Grid g(8, 16, 8, 1.0);
    for (int z = 0; z < 8; ++z)
        for (int x = 0; x < 8; ++x) g.set(x, z, x, 10 + 7 * x + z);  // steps of 7, 14 and more
    g.close_border();
    Columns<float> q(g);
    for (int z = 0; z < 8; ++z)
        for (int x = 0; x < 8; ++x) {
            const int c = g.column(x, z);
            q.bottom(c) = static_cast<float>(noise(x, z, 1));
            for (int i = 0; i <= g.ny(); ++i) q.at(c)[i] = static_cast<float>(noise(x, z, i + 2));
        }
    q.refresh_all(g, Under::Nothing);
    float room[64];
    for (int from = 0; from < 8; ++from)
        for (int to = 0; to < 8; ++to) {
            const int c = g.column(from, 3), top = g.top(g.column(to, 3));
            const float* p = q.aligned(g, c, top, g.length(), Under::Nothing, room);
            for (int i = -1; i < g.length(); ++i)
                CHECK(p[i] == doctest::Approx(q.value(g, c, top + i, Under::Nothing)));
        }
}

TEST_CASE("Coarser grids cover all cells of the finer one") {
    const Pool pool(32, 16, 32, 45, 6, [](int x, int z) { return hills(x, z, 60); });
    Grid fine = pool.grid;
    for (int level = 0; level < 2; ++level) {
        const Grid coarse = fine.coarser();
        for (int z = 0; z < fine.nz(); ++z)
            for (int x = 0; x < fine.nx(); ++x) {
                const int f = fine.column(x, z), c = coarse.column(x / 2, z / 2);
                CHECK(coarse.top(c) > coarse.bottom(c));
                CHECK(2 * coarse.highest(c) + 1 >= fine.highest(f));
                if (!fine.closed(f)) CHECK(2 * coarse.bottom(c) <= fine.bottom(f));
            }
        fine = coarse;
    }
}
