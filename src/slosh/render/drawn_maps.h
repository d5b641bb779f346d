// Foam, wetness and ripples of a surface, read at points of the stage.
#pragma once

#include "slosh/render/stage.h"
#include "slosh/surface/maps.h"

namespace slosh {

class DrawnMaps {
public:
    /// `maps` must outlive this. The stage has y up.
    DrawnMaps(const Stage& stage, const SurfaceMaps& maps);

    /// Share of foam that covers the water, in flecks rather than evenly. 0 ... 1
    float foam(const Vec3& p) const;
    float wet(const Vec3& p) const { return read(maps_.wet, p); }
    /// The unit normal n of water, tilted by the ripples.
    Vec3 rippled(const Vec3& p, const Vec3& n) const;

private:
    /// Between texels; at the rim that of the nearest.
    float read(const std::vector<float>& map, const Vec3& p, float right = 0, float up = 0) const;

    Stage stage_;
    const SurfaceMaps& maps_;
};

}  // namespace slosh
