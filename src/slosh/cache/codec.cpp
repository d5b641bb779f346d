#include "slosh/cache/codec.h"

#include <fmt/format.h>
#include <zstd.h>

#include <algorithm>
#include <atomic>
#include <cstring>
#include <memory>

#include "slosh/base/error.h"
#include "slosh/base/hash.h"
#include "slosh/base/parallel.h"
#include "slosh/cache/atomic_file.h"

namespace slosh {

namespace {

constexpr std::size_t kChunk = 1 << 18;    // values: 1 MiB
constexpr std::size_t kChunksAtOnce = 64;  // bounds the buffers of packed chunks
constexpr int kLevel = 1;  // higher levels cost several times more for a few per cent of size

/// Precedes each chunk in the file.
struct ChunkHeader {
    std::uint32_t values;  ///< 4-byte values after unpacking.
    std::uint32_t bytes;   ///< Compressed bytes that follow.
    std::uint64_t hash;    ///< Of the compressed bytes, seeded by `values`.
};
static_assert(sizeof(ChunkHeader) == 16);

/// A part of an array.
struct Chunk {
    char* data;
    std::size_t values;
};

std::size_t chunks_of(std::size_t count) {
    return (count + kChunk - 1) / kChunk;
}

std::vector<Chunk> cut(const std::vector<PackedArray>& arrays) {
    std::vector<Chunk> chunks;
    for (const PackedArray& a : arrays)
        for (std::size_t first = 0; first < a.count; first += kChunk)
            chunks.push_back(
                {static_cast<char*>(a.data) + first * 4, std::min(kChunk, a.count - first)});
    return chunks;
}

void shuffle(const char* in, std::size_t values, char* out) {
    for (std::size_t i = 0; i < values; ++i) {
        std::uint32_t w;
        std::memcpy(&w, in + 4 * i, 4);
        out[i] = static_cast<char>(w);
        out[values + i] = static_cast<char>(w >> 8);
        out[2 * values + i] = static_cast<char>(w >> 16);
        out[3 * values + i] = static_cast<char>(w >> 24);
    }
}

void unshuffle(const char* in, std::size_t values, char* out) {
    const auto* b = reinterpret_cast<const unsigned char*>(in);
    for (std::size_t i = 0; i < values; ++i) {
        const std::uint32_t w = std::uint32_t(b[i]) | std::uint32_t(b[values + i]) << 8 |
                                std::uint32_t(b[2 * values + i]) << 16 |
                                std::uint32_t(b[3 * values + i]) << 24;
        std::memcpy(out + 4 * i, &w, 4);
    }
}

std::string pack(const Chunk& chunk, std::vector<char>& scratch) {
    scratch.resize(chunk.values * 4);
    shuffle(chunk.data, chunk.values, scratch.data());
    std::string out(sizeof(ChunkHeader) + ZSTD_compressBound(scratch.size()), '\0');
    const std::size_t n =
        ZSTD_compress(out.data() + sizeof(ChunkHeader), out.size() - sizeof(ChunkHeader),
                      scratch.data(), scratch.size(), kLevel);
    SLOSH_EXPECT(!ZSTD_isError(n));
    out.resize(sizeof(ChunkHeader) + n);
    const ChunkHeader header{static_cast<std::uint32_t>(chunk.values),
                             static_cast<std::uint32_t>(n),
                             hash_bytes(out.data() + sizeof(ChunkHeader), n, chunk.values)};
    std::memcpy(out.data(), &header, sizeof header);
    return out;
}

/// Where the chunks of a file begin, after checking that they fill it exactly.
std::vector<std::size_t> find_chunks(const std::string& path, std::string_view bytes,
                                     std::size_t arrays, std::size_t count) {
    std::vector<std::size_t> starts;
    std::size_t at = 0;
    const std::size_t each = chunks_of(count);
    if (each > bytes.size() / sizeof(ChunkHeader) + 1)  // before arrays * each can overflow
        throw InputError(fmt::format("cannot read {}: it is cut short", path));
    for (std::size_t i = 0; i < arrays * each; ++i) {
        const std::size_t values = std::min(kChunk, count - i % each * kChunk);
        ChunkHeader header;
        if (bytes.size() - at < sizeof header)
            throw InputError(fmt::format("cannot read {}: it is cut short", path));
        std::memcpy(&header, bytes.data() + at, sizeof header);
        if (header.values != values)
            throw InputError(fmt::format("cannot read {}: it is damaged", path));
        if (header.bytes > bytes.size() - at - sizeof header)
            throw InputError(fmt::format("cannot read {}: it is cut short", path));
        starts.push_back(at);
        at += sizeof header + header.bytes;
    }
    if (at != bytes.size())
        throw InputError(fmt::format("cannot read {}: it is longer than it should be", path));
    return starts;
}

}  // namespace

void write_packed(AtomicFile& file, const std::vector<PackedArray>& arrays) {
    const std::vector<Chunk> chunks = cut(arrays);
    std::vector<std::string> packed(std::min(kChunksAtOnce, chunks.size()));
    for (std::size_t first = 0; first < chunks.size(); first += kChunksAtOnce) {
        const std::size_t n = std::min(kChunksAtOnce, chunks.size() - first);
        parallel_for(n, 1, [&](std::size_t i) {
            static thread_local std::vector<char> scratch;
            packed[i] = pack(chunks[first + i], scratch);
        });
        for (std::size_t i = 0; i < n; ++i) file.write(packed[i]);
    }
}

void check_packed(const std::string& path, std::string_view bytes, std::size_t arrays,
                  std::size_t count) {
    const std::vector<std::size_t> starts = find_chunks(path, bytes, arrays, count);
    std::atomic<bool> good = true;
    parallel_for(starts.size(), 1, [&](std::size_t i) {
        ChunkHeader header;
        std::memcpy(&header, bytes.data() + starts[i], sizeof header);
        const char* data = bytes.data() + starts[i] + sizeof header;
        if (hash_bytes(data, header.bytes, header.values) != header.hash) good = false;
    });
    if (!good) throw InputError(fmt::format("cannot read {}: it is damaged", path));
}

void read_packed(const std::string& path, std::string_view bytes,
                 const std::vector<PackedArray>& arrays) {
    SLOSH_EXPECT(!arrays.empty());
    const std::vector<std::size_t> starts =
        find_chunks(path, bytes, arrays.size(), arrays[0].count);
    const std::vector<Chunk> chunks = cut(arrays);
    std::atomic<bool> good = true;
    parallel_for(chunks.size(), 1, [&](std::size_t i) {
        static thread_local std::vector<char> scratch;
        ChunkHeader header;
        std::memcpy(&header, bytes.data() + starts[i], sizeof header);
        scratch.resize(chunks[i].values * 4);
        const std::size_t n = ZSTD_decompress(
            scratch.data(), scratch.size(), bytes.data() + starts[i] + sizeof header, header.bytes);
        if (n == scratch.size())
            unshuffle(scratch.data(), chunks[i].values, chunks[i].data);
        else
            good = false;
    });
    if (!good) throw InputError(fmt::format("cannot read {}: it is damaged", path));
}

}  // namespace slosh
