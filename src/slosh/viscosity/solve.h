// Conjugate gradients on the viscous system, bodies included.
//
// `auto`: multigrid with the rigid motions of every piece added (multigrid.h, deflation.h), so that
// neither grid nor viscosity change the work much; where nu is small the matrix is nearly diagonal,
// and symmetric Gauss-Seidel alone is cheaper. Droplets, threads and rims that hang by little are
// solved directly beside it (thin_parts.h). Bodies are unknowns on all levels. `mic`: incomplete
// Cholesky, as in the paper (incomplete.h); one thread.
//
// `auto` stops once sqrt(r . M^-1 r), M the preconditioner, is below tolerance times the root of
// the momentum's square sum: as M is near the matrix, that is the energy norm of the error, and
// never less than the error of the velocity itself (root mean square). The plain residual would
// mislead at large nu: rounding alone makes it nu 1e-16. `mic` is no such measure and stops as the
// paper does, on max|r|, relative to the largest momentum of a face.
#pragma once

#include <string>

#include "slosh/linear/system.h"
#include "slosh/viscosity/bodies.h"

namespace slosh {

struct ViscousOptions {
    std::string solver = "auto";  ///< auto or mic.
    double tolerance = 1e-8;      ///< > 0
    int max_iterations = 2000;
};

/// Solves (V3), or (V4) with `bodies`, for x, which holds the first guess: rows, then the bodies'
/// numbers. Report: `residual` is max|r| (m/s), `relative_residual` what was compared with the
/// tolerance, both of the true system in double.
template <int D>
SolveReport solve_viscosity(const ViscousSystem<D>& system, const BodyColumns<D>* bodies,
                            const ViscousOptions& options, const std::vector<double>& rhs,
                            std::vector<double>& x);

}  // namespace slosh
