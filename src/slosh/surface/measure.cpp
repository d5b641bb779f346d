#include "slosh/surface/measure.h"

#include <cmath>

#include "slosh/grid/tile.h"

namespace slosh {

template <int D>
double fraction_below_plane(double phi, const Point<D>& n) {
    // In coordinates m.x = alpha from the corner deepest inside, with m = |n|, the fraction is
    //     ( alpha^D - sum_i (alpha - m_i)^D + sum_ij (alpha - m_i - m_j)^D - ... ) / (D! prod m)
    // over the terms with a positive base. Symmetry halves the range of alpha, which removes the
    // last term. Components are kept off zero, where the quotient would lose its digits.
    double m[D], sum = 0, product = 1, factorial = D == 3 ? 6 : 2;
    for (int d = 0; d < D; ++d) {
        m[d] = std::max(std::abs(n[d]), 1e-4);
        sum += m[d];
        product *= m[d];
    }
    double alpha = 0.5 * sum - std::abs(phi);
    if (alpha <= 0) return phi < 0 ? 1 : 0;
    auto power = [](double a) { return a <= 0 ? 0.0 : D == 3 ? a * a * a : a * a; };
    double v = power(alpha);
    for (int d = 0; d < D; ++d) v -= power(alpha - m[d]);
    if constexpr (D == 3)
        for (int d = 0; d < D; ++d) v += power(alpha - sum + m[d]);
    v /= factorial * product;
    return phi < 0 ? 1 - v : v;
}

template <int D>
double liquid_volume(const Field<float, D>& phi, const Field<float, D>* open) {
    const Blocks<D>& blocks = phi.blocks();
    const double corner = 0.5 * std::sqrt(static_cast<double>(D)) + 1e-3;
    return parallel_sum(blocks.size(), [&](std::size_t i) {
        const int b = static_cast<int>(i);
        const float* f = phi.block(b);
        const float* w = open ? open->block(b) : nullptr;
        float low = f[0], high = f[0];
        for (int o = 0; o < kBlockCells<D>; ++o) {
            low = std::min(low, f[o]);
            high = std::max(high, f[o]);
        }
        if (low > corner) return 0.0;
        double sum = 0;
        if (high < -corner) {
            if (!w) return static_cast<double>(kBlockCells<D>);
            for (int o = 0; o < kBlockCells<D>; ++o) sum += w[o];
            return sum;
        }
        Tile<float, D, 1> tile;
        tile.load(phi, b);
        for_each_cell<D, 1>([&](const Index<D>&, int o, int t) {
            const double p = f[o], share = w ? w[o] : 1.0;
            if (p >= corner || share <= 0) return;
            double fraction = 1;
            if (p > -corner) {
                Point<D> n;
                for (int d = 0; d < D; ++d) {
                    // Steps of a field that is no distance further off must not tilt the plane.
                    auto limited = [](double s) { return std::min(std::max(s, -1.0), 1.0); };
                    const int s = Tile<float, D, 1>::step(d);
                    n[d] = limited(tile.v[t + s] - p) + limited(p - tile.v[t - s]);
                }
                const double l = length(n);
                fraction = l > 1e-6 ? fraction_below_plane<D>(p, n / l) : p < 0;
            }
            sum += share * fraction;
        });
        return sum;
    });
}

template double fraction_below_plane<2>(double, const Point<2>&);
template double fraction_below_plane<3>(double, const Point<3>&);
template double liquid_volume<2>(const Field<float, 2>&, const Field<float, 2>*);
template double liquid_volume<3>(const Field<float, 3>&, const Field<float, 3>*);

}  // namespace slosh
