// What a renderer can draw on water and ground: foam, wetness and ripples, as maps.
#include "slosh/tall/simulation.h"

namespace slosh::tall {

SurfaceMaps Simulation::maps() const {
    const Grid& g = water_->grid();
    const int t = ripples_.texels();
    SurfaceMaps out;
    out.nx = t * g.nx();
    out.nz = t * g.nz();
    out.lower = {{setup_.lower[0], setup_.lower[2]}};
    out.texel = g.dx() / t;
    out.ripple = ripples_.heights(*water_);
    // Columns are read between their middles.
    const auto widened = [&](const std::vector<float>& f) {
        std::vector<float> wide(static_cast<std::size_t>(out.nx) * out.nz);
        if (f.empty()) return wide;
        for (int z = 0; z < out.nz; ++z)
            for (int x = 0; x < out.nx; ++x) {
                const double cx = std::clamp((x + 0.5) / t - 0.5, 0.0, g.nx() - 1.001),
                             cz = std::clamp((z + 0.5) / t - 0.5, 0.0, g.nz() - 1.001);
                const int ix = static_cast<int>(cx), iz = static_cast<int>(cz);
                const float ax = static_cast<float>(cx - ix), az = static_cast<float>(cz - iz);
                const float* p = &f[static_cast<std::size_t>(iz) * g.nx() + ix];
                const float near = (1 - ax) * p[0] + ax * p[1];
                const float far = (1 - ax) * p[g.nx()] + ax * p[g.nx() + 1];
                wide[static_cast<std::size_t>(z) * out.nx + x] = (1 - az) * near + az * far;
            }
        return wide;
    };
    out.foam = widened(spray_.foam_map());
    out.wet = widened(spray_.wet_map());
    return out;
}

}  // namespace slosh::tall
