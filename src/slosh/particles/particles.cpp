#include "slosh/particles/particles.h"

#include "slosh/base/error.h"
#include "slosh/particles/arrays.h"

namespace slosh {

template <int D>
void Particles<D>::resize(std::size_t n, bool affine, bool gas, bool viscous) {
    for (auto& a : x) a.resize(n);
    for (auto& a : v) a.resize(n);
    for (auto& row : c)
        for (auto& a : row) a.resize(affine ? n : 0);
    smoke.resize(gas ? n : 0);
    temperature.resize(gas ? n : 0);
    viscosity.resize(viscous ? n : 0);
    id.resize(n);
}

template <int D>
Point<D> Particles<D>::position(std::size_t i) const {
    Point<D> p;
    for (int d = 0; d < D; ++d) p[d] = x[d][i];
    return p;
}

template <int D>
Point<D> Particles<D>::velocity(std::size_t i) const {
    Point<D> u;
    for (int d = 0; d < D; ++d) u[d] = v[d][i];
    return u;
}

template <int D>
std::size_t Particles<D>::bytes() const {
    std::size_t n = 0;
    for_each_array(*this, [&](const auto& a) { n += a.size() * sizeof(a[0]); });
    return n;
}

template <int D>
void append(Particles<D>& to, const Particles<D>& more) {
    if (more.size() == 0) return;
    const std::size_t n = to.size();
    SLOSH_EXPECT(n == 0 || (to.affine() == more.affine() && to.gas() == more.gas() &&
                            to.viscous() == more.viscous()));
    to.resize(n + more.size(), more.affine(), more.gas(), more.viscous());
    const auto copy = [n](const auto& from, auto& into) {
        std::copy(from.begin(), from.end(), into.begin() + static_cast<std::ptrdiff_t>(n));
    };
    for (int d = 0; d < D; ++d) {
        copy(more.x[d], to.x[d]);
        copy(more.v[d], to.v[d]);
        for (int e = 0; e < D && more.affine(); ++e) copy(more.c[d][e], to.c[d][e]);
    }
    if (more.gas()) {
        copy(more.smoke, to.smoke);
        copy(more.temperature, to.temperature);
    }
    if (more.viscous()) copy(more.viscosity, to.viscosity);
    copy(more.id, to.id);
}

template <int D>
std::size_t remove_marked(Particles<D>& particles, const std::vector<std::uint8_t>& mark) {
    constexpr std::size_t kChunk = 1 << 14;
    const std::size_t n = particles.size();
    SLOSH_EXPECT(mark.size() == n);

    // Survivors per chunk, then where each chunk's survivors go, then their list.
    const std::size_t chunks = (n + kChunk - 1) / kChunk;
    std::vector<std::size_t> start(chunks + 1, 0);
    parallel_for(chunks, 1, [&](std::size_t c) {
        const std::size_t end = std::min(n, (c + 1) * kChunk);
        for (std::size_t i = c * kChunk; i < end; ++i) start[c + 1] += mark[i] == 0;
    });
    for (std::size_t c = 0; c < chunks; ++c) start[c + 1] += start[c];
    const std::size_t kept = start[chunks];
    if (kept == n) return 0;

    PageArray<std::uint32_t> source(kept);
    parallel_for(chunks, 1, [&](std::size_t c) {
        const std::size_t end = std::min(n, (c + 1) * kChunk);
        std::size_t at = start[c];
        for (std::size_t i = c * kChunk; i < end; ++i)
            if (mark[i] == 0) source[at++] = static_cast<std::uint32_t>(i);
    });
    permute(particles, source);
    return n - kept;
}

template struct Particles<2>;
template struct Particles<3>;
template void append<2>(Particles<2>&, const Particles<2>&);
template void append<3>(Particles<3>&, const Particles<3>&);
template std::size_t remove_marked<2>(Particles<2>&, const std::vector<std::uint8_t>&);
template std::size_t remove_marked<3>(Particles<3>&, const std::vector<std::uint8_t>&);

}  // namespace slosh
