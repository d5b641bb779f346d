// A first guess of the pressure, mended where the surface moved.
//
// The last pressure is a good guess but for cells at the surface: their ghost-fluid rows hold
// 1 / theta, which changes from step to step by orders of magnitude, and leave residuals of a
// hundred times max|b|. A solve that starts there takes as many cycles as one that starts from
// zero. One Gauss-Seidel sweep over these cells alone takes that away, and a cycle or two with it.
#pragma once

#include "slosh/linear/system.h"

namespace slosh {

/// Solves the rows of the cells with excess for x, red cells first, then black ones; x stays at
/// zero or above where `constrained` is set. Cells beside bodies are left alone: bodies tie their
/// rows to many others.
template <int D>
void relax_surface(const BlockSystem<D>& system, const Field<std::uint8_t, D>& constrained,
                   Field<double, D>& x);

}  // namespace slosh
