// Arrays of 4-byte values, packed without loss: cut into chunks, bytes shuffled (all first bytes,
// then all second bytes, ...), each chunk compressed by zstd and checksummed. Shuffling puts the
// slowly varying exponents of neighbouring floats side by side; without it zstd finds next to
// nothing in them.
//
// A chunk is compressed on its own by one thread, so the bytes do not depend on the number of
// threads.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace slosh {

class AtomicFile;

/// An array to be packed (read only) or unpacked into.
struct PackedArray {
    void* data = nullptr;
    std::size_t count = 0;  ///< Of 4-byte values.
};

/// Appends the chunks of all arrays to a file.
void write_packed(AtomicFile& file, const std::vector<PackedArray>& arrays);

/// Throws InputError, naming `path`, unless `bytes` is exactly the chunks of arrays of `count`
/// values each, with every checksum right.
void check_packed(const std::string& path, std::string_view bytes, std::size_t arrays,
                  std::size_t count);

/// Unpacks what check_packed has accepted; the arrays are sized already.
void read_packed(const std::string& path, std::string_view bytes,
                 const std::vector<PackedArray>& arrays);

}  // namespace slosh
