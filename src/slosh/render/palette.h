// Colours of particles by their speed.
#pragma once

#include <algorithm>
#include <vector>

#include "slosh/render/picture.h"

namespace slosh {

/// Colour at s in [0, 1] along four stops.
inline Colour along(const Colour (&stop)[4], float s) {
    const float x = std::clamp(s, 0.0f, 1.0f) * 3;
    const int i = std::min(2, static_cast<int>(x));
    return stop[i] + (stop[i + 1] - stop[i]) * (x - static_cast<float>(i));
}

/// Like water: from deep blue to white.
inline Colour foam_colour(float s) {
    return along(
        {{0.02f, 0.09f, 0.32f}, {0.04f, 0.30f, 0.66f}, {0.25f, 0.68f, 0.86f}, {0.95f, 0.98f, 1.0f}},
        s);
}
/// For charts on light paper: from blue through green and yellow to red.
inline Colour chart_colour(float s) {
    return along(
        {{0.01f, 0.04f, 0.30f}, {0.0f, 0.26f, 0.33f}, {0.85f, 0.45f, 0.02f}, {0.65f, 0.02f, 0.02f}},
        s);
}

/// One colour for each particle.
inline std::vector<Colour> speed_colours(const RenderParticles& p, Colour (*colour_of)(float)) {
    std::vector<Colour> colours(p.positions.size(), colour_of(0.2f));
    if (p.speeds.size() != p.positions.size()) return colours;
    float top = static_cast<float>(p.top_speed);
    if (top <= 0)
        for (float s : p.speeds) top = std::max(top, s);
    for (std::size_t i = 0; i < colours.size(); ++i)
        colours[i] = colour_of(top > 0 ? p.speeds[i] / top : 0);
    return colours;
}

}  // namespace slosh
