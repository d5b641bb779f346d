// b - A x on one block, in double. Differences first (c (x_i - x_j)): a large constant in x, as
// pockets have, then costs no digits.
#pragma once

#include <algorithm>
#include <cmath>

#include "slosh/linear/block_rows.h"
#include "slosh/linear/system.h"

namespace slosh {

/// Writes r = b - A x of block b to `r`; returns max|r|.
template <int D>
double residual_block(const BlockSystem<D>& system, const Field<double, D>& x, int b, double* r) {
    const BlockRows<double, D> xs(x, b);
    const BlockRows<float, D> cx(system.coefficient.axis(0), b), cy(system.coefficient.axis(1), b);
    const BlockRows<float, D> cz(system.coefficient.axis(D - 1), b);
    const float* excess = system.excess.block(b);
    const double* rhs = system.rhs.block(b);
    const std::uint8_t* unknown = system.unknown.block(b);
    double worst[kSide] = {};
    int o = 0;
    for (int z = 0; z < kPlanes<D>; ++z)
        for (int y = 0; y < kSide; ++y, o += kSide) {
            double xr[kSide + 2];
            float cr[kSide + 1];
            const double* c = xs.self + o;
            xr[0] = xs.left(y, z);
            std::copy_n(c, kSide, xr + 1);
            xr[kSide + 1] = xs.right(y, z);
            std::copy_n(cx.self + o, kSide, cr);
            cr[kSide] = cx.right(y, z);
            const double *ym = xs.row(y - 1, z), *yp = xs.row(y + 1, z);
            const float *cym = cy.self + o, *cyp = cy.row(y + 1, z);
            double s[kSide];
            for (int i = 0; i < kSide; ++i)
                s[i] = rhs[o + i] - excess[o + i] * c[i] - cr[i] * (c[i] - xr[i]) -
                       cr[i + 1] * (c[i] - xr[i + 2]) - cym[i] * (c[i] - ym[i]) -
                       cyp[i] * (c[i] - yp[i]);
            if constexpr (D == 3) {
                const double *zm = xs.row(y, z - 1), *zp = xs.row(y, z + 1);
                const float *czm = cz.self + o, *czp = cz.row(y, z + 1);
                for (int i = 0; i < kSide; ++i)
                    s[i] -= czm[i] * (c[i] - zm[i]) + czp[i] * (c[i] - zp[i]);
            }
            for (int i = 0; i < kSide; ++i) {
                const double v = unknown[o + i] ? s[i] : 0;
                r[o + i] = v;
                worst[i] = std::max(worst[i], std::abs(v));
            }
        }
    return *std::max_element(worst, worst + kSide);
}

/// The same for a block whose cells are all unknowns with 2D coefficients `weight` and no excess.
template <int D>
double residual_block_plain(const BlockSystem<D>& system, const Field<double, D>& x, int b,
                            double weight, double* r) {
    const BlockRows<double, D> xs(x, b);
    const double* rhs = system.rhs.block(b);
    double worst[kSide] = {};
    int o = 0;
    for (int z = 0; z < kPlanes<D>; ++z)
        for (int y = 0; y < kSide; ++y, o += kSide) {
            double xr[kSide + 2];
            const double* c = xs.self + o;
            xr[0] = xs.left(y, z);
            std::copy_n(c, kSide, xr + 1);
            xr[kSide + 1] = xs.right(y, z);
            const double *ym = xs.row(y - 1, z), *yp = xs.row(y + 1, z);
            double s[kSide];
            for (int i = 0; i < kSide; ++i)
                s[i] = (c[i] - xr[i]) + (c[i] - xr[i + 2]) + (c[i] - ym[i]) + (c[i] - yp[i]);
            if constexpr (D == 3) {
                const double *zm = xs.row(y, z - 1), *zp = xs.row(y, z + 1);
                for (int i = 0; i < kSide; ++i) s[i] += (c[i] - zm[i]) + (c[i] - zp[i]);
            }
            for (int i = 0; i < kSide; ++i) {
                r[o + i] = rhs[o + i] - weight * s[i];
                worst[i] = std::max(worst[i], std::abs(r[o + i]));
            }
        }
    return *std::max_element(worst, worst + kSide);
}

}  // namespace slosh
