#include "slosh/cache/atomic_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <system_error>
#include <utility>

#include "slosh/base/error.h"

namespace slosh {

namespace fs = std::filesystem;

namespace {

FileHook file_hook;

void announce(std::string_view operation, const std::string& path) {
    if (file_hook) file_hook(operation, path);
}

/// Owns a file descriptor.
struct Descriptor {
    int fd;
    ~Descriptor() {
        if (fd >= 0) ::close(fd);
    }
};

void write_all(int fd, const char* data, std::size_t bytes, const std::string& path) {
    // Calls of at most 1 GiB: Linux writes no more than 2 GiB at once.
    while (bytes > 0) {
        const ssize_t n = ::write(fd, data, std::min<std::size_t>(bytes, std::size_t(1) << 30));
        if (n < 0) {
            if (errno == EINTR) continue;
            throw_file_error("write", path, errno);
        }
        data += n;
        bytes -= static_cast<std::size_t>(n);
    }
}

void sync_file(int fd, const std::string& path) {
    // Some file systems cannot flush (EINVAL); the rename is still atomic there.
    if (::fsync(fd) != 0 && errno != EINVAL) throw_file_error("flush", path, errno);
}

std::string directory_of(const std::string& path) {
    const std::string parent = fs::path(path).parent_path().string();
    return parent.empty() ? "." : parent;
}

/// Makes a rename or removal in a directory lasting.
void sync_directory(const std::string& directory) {
    announce("sync", directory);
    const Descriptor d{::open(directory.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC)};
    if (d.fd >= 0) sync_file(d.fd, directory);
}

}  // namespace

void set_file_hook(FileHook hook) {
    file_hook = std::move(hook);
}

void throw_file_error(std::string_view what, const std::string& path, int code) {
    const std::string why = std::strerror(code);
    switch (code) {
        case ENOSPC:
        case EDQUOT:
        case EFBIG:
            throw ResourceError(fmt::format("cannot {} {}: {}; make room, then go on with --resume",
                                            what, path, why));
        case EIO:
        case ENOMEM:
        case EMFILE:
        case ENFILE:
            throw ResourceError(fmt::format(
                "cannot {} {}: {}; check the disk, then go on with --resume", what, path, why));
        case EACCES:
        case EPERM:
        case EROFS:
            throw InputError(fmt::format("cannot {} {}: {}; choose a directory you may write to",
                                         what, path, why));
        default:
            throw InputError(fmt::format("cannot {} {}: {}", what, path, why));
    }
}

AtomicFile::AtomicFile(std::string path)
    : path_(std::move(path)), temporary_(path_ + std::string(kTemporarySuffix)) {
    struct stat info;
    direct_ = ::lstat(path_.c_str(), &info) == 0 && !S_ISREG(info.st_mode);
    if (direct_) temporary_ = path_;
    announce("open", temporary_);
    file_ = ::open(temporary_.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    if (file_ < 0) throw_file_error("write", path_, errno);
}

AtomicFile::~AtomicFile() {
    if (file_ >= 0) ::close(file_);
    if (committed_ || direct_) return;
    try {
        announce("remove", temporary_);
        ::unlink(temporary_.c_str());
    } catch (...) {  // a simulated stop: the temporary stays, as it would after a kill
    }
}

void AtomicFile::write(const void* data, std::size_t bytes) {
    announce("write", temporary_);
    write_all(file_, static_cast<const char*>(data), bytes, path_);
    bytes_ += bytes;
}

void AtomicFile::commit() {
    announce("sync", temporary_);
    if (!direct_) sync_file(file_, path_);
    const int file = std::exchange(file_, -1);
    if (::close(file) != 0) throw_file_error("write", path_, errno);
    if (direct_) return;
    announce("rename", path_);
    if (::rename(temporary_.c_str(), path_.c_str()) != 0) throw_file_error("write", path_, errno);
    committed_ = true;
    sync_directory(directory_of(path_));
}

void write_file(const std::string& path, std::string_view text) {
    AtomicFile file(path);
    file.write(text);
    file.commit();
}

std::string read_file(const std::string& path) {
    const Descriptor d{::open(path.c_str(), O_RDONLY | O_CLOEXEC)};
    struct stat info;
    if (d.fd < 0 || ::fstat(d.fd, &info) != 0) throw_file_error("read", path, errno);
    if (!S_ISREG(info.st_mode)) throw InputError(fmt::format("cannot read {}: not a file", path));
    std::string bytes(static_cast<std::size_t>(info.st_size), '\0');
    std::size_t have = 0;
    while (have < bytes.size()) {
        const ssize_t n = ::read(d.fd, bytes.data() + have, bytes.size() - have);
        if (n < 0 && errno == EINTR) continue;
        if (n < 0) throw_file_error("read", path, errno);
        if (n == 0) break;
        have += static_cast<std::size_t>(n);
    }
    bytes.resize(have);
    return bytes;
}

void append_file(const std::string& path, std::string_view text) {
    announce("append", path);
    const Descriptor d{::open(path.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666)};
    if (d.fd < 0) throw_file_error("write", path, errno);
    write_all(d.fd, text.data(), text.size(), path);
    announce("sync", path);
    sync_file(d.fd, path);
}

void truncate_file(const std::string& path, std::size_t bytes) {
    announce("truncate", path);
    const Descriptor d{::open(path.c_str(), O_WRONLY | O_CLOEXEC)};
    if (d.fd < 0 || ::ftruncate(d.fd, static_cast<off_t>(bytes)) != 0)
        throw_file_error("shorten", path, errno);
    sync_file(d.fd, path);
}

void remove_file(const std::string& path) {
    announce("remove", path);
    if (::unlink(path.c_str()) != 0 && errno != ENOENT) throw_file_error("remove", path, errno);
}

void make_directory(const std::string& path) {
    announce("mkdir", path);
    std::error_code failure;
    fs::create_directories(path, failure);
    if (failure) throw_file_error("make directory", path, failure.value());
    if (!fs::is_directory(path, failure)) throw_file_error("make directory", path, ENOTDIR);
}

void remove_temporaries(const std::string& directory) {
    std::error_code failure;
    for (const auto& entry : fs::directory_iterator(directory, failure))
        if (entry.path().string().ends_with(kTemporarySuffix)) remove_file(entry.path().string());
}

}  // namespace slosh
