// The particle arrays as a list, for work that is the same for each of them (sorting, compaction).
#pragma once

#include <algorithm>
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
            const std::uint32_t* s = &source[0];
            for (std::size_t j = begin; j < end; ++j) to[j] = from[s[j]];
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
