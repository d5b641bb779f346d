// How much of a face or a cell is free of solid, from the solid level set at its corners
// (negative inside the solid). `open` fractions are in [0, 1]: 1 means no solid.
//
// Exact for the multilinear-free reconstruction used here: phi is taken linear along edges (2D),
// on a face cut into marching-squares polygons, and on tetrahedra in a cell. So all three are
// exact for planes, and open(p) + open(-p) = 1 unless p vanishes along a whole edge. Corners on the
// surface count as solid: a face that lies in a wall's surface is closed.
#pragma once

namespace slosh {

/// How the open fraction of a face is found.
enum class Fractions {
    Area,    ///< Open area of the face itself (cut cells).
    Volume,  ///< Open volume of the half cells on its two sides (variational).
    Voxel,   ///< 1 if both cell centres are open, else 0: stair steps, kept for comparison.
};

/// Open length fraction of the segment with end values a, b.
double open_segment(double a, double b);

/// Open area fraction of a square with corner values p[x + 2y] (marching squares; the ambiguous
/// saddle is decided by the mean of the corners).
double open_square(const double p[4]);

/// Open volume fraction of a cube with corner values p[x + 2y + 4z], by cutting it into
/// tetrahedra around its centre; symmetric under all symmetries of the cube.
double open_cube(const double p[8]);

}  // namespace slosh
