#include "slosh/cache/lock.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <utility>

#include "slosh/base/error.h"
#include "slosh/cache/atomic_file.h"

namespace slosh {

namespace {

int id_in(int fd) {
    char text[32] = {};
    return ::pread(fd, text, sizeof text - 1, 0) > 0 ? std::atoi(text) : 0;
}

/// Tries to lock an open file: 0, or the errno of why not (EWOULDBLOCK: another has it).
int try_lock(int fd) {
    while (::flock(fd, LOCK_EX | LOCK_NB) != 0) {
        if (errno == EINTR) continue;
        if (errno == EWOULDBLOCK) return errno;
        // A file system without locks: all there is to go by is whether the process lives.
        const int id = id_in(fd);
        return id > 0 && id != ::getpid() && ::kill(id, 0) == 0 ? EWOULDBLOCK : 0;
    }
    return 0;
}

/// Whether `fd` is still the file that has this name.
bool is_current(int fd, const std::string& path) {
    struct stat mine, named;
    return ::fstat(fd, &mine) == 0 && ::stat(path.c_str(), &named) == 0 &&
           mine.st_ino == named.st_ino && mine.st_dev == named.st_dev;
}

[[noreturn]] void refuse(const std::string& directory, int id) {
    throw InputError(
        fmt::format("{} is in use by another slosh (process {}); wait for it, stop it, or choose "
                    "another directory with -o",
                    directory, id));
}

}  // namespace

DirectoryLock::DirectoryLock(const std::string& directory) : path_(directory + "/" + kName) {
    while (true) {
        const int fd = ::open(path_.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666);
        if (fd < 0) throw_file_error("write", path_, errno);
        if (try_lock(fd) != 0) {
            const int id = id_in(fd);
            ::close(fd);
            refuse(directory, id);
        }
        // The holder before may have removed the file between our open and our lock.
        if (!is_current(fd, path_)) {
            ::close(fd);
            continue;
        }
        file_ = fd;
        break;
    }
    const std::string id = fmt::format("{}\n", ::getpid());
    if (::ftruncate(file_, 0) != 0 ||
        ::pwrite(file_, id.data(), id.size(), 0) != static_cast<ssize_t>(id.size())) {
        const int code = errno;
        ::close(std::exchange(file_, -1));
        throw_file_error("write", path_, code);
    }
}

DirectoryLock::~DirectoryLock() {
    if (file_ < 0) return;
    try {
        remove_file(path_);
    } catch (...) {  // nothing is lost: the next run takes the stale file over
    }
    ::close(file_);
}

void throw_if_in_use(const std::string& directory) {
    if (const int id = live_run(directory)) refuse(directory, id);
}

int live_run(const std::string& directory) {
    const int fd = ::open((directory + "/" + DirectoryLock::kName).c_str(), O_RDONLY | O_CLOEXEC);
    if (fd < 0) return 0;
    const int id = try_lock(fd) == EWOULDBLOCK ? id_in(fd) : 0;
    ::close(fd);
    return id;
}

}  // namespace slosh
