// One run at a time in a cache directory.
//
// The lock is an flock on the file slosh.lock: the kernel lets go of it when the process dies,
// however it dies, so a stale lock can never be mistaken for a live one (a process id alone could
// be: ids are used again). The id in the file is there to tell the user who holds it.
#pragma once

#include <string>

namespace slosh {

class DirectoryLock {
public:
    /// Takes the lock of a directory. InputError, with the holder's process id, if it is taken.
    explicit DirectoryLock(const std::string& directory);
    /// Lets go and removes the file.
    ~DirectoryLock();
    DirectoryLock(const DirectoryLock&) = delete;
    DirectoryLock& operator=(const DirectoryLock&) = delete;

    static constexpr const char* kName = "slosh.lock";

private:
    std::string path_;
    int file_ = -1;
};

/// Throws the same error if another run holds the lock; takes nothing.
void throw_if_in_use(const std::string& directory);

/// Process id of the live run in a directory, or 0.
int live_run(const std::string& directory);

}  // namespace slosh
