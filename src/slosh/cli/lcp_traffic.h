// The bytes that a solve of `auto` must move at least: what its time is measured against.
#pragma once

#include "slosh/lcp/problem.h"

namespace slosh::cli {

/// Of a solve that fuses all it can. An iteration waits for three things, and nothing can be fused
/// across a wait: the step alpha (a sum over p and q), the coarser levels, and beta (a sum over r
/// and z). So the finest level takes three journeys, on r, z, p, q (floats) and x (doubles):
///
///     x += alpha p, r -= alpha q, smooth z, restrict    x 16, p 4, r 8, q 4, z 4
///     prolongate, smooth z                              r 4, z 8
///     p = z + beta p, q = A z + beta q                  z 4, p 8, q 8
///
/// which is 68 bytes an unknown. A visit of a coarser level takes 24 a cell; a W-cycle's visits of
/// all of them add up to a third of the finest's cells in 3D, and to as many in 2D.
///
/// Before that, once: x is written, r made from b (8 and 4), and the system read: D coefficients,
/// the excess and two marks. After it, once: x and b are read for the residual in double, without
/// which no solve is believed.
///
/// Unknowns at walls and surface bring their coefficients, one for each of D faces and one for the
/// diagonal: in two bytes each in the journeys that smooth and in four in the third, written so
/// before the first and read in four for the last residual.
template <int D>
double fused_bytes(const BlockSystem<D>& system, const LcpReport& report);

}  // namespace slosh::cli
