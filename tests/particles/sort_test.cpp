#include <doctest/doctest.h>

#include <map>

#include "particles/cloud.h"
#include "slosh/base/parallel.h"

using namespace slosh;

namespace {
template <int D>
Index<D> block_of_particle(const Particles<D>& p, std::size_t i) {
    return block_of<D>(floor(p.position(i)));
}
}  // namespace

TEST_CASE_TEMPLATE("sorting loses no particle and keeps each one whole", T, Dim<2>, Dim<3>) {
    constexpr int D = T::value;
    const auto before = random_cloud<D>(40000, 30, true);
    auto after = before;
    const auto sorted = sort_by_block(after);
    REQUIRE(after.size() == before.size());
    std::vector<int> seen(before.size(), 0);
    bool whole = true;
    for (std::size_t i = 0; i < after.size(); ++i) {
        const std::uint32_t j = after.id[i];
        ++seen[j];
        for (int d = 0; d < D; ++d) {
            whole = whole && after.x[d][i] == before.x[d][j] && after.v[d][i] == before.v[d][j];
            for (int e = 0; e < D; ++e) whole = whole && after.c[d][e][i] == before.c[d][e][j];
        }
    }
    CHECK(whole);
    CHECK(std::count(seen.begin(), seen.end(), 1) == static_cast<long>(seen.size()));
}

TEST_CASE_TEMPLATE("every particle lies in its block, in the order of before", T, Dim<2>, Dim<3>) {
    constexpr int D = T::value;
    auto p = random_cloud<D>(40000, 30, false);
    std::map<std::uint64_t, std::size_t> count;
    for (std::size_t i = 0; i < p.size(); ++i) ++count[block_key<D>(block_of_particle(p, i))];
    const auto sorted = sort_by_block(p);
    REQUIRE(sorted.blocks->size() == static_cast<int>(count.size()));  // exactly the occupied ones
    REQUIRE(sorted.first.back() == p.size());
    bool placed = true, ordered = true;
    for (int b = 0; b < sorted.blocks->size(); ++b) {
        CHECK(sorted.first[b + 1] - sorted.first[b] ==
              count[block_key<D>(sorted.blocks->coord(b))]);
        for (std::size_t i = sorted.first[b]; i < sorted.first[b + 1]; ++i) {
            placed = placed && block_of_particle(p, i) == sorted.blocks->coord(b);
            ordered = ordered && (i == sorted.first[b] || p.id[i - 1] < p.id[i]);
        }
    }
    CHECK(placed);
    CHECK(ordered);
}

TEST_CASE_TEMPLATE("sorting gives the same bytes on any number of threads", T, Dim<2>, Dim<3>) {
    constexpr int D = T::value;
    const auto start = random_cloud<D>(100000, 40, true);
    set_threads(1);
    auto one = start;
    const auto sorted = sort_by_block(one);
    for (int threads : {2, 3}) {
        set_threads(threads);
        auto many = start;
        CHECK(sort_by_block(many).first == sorted.first);
        CHECK(same_bytes(one, many));
    }
    set_threads(0);
}

TEST_CASE("sorting no particles gives no blocks") {
    Particles<3> p;
    const auto sorted = sort_by_block(p);
    CHECK(sorted.blocks->size() == 0);
    CHECK(sorted.first == std::vector<std::uint32_t>{0});
}

TEST_CASE_TEMPLATE("removing marked particles keeps the others in order", T, Dim<2>, Dim<3>) {
    constexpr int D = T::value;
    auto p = random_cloud<D>(50000, 10, true);
    std::vector<std::uint8_t> mark(p.size());
    for (std::size_t i = 0; i < mark.size(); ++i) mark[i] = i % 3 == 1;
    const auto before = p;
    CHECK(remove_marked(p, mark) == 16667);
    REQUIRE(p.size() == 50000 - 16667);
    bool right = true;
    for (std::size_t i = 0; i < p.size(); ++i) {
        const std::size_t j = i / 2 * 3 + (i % 2 ? 2 : 0);
        right = right && p.id[i] == j && p.c[D - 1][0][i] == before.c[D - 1][0][j];
    }
    CHECK(right);
    CHECK(remove_marked(p, std::vector<std::uint8_t>(p.size(), 0)) == 0);
}

TEST_CASE_TEMPLATE("appended particles come last", T, Dim<2>, Dim<3>) {
    constexpr int D = T::value;
    const auto a = random_cloud<D>(100, 10, true, 1), b = random_cloud<D>(50, 10, true, 2);
    Particles<D> p;
    append(p, a);
    CHECK(same_bytes(p, a));
    append(p, b);
    append(p, Particles<D>{});
    REQUIRE(p.size() == 150);
    CHECK(p.position(120) == b.position(20));
    CHECK(p.velocity(99) == a.velocity(99));
    CHECK(p.c[1][0][149] == b.c[1][0][49]);
    CHECK(p.bytes() == 150 * 4 * (2 * D + D * D + 1));
}
