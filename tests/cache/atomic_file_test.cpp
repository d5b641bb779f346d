#include "slosh/cache/atomic_file.h"

#include <doctest/doctest.h>
#include <signal.h>
#include <sys/resource.h>

#include "cache/fake_run.h"
#include "slosh/base/error.h"

using namespace slosh;
namespace fs = std::filesystem;

TEST_CASE("A file is not there under its name before it is committed") {
    fake::TempDir dir;
    const std::string path = dir / "a.bin";
    AtomicFile file(path);
    file.write("hello");
    CHECK_FALSE(fs::exists(path));
    file.commit();
    CHECK(read_file(path) == "hello");
    CHECK_FALSE(fs::exists(file.temporary_path()));
}

TEST_CASE("A file that is given up leaves nothing, and the old one stays") {
    fake::TempDir dir;
    const std::string path = dir / "a.bin";
    write_file(path, "old");
    {
        AtomicFile file(path);
        file.write("new");
    }
    CHECK(read_file(path) == "old");
    CHECK(std::distance(fs::directory_iterator(dir.path()), {}) == 1);
}

TEST_CASE("A stop at any operation leaves the old or the new file, and a temporary at most") {
    for (int at = 0; at < 6; ++at) {
        fake::TempDir dir;
        const std::string path = dir / "a.bin";
        write_file(path, "old");
        try {
            fake::StopAt stop(at);
            write_file(path, "new");
        } catch (const fake::Stopped&) {
        }
        const std::string found = read_file(path);
        CHECK((found == "old" || found == "new"));
        remove_temporaries(dir.path());
        CHECK(std::distance(fs::directory_iterator(dir.path()), {}) == 1);
    }
}

TEST_CASE("Places that cannot be written to are input errors of one line") {
    fake::TempDir dir;
    write_file(dir / "file", "x");
    for (const std::string& path : {dir / "missing/a.bin", dir / "file/a.bin"}) {
        try {
            write_file(path, "x");
            FAIL("written to " << path);
        } catch (const InputError& e) {
            CHECK(std::string(e.what()).find(path) != std::string::npos);
            CHECK(std::string(e.what()).find('\n') == std::string::npos);
        }
    }
    CHECK_THROWS_AS(make_directory(dir / "file/sub"), InputError);
    CHECK_THROWS_AS(read_file(dir / "nothing"), InputError);
    CHECK_THROWS_AS(read_file(dir.path()), InputError);
}

TEST_CASE("A full disk is a resource error and leaves the old file") {
    fake::TempDir dir;
    const std::string path = dir / "a.bin";
    write_file(path, "old");
    // The limit on a file's size stands in for a full disk: both fail inside write().
    struct rlimit before, small;
    getrlimit(RLIMIT_FSIZE, &before);
    small = before;
    small.rlim_cur = 1000;
    const auto handler = signal(SIGXFSZ, SIG_IGN);
    setrlimit(RLIMIT_FSIZE, &small);
    CHECK_THROWS_AS(write_file(path, std::string(5000, 'x')), ResourceError);
    setrlimit(RLIMIT_FSIZE, &before);
    signal(SIGXFSZ, handler);
    CHECK(read_file(path) == "old");
    CHECK(std::distance(fs::directory_iterator(dir.path()), {}) == 1);
}

TEST_CASE("Devices and links are written to, never replaced") {
    fake::TempDir dir;
    write_file("/dev/null", "x");
    CHECK(fs::is_character_file("/dev/null"));
    write_file(dir / "target", "old");
    fs::create_symlink(dir / "target", dir / "link");
    write_file(dir / "link", "new");
    CHECK(fs::is_symlink(dir / "link"));
    CHECK(read_file(dir / "target") == "new");
}
