#include "slosh/liquid/momentum.h"

#include <cmath>

#include "slosh/base/parallel.h"

namespace slosh {

namespace {
constexpr std::size_t kChunk = 4096;  // particles; sums do not depend on threads
/// Share of a face that may be missing by rounding.
constexpr float kClosed = 1e-4f;
}  // namespace

template <int D>
double particle_mass(const LiquidSetup<D>& setup) {
    return setup.density * std::pow(setup.grid.dx / setup.step.particles_per_axis, D);
}

template <int D>
Point<D> momentum(const LiquidSetup<D>& setup, const Particles<D>& particles) {
    Point<D> sum;
    for (int d = 0; d < D; ++d) {
        const float* v = particles.v[d].data();
        const std::size_t n = particles.size();
        sum[d] = parallel_sum((n + kChunk - 1) / kChunk, [&](std::size_t c) {
            double s = 0;
            for (std::size_t i = c * kChunk; i < std::min(n, (c + 1) * kChunk); ++i) s += v[i];
            return s;
        });
    }
    return sum * particle_mass(setup);
}

template <int D>
bool touches_scene(const Field<std::uint8_t, D>& unknown, const SolidFields<D>& solid) {
    const Blocks<D>& blocks = unknown.blocks();
    std::size_t next = 0;  // of the bodies' faces, which are in block order
    for (int b = 0; b < blocks.size(); ++b) {
        if (solid.block_kind[b] == kBlockOpen) continue;  // no body either
        float closed[D][kBlockCells<D>] = {};             // by bodies
        while (next < solid.body_faces.size() && solid.body_faces[next].block < b) ++next;
        for (; next < solid.body_faces.size() && solid.body_faces[next].block == b; ++next) {
            const BodyFace& f = solid.body_faces[next];
            closed[f.axis][f.offset] += f.share;
        }
        for (int axis = 0; axis < D; ++axis) {
            const float* open = solid.open.axis(axis).block(b);
            for (int o = 0; o < kBlockCells<D>; ++o) {
                if (open[o] + closed[axis][o] > 1 - kClosed) continue;
                const Index<D> cell = blocks.first_cell(b) + local_cell<D>(o);
                if (unknown.block(b)[o] || unknown.get(cell - unit<D, int>(axis))) return true;
            }
        }
    }
    return false;
}

template <int D>
void set_momentum(const LiquidSetup<D>& setup, const Point<D>& wanted, Particles<D>& particles) {
    const std::size_t n = particles.size();
    if (n == 0) return;
    const Point<D> change =
        (wanted - momentum(setup, particles)) / (particle_mass(setup) * static_cast<double>(n));
    for (int d = 0; d < D; ++d) {
        const float by = static_cast<float>(change[d]);
        float* v = particles.v[d].data();
        parallel_for(n, kChunk, [&](std::size_t i) { v[i] += by; });
    }
}

#define SLOSH_INSTANTIATE(D)                                                                \
    template double particle_mass<D>(const LiquidSetup<D>&);                                \
    template Point<D> momentum<D>(const LiquidSetup<D>&, const Particles<D>&);              \
    template bool touches_scene<D>(const Field<std::uint8_t, D>&, const SolidFields<D>&);   \
    template void set_momentum<D>(const LiquidSetup<D>&, const Point<D>&, Particles<D>&);
SLOSH_INSTANTIATE(2)
SLOSH_INSTANTIATE(3)
#undef SLOSH_INSTANTIATE

}  // namespace slosh
