// A stop between any two file operations must leave a directory that can be resumed, and the
// resumed run must end with the same bytes as one that was never stopped.
#include <doctest/doctest.h>

#include "cache/fake_run.h"
#include "slosh/base/error.h"

using namespace slosh;

namespace {

/// Runs until the file operation number `at`; true if it got to the end.
template <int D>
bool run_until(int at, const std::string& path, int last, bool resume, const OutputChoices& choices,
               int every, int* operations = nullptr) {
    fake::StopAt stop(at);
    bool done = false;
    try {
        fake::simulate<D>(path, last, resume, choices, every);
        done = true;
    } catch (const fake::Stopped&) {
    }
    if (operations) *operations = stop.count();
    return done;
}

template <int D>
void stop_everywhere(int last, const OutputChoices& choices, int every, int stride) {
    fake::TempDir dir;
    int operations = 0;
    REQUIRE(run_until<D>(1 << 30, dir / "whole", last, false, choices, every, &operations));
    const auto want = fake::snapshot(dir / "whole");
    for (int at = 0; at < operations; at += stride) {
        const std::string path = dir / fake::numbered("run", at);
        // The last operation removes the lock; a stop there is no longer seen by the run.
        const bool done = run_until<D>(at, path, last, false, choices, every);
        CHECK((!done || at == operations - 1));
        fake::simulate<D>(path, last, true, choices, every);
        const std::string wrong = fake::difference(want, fake::snapshot(path));
        CHECK_MESSAGE(wrong == "", "stopped at operation " << at << ": " << wrong);
        std::filesystem::remove_all(path);
    }
}

}  // namespace

TEST_CASE("A stop after any file operation is resumed to the same bytes") {
    stop_everywhere<2>(3, {.volumes = true}, 1, 1);
}

TEST_CASE("Also with checkpoints every third frame, in 3D, and with VDB points") {
    stop_everywhere<3>(5, {.surface = false, .particles = ParticleFormat::Vdb}, 3, 4);
}

TEST_CASE("A resume that is itself stopped can be resumed again") {
    fake::TempDir dir;
    const OutputChoices choices{};
    fake::simulate<2>(dir / "whole", 5, false, choices, 2);
    const auto want = fake::snapshot(dir / "whole");
    int runs = 0;
    for (const int first : {30, 61, 85, 110})
        for (int again = 0;; ++again) {
            const std::string path = dir / fake::numbered("run", runs++);
            REQUIRE_FALSE(run_until<2>(first, path, 5, false, choices, 2));
            // Leave more behind than a stop of ours can: a damaged checkpoint from the future.
            if (!checkpoint_frames(path).empty())
                write_file(path + "/checkpoints/checkpoint.0009.ckpt", "damaged");
            const bool done = run_until<2>(again, path, 5, true, choices, 2);
            fake::simulate<2>(path, 5, true, choices, 2);
            const std::string wrong = fake::difference(want, fake::snapshot(path));
            CHECK_MESSAGE(wrong == "", first << ", then " << again << ": " << wrong);
            std::filesystem::remove_all(path);
            if (done || again > 40) break;
        }
}

TEST_CASE("A disk that fills up leaves a run that can be resumed") {
    fake::TempDir dir;
    const OutputChoices choices{};
    fake::simulate<2>(dir / "whole", 4, false, choices);
    int operation = 0;
    set_file_hook([&](std::string_view what, const std::string& path) {
        if (what == "write" && ++operation == 23) throw_file_error("write", path, ENOSPC);
    });
    CHECK_THROWS_AS(fake::simulate<2>(dir / "run", 4, false, choices), ResourceError);
    set_file_hook({});
    fake::simulate<2>(dir / "run", 4, true, choices);
    CHECK(fake::difference(fake::snapshot(dir / "whole"), fake::snapshot(dir / "run")) == "");
}
