// Moments of all particles on a grid, of the open space beside solids, and the height over the
// surface that both say. The pieces of level_set.h and show.h.
#pragma once

#include "slosh/surface/moments.h"

namespace slosh {

// What a byte of marks says about its cell; bits, so that one dilation spreads both.
constexpr std::uint8_t kEmpty = 1, kOccupied = 2;

/// Per particle block: its index in the topology, which must hold it and all its neighbours.
template <int D>
std::vector<int> home_blocks(const ParticleBlocks<D>& blocks, const Blocks<D>& topology);

/// Marks the cells that hold particles, and those that hold neither particles nor a solid's inside
/// (`solid`, at centres, may be null).
template <int D>
Field<std::uint8_t, D> occupancy(const Particles<D>& particles, const ParticleBlocks<D>& blocks,
                                 const std::vector<int>& home, const Field<float, D>* solid,
                                 const BlocksPtr<D>& topology);

/// Sums the moments of all particles, or of those in cells where `select` is not 0; then in blocks
/// that hold or touch such cells only, and nothing is to be read of the others.
template <int D>
Field<Moment, D> gather_moments(const Particles<D>& particles, const ParticleBlocks<D>& blocks,
                                const std::vector<int>& home, const BlocksPtr<D>& topology,
                                const Field<std::uint8_t, D>* select);

/// Moments of the space outside solids about each cell centre, on a tile with one cell of halo.
/// Around a centre the solid is taken as the half space that its distance and gradient say.
template <int D>
void open_moments(const Tile<float, D, 2>& solid, Moment* tile);

/// Height over the surface of a point, from the particles' moments about it and those of the
/// open space; the centre of the open space is where the profile of a half space applies, and from
/// there the surface is taken as flat.
template <int D>
float height(const Moment& m, const Moment& open, const HalfSpaceProfile& profile) {
    float e[D], square = 0, across = 0;
    for (int d = 0; d < D; ++d) {
        const float o = open[d + 1] / open[0];
        e[d] = o - m[d + 1] / m[0];
        square += e[d] * e[d];
        across += e[d] * o;
    }
    const float distance = std::sqrt(square);
    return profile(distance) - across / std::max(distance, 1e-3f);
}

/// The least height a point may have, for the share of a full cell's particles that the narrow and
/// the blurred kernel see there. In a gap between two surfaces the centre of the particles lies
/// within the gap, as in liquid; what tells it from liquid is that particles are around but not
/// near.
inline float gap_height(float narrow, float wide) {
    return 0.5f - 8 * narrow / std::max(wide, 1e-6f);
}

/// What is added to the height where liquid is thin: the profile of a half space would show a lone
/// particle as a ball of its own zero, much larger than the particle's share of liquid. `wide` as
/// above; `lone` is what moves a lone particle's surface to its place.
inline float thin_height(float wide, float lone) {
    return lone * std::max(0.0f, 1 - 8 * wide);
}

}  // namespace slosh
