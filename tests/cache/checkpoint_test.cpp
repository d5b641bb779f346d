#include "slosh/cache/checkpoint.h"

#include <doctest/doctest.h>

#include <cstring>
#include <limits>

#include "cache/fake_run.h"
#include "slosh/base/error.h"
#include "slosh/base/parallel.h"

using namespace slosh;

namespace {

template <class A>
bool same_bits(const A& a, const A& b) {
    return a.size() == b.size() &&
           (a.empty() || std::memcmp(a.data(), b.data(), a.size() * sizeof(a[0])) == 0);
}

template <int D>
bool same_bits(const LiquidState<D>& a, const LiquidState<D>& b) {
    bool same = std::memcmp(&a.time, &b.time, 8) == 0 && a.steps == b.steps &&
                a.next_id == b.next_id && a.drained == b.drained &&
                same_bits(a.particles.id, b.particles.id);
    for (int d = 0; d < D; ++d) {
        same = same && same_bits(a.particles.x[d], b.particles.x[d]) &&
               same_bits(a.particles.v[d], b.particles.v[d]);
        for (int e = 0; e < D; ++e)
            same = same && same_bits(a.particles.c[d][e], b.particles.c[d][e]);
    }
    return same;
}

}  // namespace

TEST_CASE_TEMPLATE("A checkpoint restores every bit", Dim, std::integral_constant<int, 2>,
                   std::integral_constant<int, 3>) {
    constexpr int D = Dim::value;
    fake::TempDir dir;
    for (const std::size_t n : {std::size_t(0), std::size_t(1), std::size_t(1000),
                                std::size_t(300001)})  // the last has more than one chunk
        for (const bool affine : {true, false}) {
            auto s = fake::state<D>(n, affine);
            s.time = 0.1 + 0.2;  // a double that no shorter text holds
            s.steps = 1ull << 40;
            s.drained = 77;
            if (n > 3) {
                s.particles.v[0][0] = -0.0f;
                s.particles.v[0][1] = std::numeric_limits<float>::denorm_min();
                s.particles.v[0][2] = std::numeric_limits<float>::quiet_NaN();
            }
            const std::size_t bytes = save_checkpoint(dir / "c", s, 12, 0xabc);
            CHECK(bytes == std::filesystem::file_size(dir / "c"));
            CheckpointInfo info;
            CHECK(same_bits(load_checkpoint<D>(dir / "c", &info), s));
            CHECK(info.frame == 12);
            CHECK(info.scene_hash == 0xabc);
            CHECK(info.dim == D);
            CHECK(info.particles == n);
        }
}

TEST_CASE("Checkpoint bytes do not depend on the number of threads") {
    fake::TempDir dir;
    const auto s = fake::state<3>(600000);
    set_threads(1);
    save_checkpoint(dir / "1", s, 1, 2);
    set_threads(2);
    save_checkpoint(dir / "2", s, 1, 2);
    set_threads(0);
    CHECK(read_file(dir / "1") == read_file(dir / "2"));
}

TEST_CASE("Any flipped bit and any missing end of a checkpoint is noticed") {
    fake::TempDir dir;
    const std::string path = dir / "c";
    save_checkpoint(path, fake::state<2>(20), 3, 4);
    const std::string good = read_file(path);
    const auto refused = [&](const std::string& bytes) {
        write_file(path, bytes);
        int errors = 0;
        try {
            (void)load_checkpoint<2>(path);
        } catch (const InputError& e) {
            errors += std::string(e.what()).find('\n') == std::string::npos;
        }
        try {
            (void)check_checkpoint(path);
        } catch (const InputError&) {
            ++errors;
        }
        return errors == 2;
    };
    std::size_t missed = 0;
    for (std::size_t n = 0; n < good.size(); ++n) missed += !refused(good.substr(0, n));
    for (std::size_t i = 0; i < good.size(); ++i) {
        std::string bytes = good;
        bytes[i] = static_cast<char>(bytes[i] ^ (1 << i % 8));
        missed += !refused(bytes);
    }
    missed += !refused(good + "x");
    CHECK(missed == 0);
}

TEST_CASE("A checkpoint of another dimension is refused") {
    fake::TempDir dir;
    save_checkpoint(dir / "c", fake::state<2>(20), 3, 4);
    CHECK_THROWS_AS(load_checkpoint<3>(dir / "c"), InputError);
}
