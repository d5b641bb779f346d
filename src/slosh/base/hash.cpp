#include "slosh/base/hash.h"

#include <cstring>

namespace slosh {

std::uint64_t hash_bytes(const void* data, std::size_t size, std::uint64_t seed) {
    const auto* p = static_cast<const unsigned char*>(data);
    std::uint64_t h = mix64(seed ^ size) ^ 0xcbf29ce484222325ull;
    for (; size >= 8; size -= 8, p += 8) {
        std::uint64_t w;
        std::memcpy(&w, p, 8);
        h = (h ^ w) * 0x100000001b3ull;
        h ^= h >> 29;
    }
    for (; size > 0; --size, ++p) h = (h ^ *p) * 0x100000001b3ull;
    return mix64(h);
}

}  // namespace slosh
