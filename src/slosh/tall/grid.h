// The restricted tall-cell grid [CM11, sec. 3.1]: every column has terrain, one tall cell on it,
// and ny regular cells on top of that.
//
// World cells are counted from 0. Terrain fills y < bottom; the tall cell reaches from the cell
// `bottom` to the cell `top`, both of which carry a value, and what lies between is their linear
// interpolation, with the weight (y - bottom) / (top - bottom) (eq. 5 prints another); regular
// cells are y = top + 1 ... top + ny. So a column's values are found by the offset i = y - top, 0
// for the top of the tall cell, and a neighbour column is the same array at a shift of the tops.
//
// The tops follow the water, over dry land too: where terrain is higher than a top, the column is
// `closed`, its tall cell is all solid, and the regular cells up to the terrain are. So tops are as
// smooth as the surface, whatever islands and cliffs do.
//
// Coarser grids (eqs. 8, 9): the top is half of the highest of four, the bottom half of the lowest
// open one, both rounded down.
//
// Invariant: top > bottom, on every level. One border column surrounds the grid; it has the heights
// of the column beside it and stands for the walls.
#pragma once

#include <cstddef>
#include <vector>

#include "slosh/base/vec.h"

namespace slosh::tall {

class Grid {
public:
    /// Cells below a tall cell's top that are stored too, interpolated: what neighbours see.
    static constexpr int kBelow = 8;

    Grid() = default;
    /// Terrain everywhere at 0, tall cells of the least height.
    Grid(int nx, int ny, int nz, double dx);

    int nx() const { return nx_; }
    int ny() const { return ny_; }  ///< Regular cells a column.
    int nz() const { return nz_; }
    double dx() const { return dx_; }  ///< m

    /// Columns with the border, and the place of one; x in [-1, nx], z in [-1, nz].
    std::size_t columns() const { return bottom_.size(); }
    int column(int x, int z) const { return (z + 1) * (nx_ + 2) + x + 1; }
    /// Distance to the next column along x and z.
    int step_x() const { return 1; }
    int step_z() const { return nx_ + 2; }
    bool inside(int x, int z) const { return x >= 0 && x < nx_ && z >= 0 && z < nz_; }

    int bottom(int c) const { return bottom_[c]; }  ///< World y of the lowest cell above terrain.
    int top(int c) const { return top_[c]; }        ///< World y of the tall cell's highest cell.
    const int* tops() const { return top_.data(); }
    int highest(int c) const { return top_[c] + ny_; }
    /// Offset from which on a column is worth working on: what is lower lies in terrain, and not
    /// just under its surface.
    int start(int c) const { return start_[c]; }
    /// Weight of the top's value a cell above the bottom: 1 / (top - bottom).
    float slope(int c) const { return slope_[c]; }

    bool closed(int c) const { return closed_[c]; }  ///< Terrain fills the tall cell.

    /// Sets a column of the inside, on terrain that fills y < bottom. With bottom >= top it is
    /// closed.
    void set(int x, int z, int bottom, int top);
    /// Copies heights into the border; call after the last set().
    void close_border();

    /// The next coarser grid.
    Grid coarser() const;

    /// Floats that a column takes in storage, and the offset of the tall cell's top in it.
    int stride() const { return stride_; }
    static constexpr int kTop = kBelow;
    /// Values from the top upwards, rounded up to whole vectors.
    int length() const { return length_; }

private:
    int nx_ = 0, ny_ = 0, nz_ = 0;
    int stride_ = 0, length_ = 0;
    double dx_ = 1;
    std::vector<int> bottom_, top_;
    std::vector<short> start_;
    std::vector<float> slope_;
    std::vector<char> closed_;
};

}  // namespace slosh::tall
