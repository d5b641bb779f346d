// A surface of triangles, as read from a file or made by a program.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "slosh/base/vec.h"

namespace slosh {

struct TriangleMesh {
    std::string name;                                     ///< For messages: the file it came from.
    std::vector<Point<3>> vertices;                       ///< m
    std::vector<std::array<std::uint32_t, 3>> triangles;  ///< Counter-clockwise seen from outside.

    Box<3> bounds() const;
};

/// Joins vertices at the same position and drops triangles left with less than three corners, so
/// that formats which store each triangle by itself (STL) become connected.
void weld(TriangleMesh& mesh);

/// Edges that an odd number of triangles share. None means that the surface is closed: it has an
/// inside and an outside.
std::size_t boundary_edges(const TriangleMesh& mesh);

}  // namespace slosh
