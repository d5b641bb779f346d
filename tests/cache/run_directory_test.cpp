#include "slosh/cache/run_directory.h"

#include <doctest/doctest.h>
#include <sys/wait.h>

#include "cache/fake_run.h"
#include "slosh/base/error.h"

using namespace slosh;
namespace fs = std::filesystem;

namespace {

const OutputChoices kChoices{};

/// The text of the error that `body` throws.
template <class Body>
std::string refusal(const Body& body) {
    try {
        body();
    } catch (const InputError& e) {
        return e.what();
    }
    return "";
}

bool says(const std::string& text, const char* part) {
    return text.find(part) != std::string::npos;
}

}  // namespace

TEST_CASE("A run leaves the files of the contract and no lock") {
    fake::TempDir dir;
    OutputChoices all{.volumes = true};
    fake::simulate<3>(dir / "run", 3, false, all);
    for (const char* name :
         {"scene.json", "manifest.json", "stats.jsonl", "slosh.pvd", "surface/surface.0001.ply",
          "particles/particles.0003.ply", "volumes/volumes.0002.vdb", "paraview/surface.0003.vtp",
          "checkpoints/checkpoint.0003.ckpt", "checkpoints/checkpoint.0002.ckpt"})
        CHECK_MESSAGE(fs::exists(dir / "run/" + name), name);
    CHECK_FALSE(fs::exists(dir / "run/checkpoints/checkpoint.0001.ckpt"));  // two are kept
    CHECK_FALSE(fs::exists(dir / "run/slosh.lock"));
    const Manifest m = read_manifest(dir / "run");
    CHECK(m.frames == 3);
    CHECK(m.scene == "fake");
    CHECK(m.cells == std::vector<int>{24, 24, 24});
    CHECK(m.files.size() == 4);
    CHECK(says(read_file(dir / "run/slosh.pvd"), "timestep=\"0.03333333333333333\""));
}

TEST_CASE("A directory that holds a run is refused, and the error says how to go on") {
    fake::TempDir dir;
    fake::simulate<2>(dir / "run", 2, false, kChoices);
    const auto before = fake::snapshot(dir / "run");
    const std::string same =
        refusal([&] { RunDirectory::open_new(dir / "run", fake::about<2>(), "{}\n"); });
    CHECK(says(same, "--resume"));
    CHECK(says(same, "-o"));
    const std::string other =
        refusal([&] { RunDirectory::open_new(dir / "run", fake::about<2>(99), "{}\n"); });
    CHECK(says(other, "another scene"));
    CHECK(says(other, "-o"));
    const std::string changed =
        refusal([&] { RunDirectory::open_resume(dir / "run", fake::about<2>(99), "{}\n"); });
    CHECK(says(changed, "another scene"));
    CHECK(says(changed, "delete"));
    CHECK(fake::difference(before, fake::snapshot(dir / "run")) == "");

    fs::create_directories(dir / "foreign/particles");
    for (const bool resume : {false, true})
        CHECK(says(refusal([&] {
                       resume ? RunDirectory::open_resume(dir / "foreign", fake::about<2>(), "{}")
                              : RunDirectory::open_new(dir / "foreign", fake::about<2>(), "{}");
                   }),
                   "particles"));
    // Files that no run would write do not matter.
    fs::create_directories(dir / "notes");
    write_file(dir / "notes/README", "mine");
    fake::simulate<2>(dir / "notes", 1, false, kChoices);
    CHECK(read_file(dir / "notes/README") == "mine");
}

TEST_CASE("A live run keeps others out; the lock of a dead one does not") {
    fake::TempDir dir;
    RunDirectory run = RunDirectory::open_new(dir / "run", fake::about<2>(), "{}\n");
    const auto open = [&] { RunDirectory::open_resume(dir / "run", fake::about<2>(), "{}\n"); };
    CHECK(says(refusal(open), ("process " + std::to_string(::getpid())).c_str()));
    CHECK(says(refusal([&] { RunDirectory::open_new(dir / "run", fake::about<2>(), "{}\n"); }),
               "process"));

    fake::TempDir other;
    const pid_t child = ::fork();
    if (child == 0) {  // takes the lock and dies without letting go
        new DirectoryLock(other.path());
        ::_exit(0);
    }
    int status = 0;
    ::waitpid(child, &status, 0);
    CHECK(read_file(other / "slosh.lock") == std::to_string(child) + "\n");
    CHECK(live_run(other.path()) == 0);
    DirectoryLock taken_over(other.path());
    CHECK(read_file(other / "slosh.lock") == std::to_string(::getpid()) + "\n");
    CHECK(live_run(other.path()) == ::getpid());
}

TEST_CASE("A later end frame extends a finished run to the bytes of a longer one") {
    fake::TempDir dir;
    for (const int every : {1, 3}) {
        const std::string a = dir / fake::numbered("a", every),
                          b = dir / fake::numbered("b", every);
        fake::simulate<2>(a, 7, false, kChoices, every);
        fake::simulate<2>(b, 4, false, kChoices, every);
        fake::simulate<2>(b, 7, true, kChoices, every);
        CHECK(fake::difference(fake::snapshot(a), fake::snapshot(b)) == "");
    }
}

TEST_CASE("Resuming a finished run changes nothing") {
    fake::TempDir dir;
    fake::simulate<2>(dir / "a", 4, false, kChoices);
    const auto before = fake::snapshot(dir / "a");
    fake::simulate<2>(dir / "a", 4, true, kChoices);
    fake::simulate<2>(dir / "a", 2, true, kChoices);
    CHECK(fake::difference(before, fake::snapshot(dir / "a")) == "");
}

TEST_CASE("An interrupted run, resumed, ends with the files of one that was not") {
    fake::TempDir dir;
    fake::simulate<2>(dir / "a", 9, false, kChoices, 3);
    for (int stop = 1; stop < 9; ++stop) {
        const std::string b = dir / fake::numbered("b", stop);
        fake::simulate<2>(b, 9, false, kChoices, 3, stop);
        CHECK(read_manifest(b).frames == stop);
        fake::simulate<2>(b, 9, true, kChoices, 3);
        CHECK_MESSAGE(fake::difference(fake::snapshot(dir / "a"), fake::snapshot(b)) == "", stop);
    }
}

TEST_CASE("A damaged checkpoint, a torn line and a damaged manifest are survived") {
    fake::TempDir dir;
    fake::simulate<2>(dir / "a", 6, false, kChoices);
    const auto want = fake::snapshot(dir / "a");
    fake::simulate<2>(dir / "b", 5, false, kChoices);
    truncate_file(dir / "b/checkpoints/checkpoint.0005.ckpt", 100);
    append_file(dir / "b/stats.jsonl", "{\"frame\":5,\"subst");
    write_file(dir / "b/manifest.json", "{ not json");
    write_file(dir / "b/surface/surface.0006.ply.slosh-tmp", "half");
    fake::simulate<2>(dir / "b", 6, true, kChoices);
    CHECK(fake::difference(want, fake::snapshot(dir / "b")) == "");
}

TEST_CASE("A long run whose checkpoints are lost is refused, not begun again in silence") {
    fake::TempDir dir;
    fake::simulate<2>(dir / "a", 4, false, kChoices);
    fs::remove_all(dir / "a/checkpoints");
    const auto before = fake::snapshot(dir / "a");
    CHECK(says(refusal([&] { fake::simulate<2>(dir / "a", 4, true, kChoices); }), "checkpoint"));
    CHECK(fake::difference(before, fake::snapshot(dir / "a")) == "");
}

TEST_CASE("Resume leaves files alone that are not the run's own") {
    fake::TempDir dir;
    fake::simulate<2>(dir / "a", 2, false, kChoices);
    write_file(dir / "a/surface/render.0009.png", "mine");
    write_file(dir / "a/surface/surface.0009.ply", "left by a run that got further");
    fake::simulate<2>(dir / "a", 3, true, kChoices);
    CHECK(fs::exists(dir / "a/surface/render.0009.png"));
    CHECK_FALSE(fs::exists(dir / "a/surface/surface.0009.ply"));
}
