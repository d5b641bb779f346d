#include "slosh/grid/cell_mask.h"

#include <doctest/doctest.h>

#include "common.h"

using namespace slosh;

TEST_CASE_TEMPLATE("Marks of a block go to bits and back", Dm, Dim<2>, Dim<3>) {
    constexpr int D = Dm::value;
    std::uint8_t marks[kBlockCells<D>], back[kBlockCells<D>];
    std::uint32_t state = 1;
    for (int density = 0; density <= 4; ++density) {
        for (std::uint8_t& m : marks) {
            state = state * 1664525u + 1013904223u;
            m = static_cast<int>(state >> 30) < density;
        }
        store_marks<D>(nonzero<D>(marks), back);
        for (int o = 0; o < kBlockCells<D>; ++o) CHECK(back[o] == marks[o]);
    }
}
