#include "slosh/linear/slabs.h"

#include <doctest/doctest.h>

#include "common.h"
#include "slosh/base/hash.h"
#include "slosh/linear/block_rows.h"

using namespace slosh;

namespace {

constexpr std::size_t kLarge = std::size_t(1) << 40;  // bytes, more than any cache

/// A box of blocks with about a third of them missing.
template <int D>
Blocks<D> holed_box(const Index<D>& size) {
    std::vector<Index<D>> coords;
    Index<D> c;
    const auto fill = [&](const auto& self, int axis) -> void {
        if (axis == D) {
            if (hash_uniform(7, block_key<D>(c), 0) < 0.65) coords.push_back(c);
            return;
        }
        for (c[axis] = 0; c[axis] < size[axis]; ++c[axis]) self(self, axis + 1);
    };
    fill(fill, 0);
    return Blocks<D>(coords);
}

/// Two colours of numbers. A pass over a colour mixes each number with those of the other colour
/// in the block and its face neighbours, as a half-sweep does: in another order all come out
/// different.
template <int D>
struct Colours {
    const Blocks<D>& blocks;
    std::vector<std::uint64_t> value[2];

    explicit Colours(const Blocks<D>& all) : blocks(all) {
        for (auto& v : value)
            for (int b = 0; b <= blocks.size(); ++b) v.push_back(b < blocks.size() ? b + 1 : 0);
    }
    void pass(int k, int b) {
        const std::vector<std::uint64_t>& other = value[1 - k % 2];
        std::uint64_t sum = value[k % 2][b] + 3 * other[b];
        for (int side = 0; side < 2 * D; ++side)
            sum = 31 * sum + other[blocks.neighbour(b, face_code<D>(side))];
        value[k % 2][b] = sum * 0x9e3779b97f4a7c15u + 1;
    }
};

template <int D>
void check_passes(const Index<D>& size) {
    const Blocks<D> blocks = holed_box<D>(size);
    std::vector<int> live;
    for (int b = 0; b < blocks.size(); ++b) live.push_back(b);
    for (std::size_t bytes : {std::size_t(0), kLarge})
        for (int passes : {1, 2, 5, 7, 12}) {
            CAPTURE(bytes);
            CAPTURE(passes);
            Colours<D> expected(blocks), found(blocks);
            for (int k = 0; k < passes; ++k)
                for (int b : live) expected.pass(k, b);
            Slabs::make(blocks, bytes, live).run(passes, [&](int k, int b) { found.pass(k, b); });
            CHECK(found.value[0] == expected.value[0]);
            CHECK(found.value[1] == expected.value[1]);
        }
}

}  // namespace

TEST_CASE("Passes over slabs give what passes one after the other give") {
    for (int count : {1, 2, 4}) {
        CAPTURE(count);
        set_threads(count);
        check_passes<2>({9, 13});
        check_passes<2>({70, 3});  // slabs across x
        check_passes<3>({7, 6, 11});
        check_passes<3>({20, 3, 2});
        check_passes<3>({4, 4, 1});  // fewer slabs than passes
    }
    set_threads(0);
}

TEST_CASE("Slabs of no blocks do nothing") {
    const Blocks<3> none;
    Slabs::make(none, kLarge, {}).run(7, [](int, int) { FAIL("there is no block"); });
}
