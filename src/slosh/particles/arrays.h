// The particle arrays as a list, for work that is the same for each of them (sorting, compaction).
#pragma once

#include <immintrin.h>

#include <algorithm>
#include <cstdint>
#include <vector>

#include "slosh/base/pages.h"
#include "slosh/base/parallel.h"
#include "slosh/particles/particles.h"

namespace slosh {

/// Calls body(array) for every float array that is kept, then for the ids.
template <class P, class Body>
void for_each_array(P& particles, const Body& body) {
    for (auto& a : particles.x) body(a);
    for (auto& a : particles.v) body(a);
    if (particles.affine())
        for (auto& row : particles.c)
            for (auto& a : row) body(a);
    if (particles.gas()) {
        body(particles.smoke);
        body(particles.temperature);
    }
    if (particles.viscous()) body(particles.viscosity);
    body(particles.id);
}

/// to[j] = from[source[j]] for j in [begin, end); T has four bytes.
///
/// Most particles stay in their block from one step to the next, so sources mostly follow each
/// other: eight that do are one load. The others are loaded one by one, and not by the gather
/// instruction that the compiler would choose: a Xeon took 1.1 ns an element with it, 0.7 without.
template <class T>
inline void gather_range(const std::uint32_t* source, const T* from, std::size_t begin,
                         std::size_t end, T* to) {
    static_assert(sizeof(T) == 4);
    const __m256i count = _mm256_set_epi32(7, 6, 5, 4, 3, 2, 1, 0);
    const float* f = reinterpret_cast<const float*>(from);
    std::size_t j = begin;
    for (; j + 8 <= end; j += 8) {
        const std::uint32_t* s = source + j;
        const __m256i sources = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(s));
        const __m256i run = _mm256_add_epi32(_mm256_set1_epi32(static_cast<int>(s[0])), count);
        const bool follow = _mm256_movemask_epi8(_mm256_cmpeq_epi32(sources, run)) == -1;
        const __m256 eight = follow ? _mm256_loadu_ps(f + s[0])
                                    : _mm256_set_ps(f[s[7]], f[s[6]], f[s[5]], f[s[4]], f[s[3]],
                                                    f[s[2]], f[s[1]], f[s[0]]);
        _mm256_storeu_ps(reinterpret_cast<float*>(to + j), eight);
    }
    for (; j < end; ++j) to[j] = from[source[j]];
}

/// Replaces every array a by b with b[j] = a[source[j]].
///
/// One array after another goes through a single spare array: fresh pages cost more than the copy
/// itself, and 40 M particles have no room for a second set.
template <int D>
void permute(Particles<D>& particles, const PageArray<std::uint32_t>& source) {
    constexpr std::size_t kRange = 1 << 14;
    const std::size_t n = source.size();
    const auto gather = [&](const auto* from, auto* to) {
        parallel_ranges(n, kRange, [&](std::size_t begin, std::size_t end) {
            gather_range(&source[0], from, begin, end, to);
        });
    };
    AlignedVector<float> spare;
    AlignedVector<std::uint32_t> spare_id;
    const bool affine = particles.affine(), gas = particles.gas(), viscous = particles.viscous();
    const auto through_spare = [&](AlignedVector<float>& a) {
        spare.resize(n);
        gather(a.data(), spare.data());
        a.swap(spare);
    };
    for (auto& a : particles.x) through_spare(a);
    for (auto& a : particles.v) through_spare(a);
    if (affine)
        for (auto& row : particles.c)
            for (auto& a : row) through_spare(a);
    if (gas) {
        through_spare(particles.smoke);
        through_spare(particles.temperature);
    }
    if (viscous) through_spare(particles.viscosity);
    spare = {};
    spare_id.resize(n);
    gather(particles.id.data(), spare_id.data());
    particles.id.swap(spare_id);
}

}  // namespace slosh
