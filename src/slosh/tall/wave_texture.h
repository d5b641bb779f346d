// Ripples finer than the grid: a texture of waves that an FFT animates, carried along by the water
// [CM11, sec. 4; advected textures after Neyret 2003].
//
// A tile of 64 x 64 heights holds random waves of wind, h(k, t) = h0(k) e^{i w t} + conj(h0(-k))
// e^{-i w t} with w^2 = g k and the spectrum of Phillips, for wavelengths from one to four cells:
// longer ones are simulated. Two copies of it are drawn over the water, each at coordinates that
// move with the surface; before these are stretched too far they start anew, one copy while the
// other is seen.
#pragma once

#include <vector>

#include "slosh/tall/water.h"

namespace slosh::tall {

struct RippleOptions {
    double wind = 0;  ///< Along (1, 0.6) in x and z; 0: no ripples. m/s
    double life = 4;  ///< After which a copy starts anew. s
    int texels = 4;   ///< Along a cell. A power of two.
    int cells = 16;   ///< Along a tile. A power of two.
};

class WaveTexture {
public:
    explicit WaveTexture(const RippleOptions& options = {}) : options_(options) {}

    bool on() const { return options_.wind > 0; }
    int texels() const { return options_.texels; }
    /// Carries the coordinates along; after a step of the water.
    void advance(const Water& water, double dt);
    /// Heights (m) over the whole domain, `texels` a cell, x fastest.
    std::vector<float> heights(const Water& water) const;
    /// Heights of the tile at a time, x fastest. m
    std::vector<float> tile(double time, double dx) const;

private:
    struct Copy {
        std::vector<float> x, z;  ///< How far the texture has come, by column. m
        double age = 0;           ///< s
    };

    RippleOptions options_;
    Copy copies_[2];
    std::vector<float> room_x_, room_z_;
};

}  // namespace slosh::tall
