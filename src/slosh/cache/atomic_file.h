// Files that appear whole or not at all.
//
// A file is written under a temporary name in its own directory, flushed to the disk, and then
// renamed over its final name; the directory is flushed last. Whoever reads, at whatever moment a
// run is killed or the power fails, sees the old file, the new file or none, never a part of one.
//
// Every change that slosh makes to a cache goes through this header, and each single operation
// first calls the hook below. Tests use it to stop a run between any two operations.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>

namespace slosh {

/// What a temporary file's name ends in.
inline constexpr std::string_view kTemporarySuffix = ".slosh-tmp";

/// Called before each file operation (open, write, sync, rename, append, truncate, remove, mkdir)
/// with its path. It may throw: the operation and all clean-up that goes through this header are
/// then left undone, as if the process had died. For tests only; not thread-safe.
using FileHook = std::function<void(std::string_view operation, const std::string& path)>;
void set_file_hook(FileHook hook);

/// A file being written; it does not exist under its own name before `commit`. A device, pipe or
/// link is written to directly: renaming a file over /dev/stdout or /dev/null would replace it.
///
/// Errors are thrown as one line: ResourceError if the disk is full or fails, InputError if the
/// place cannot be written to.
class AtomicFile {
public:
    explicit AtomicFile(std::string path);
    /// Removes the temporary unless it was committed.
    ~AtomicFile();
    AtomicFile(const AtomicFile&) = delete;
    AtomicFile& operator=(const AtomicFile&) = delete;

    void write(const void* data, std::size_t bytes);
    void write(std::string_view text) { write(text.data(), text.size()); }
    /// Where the bytes are until `commit`.
    const std::string& temporary_path() const { return temporary_; }
    std::size_t bytes() const { return bytes_; }
    void commit();

private:
    std::string path_, temporary_;
    int file_ = -1;
    std::size_t bytes_ = 0;
    bool committed_ = false, direct_ = false;
};

/// Writes a whole small file at once.
void write_file(const std::string& path, std::string_view text);
/// The whole of a file. InputError if it cannot be read.
std::string read_file(const std::string& path);
/// Adds to the end of a file and flushes it to the disk. Unlike the rest of this header, a stop in
/// the middle can leave a part of `text`.
void append_file(const std::string& path, std::string_view text);
/// Cuts a file to its first `bytes` bytes.
void truncate_file(const std::string& path, std::size_t bytes);
/// Removes a file if it is there.
void remove_file(const std::string& path);
/// Makes a directory and those above it.
void make_directory(const std::string& path);
/// Removes what a killed run left half-written in a directory (not below it).
void remove_temporaries(const std::string& directory);

/// Throws the error that fits `code` (an errno): "cannot <what> <path>: <why>; <what to do>".
[[noreturn]] void throw_file_error(std::string_view what, const std::string& path, int code);

}  // namespace slosh
