#include "slosh/base/pages.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <vector>

#include "slosh/base/memory.h"

using namespace slosh;

TEST_CASE("Pooled memory comes back, and comes back zero if asked to") {
    release_pooled_pages();
    for (std::size_t bytes : {std::size_t(100), std::size_t(300000), std::size_t(5) << 20}) {
        void* first;
        {
            Pages p(bytes, Fill::Zero);
            first = p.data();
            std::memset(p.data(), 7, bytes);
        }
        Pages again(bytes, Fill::Zero);
        CHECK(again.data() == first);
        std::size_t wrong = 0;
        for (std::size_t i = 0; i < bytes; ++i) wrong += static_cast<char*>(again.data())[i] != 0;
        CHECK(wrong == 0);
        Pages other(bytes, Fill::Zero);
        CHECK(other.data() != again.data());
    }
}

TEST_CASE("An array that has grown a little since the last step finds its memory again") {
    release_pooled_pages();
    for (std::size_t bytes : {std::size_t(300000), std::size_t(40) << 20}) {
        void* first;
        {
            Pages p(bytes, Fill::Nothing);
            first = p.data();
            std::memset(p.data(), 7, bytes);
        }
        const std::size_t grown = bytes + bytes / 5;
        Pages again(grown, Fill::Zero);
        CHECK(again.data() == first);
        std::size_t wrong = 0;
        for (std::size_t i = 0; i < grown; ++i) wrong += static_cast<char*>(again.data())[i] != 0;
        CHECK(wrong == 0);
        // More than there is room for.
        Pages large(2 * bytes, Fill::Nothing);
        CHECK(large.data() != again.data());
    }
}

TEST_CASE("Moving memory leaves one owner") {
    Pages a(1000, Fill::Zero);
    void* data = a.data();
    Pages b = std::move(a);
    CHECK(b.data() == data);
    CHECK(a.data() == nullptr);
    Pages c;
    c = std::move(b);
    CHECK(c.data() == data);
}

TEST_CASE("Memory of fields is aligned and does not overlap") {
    std::vector<char*> all;
    const std::size_t mega = std::size_t(1) << 20;
    const std::size_t sizes[] = {1, 64, 1000, mega - 1, mega, 3 * mega};
    for (std::size_t bytes : sizes) {
        char* const p = static_cast<char*>(allocate_aligned(bytes));
        CHECK(reinterpret_cast<std::uintptr_t>(p) % 64 == 0);
        std::fill(p, p + bytes, static_cast<char>(all.size()));
        all.push_back(p);
    }
    for (std::size_t n = 0; n < all.size(); ++n) {
        CHECK(all[n][0] == static_cast<char>(n));
        CHECK(all[n][sizes[n] - 1] == static_cast<char>(n));
        free_aligned(all[n]);
    }
}
