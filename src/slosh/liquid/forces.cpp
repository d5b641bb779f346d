#include "slosh/liquid/forces.h"

#include <limits>

#include "slosh/base/parallel.h"
#include "slosh/grid/field.h"
#include "slosh/liquid/momentum.h"

namespace slosh {

double Curve::at(double time) const {
    if (time <= times.front()) return values.front();
    for (std::size_t i = 1; i < times.size(); ++i)
        if (time < times[i]) {
            const double t = (time - times[i - 1]) / (times[i] - times[i - 1]);
            return values[i - 1] + t * (values[i] - values[i - 1]);
        }
    return values.back();
}

template <int D>
void add_body_force(const Point<D>& change, const FaceField<std::uint8_t, D>& known,
                    FaceField<float, D>& velocity) {
    for (int d = 0; d < D; ++d) {
        const float add = static_cast<float>(change[d]);
        if (add == 0) continue;
        parallel_for(velocity.blocks().size(), 16, [&](std::size_t b) {
            float* v = velocity.axis(d).block(static_cast<int>(b));
            const std::uint8_t* k = known.axis(d).block(static_cast<int>(b));
            for (int o = 0; o < kBlockCells<D>; ++o) v[o] += k[o] ? add : 0.0f;
        });
    }
}

template <int D>
void mark_positive(const FaceField<float, D>& weight, FaceField<std::uint8_t, D>& known) {
    for (int d = 0; d < D; ++d)
        parallel_for(weight.blocks().size(), 16, [&](std::size_t b) {
            const float* w = weight.axis(d).block(static_cast<int>(b));
            std::uint8_t* k = known.axis(d).block(static_cast<int>(b));
            for (int o = 0; o < kBlockCells<D>; ++o) k[o] = w[o] > 0;
        });
}

namespace {
constexpr std::size_t kChunk = 8192;
}

template <int D>
double max_particle_speed(const Particles<D>& p) {
    const std::size_t chunks = (p.size() + kChunk - 1) / kChunk;
    const double squared = parallel_max(
        chunks,
        [&](std::size_t c) {
            float most = 0;
            bool finite = true;
            for (std::size_t i = c * kChunk; i < std::min(p.size(), (c + 1) * kChunk); ++i) {
                float s = 0;
                for (int d = 0; d < D; ++d) s += p.v[d][i] * p.v[d][i];
                finite &= s <= std::numeric_limits<float>::max();  // false for NaN and infinity
                most = std::max(most, s);
            }
            return finite ? static_cast<double>(most) : std::numeric_limits<double>::infinity();
        },
        0, 1);
    return std::sqrt(squared);
}

template <int D>
Energies energies(const Particles<D>& p, const LiquidSetup<D>& setup, double time) {
    const double mass = particle_mass(setup);
    const std::size_t chunks = (p.size() + kChunk - 1) / kChunk;
    std::vector<Energies> part(chunks);
    Point<D> g;
    for (int d = 0; d < D; ++d) g[d] = setup.gravity[d].at(time);
    parallel_for(chunks, 1, [&](std::size_t c) {
        double speed2 = 0, height = 0;
        for (std::size_t i = c * kChunk; i < std::min(p.size(), (c + 1) * kChunk); ++i)
            for (int d = 0; d < D; ++d) {
                speed2 += double(p.v[d][i]) * p.v[d][i];
                height -= g[d] * (setup.grid.origin[d] + setup.grid.dx * p.x[d][i]);
            }
        part[c] = {0.5 * mass * speed2, mass * height};
    });
    Energies sum;
    for (const Energies& e : part) {
        sum.kinetic += e.kinetic;
        sum.potential += e.potential;
    }
    return sum;
}

#define SLOSH_INSTANTIATE(D)                                                                 \
    template void add_body_force<D>(const Point<D>&, const FaceField<std::uint8_t, D>&,      \
                                    FaceField<float, D>&);                                   \
    template void mark_positive<D>(const FaceField<float, D>&, FaceField<std::uint8_t, D>&); \
    template double max_particle_speed<D>(const Particles<D>&);                              \
    template Energies energies<D>(const Particles<D>&, const LiquidSetup<D>&, double);
SLOSH_INSTANTIATE(2)
SLOSH_INSTANTIATE(3)
#undef SLOSH_INSTANTIATE

}  // namespace slosh
