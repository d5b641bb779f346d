#include "slosh/liquid/momentum.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include "slosh/base/parallel.h"
#include "slosh/linear/cell_mask.h"

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
    const auto touches = [&](int b) {
        const CellMask<D> self = nonzero<D>(unknown.block(b));
        float closed[D][kBlockCells<D>] = {};  // by bodies
        auto face = std::lower_bound(solid.body_faces.begin(), solid.body_faces.end(), b,
                                     [](const BodyFace& f, int block) { return f.block < block; });
        for (; face != solid.body_faces.end() && face->block == b; ++face)
            closed[face->axis][face->offset] += face->share;
        for (int axis = 0; axis < D; ++axis) {
            const int below = blocks.neighbour(b, face_code<D>(2 * axis));
            const CellMask<D> lower = from_below<D>(self, nonzero<D>(unknown.block(below)), axis);
            const float* open = solid.open.axis(axis).block(b);
            for (int z = 0; z < kPlanes<D>; ++z)
                for (std::uint64_t bits = self[z] | lower[z]; bits; bits &= bits - 1) {
                    const int o = 64 * z + std::countr_zero(bits);
                    if (open[o] + closed[axis][o] <= 1 - kClosed) return true;
                }
        }
        return false;
    };
    return parallel_max(blocks.size(), [&](std::size_t i) {
               const int b = static_cast<int>(i);
               return solid.block_kind[b] != kBlockOpen && touches(b) ? 1.0 : 0.0;
           }) > 0;
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

#define SLOSH_INSTANTIATE(D)                                                              \
    template double particle_mass<D>(const LiquidSetup<D>&);                              \
    template Point<D> momentum<D>(const LiquidSetup<D>&, const Particles<D>&);            \
    template bool touches_scene<D>(const Field<std::uint8_t, D>&, const SolidFields<D>&); \
    template void set_momentum<D>(const LiquidSetup<D>&, const Point<D>&, Particles<D>&);
SLOSH_INSTANTIATE(2)
SLOSH_INSTANTIATE(3)
#undef SLOSH_INSTANTIATE

}  // namespace slosh
