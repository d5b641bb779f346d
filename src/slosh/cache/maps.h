// Maps of a surface as a portable float map (.pfm): three floats a texel, red foam, green wetness
// of the ground, blue the height of ripples in metres. They cover the domain; x runs to the right
// and z upwards, as the format stores its rows from the bottom.
#pragma once

#include <string>

#include "slosh/surface/maps.h"

namespace slosh {

/// The bytes written; the file appears whole or not at all.
std::size_t write_maps(const std::string& path, const SurfaceMaps& maps);
/// Of a domain whose lower corner is `lower` and that is `side` long along x. m
/// InputError if the file is not whole, or no such map.
SurfaceMaps read_maps(const std::string& path, const Point<2>& lower, double side);

}  // namespace slosh
