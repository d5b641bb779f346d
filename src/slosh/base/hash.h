// Hashes: random numbers that depend only on (seed, id, draw), and hashes of bytes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace slosh {

/// Mixes 64 bits (the finaliser of splitmix64).
constexpr std::uint64_t mix64(std::uint64_t x) {
    x += 0x9e3779b97f4a7c15ull;
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ull;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebull;
    return x ^ (x >> 31);
}

/// Uniform in [0, 1): draw number `draw` of particle `id` under `seed`.
constexpr double hash_uniform(std::uint64_t seed, std::uint64_t id, std::uint64_t draw) {
    return static_cast<double>(mix64(mix64(mix64(seed) ^ id) ^ draw) >> 11) * 0x1.0p-53;
}

/// 64-bit hash of bytes (FNV-1a over 8-byte words, mixed at the end). Not cryptographic.
std::uint64_t hash_bytes(const void* data, std::size_t size, std::uint64_t seed = 0);
inline std::uint64_t hash_bytes(std::string_view s, std::uint64_t seed = 0) {
    return hash_bytes(s.data(), s.size(), seed);
}

}  // namespace slosh
