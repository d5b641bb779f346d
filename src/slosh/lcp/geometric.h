// Coarse operators by discretising anew [projected multigrid, sec. 3.1.1], from a geometry that is
// read off the fine matrix and averaged from grid to grid. `fmg` uses it, and `fas` can.
//
// *Reading.* A row is liquid. With s the largest coupling, -a_ij/s is the open fraction of a face
// between rows. A row whose entries sum to e > 0 sees air through those of its faces, m of them,
// that have no row behind them: they are taken to be quite open and to share theta = m s / e; if
// that exceeds one, theta = 1 and the fraction is e / (m s). phi is -theta in such a row, 1 - theta
// in the air cells behind it (the mean, if several rows see one), and -1 in all other rows. What is
// neither is left out: a matrix does not tell solid from distant air.
//
// *Averaging.* A face of a coarse cell is open by the mean of its 2^(D-1) fine faces: fractions
// here are areas, for volumes it would be all 2^D (eq. 15). phi is the mean over the children; on
// the first `bubble_grids` coarse grids, if signs differ, over the positive ones, so that bubbles
// persist. A coarse liquid cell that had air among its children keeps seeing air (at theta = 1/2)
// through open faces behind which nothing is known.
#pragma once

#include <array>
#include <vector>

#include "slosh/lcp/sparse.h"

namespace slosh {

struct LcpGeometry {
    int dim = 3;
    double scale = 1;                         ///< Coupling through an open face.
    std::vector<Index<3>> cells;              ///< Liquid, and air next to it.
    std::vector<double> phi;                  ///< Negative in liquid.
    std::vector<std::array<double, 6>> open;  ///< Of the lower and upper face along each axis.
    std::vector<std::uint8_t> near_air;       ///< Air, or liquid that sees some.
};

LcpGeometry read_geometry(const SparseMatrix& A, const std::vector<Index<3>>& cells, int dim);
/// `keep_bubbles`: average positive phi alone where signs differ.
LcpGeometry coarsened(const LcpGeometry& fine, bool keep_bubbles);

struct GeometricOperator {
    SparseMatrix A;
    std::vector<Index<3>> cells;  ///< The liquid ones.
};
GeometricOperator discretise(const LcpGeometry& geometry);

}  // namespace slosh
