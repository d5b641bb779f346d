#include "slosh/surface/moments.h"

namespace slosh {

template <int D>
void blur_moments(const Moment* in, float a, Moment* out) {
    constexpr int n = kSide + 2;
    constexpr int depth = D == 3 ? n : 1;
    // Along x: an offset measured from the cell at x + s is measured from x by adding s cells.
    Moment along_x[depth * n * kSide];
    constexpr auto shift = [](Moment m, int axis, float s) {
        m[axis + 1] += s * m[0];
        return m;
    };
    for (int row = 0; row < depth * n; ++row) {
        const Moment* r = in + row * n + 1;
        for (int x = 0; x < kSide; ++x)
            along_x[row * kSide + x] = r[x] + a * (shift(r[x - 1], 0, -1) + shift(r[x + 1], 0, 1));
    }
    Moment along_y[depth * kSide * kSide];
    for (int z = 0; z < depth; ++z)
        for (int y = 0; y < kSide; ++y) {
            const Moment* r = along_x + (z * n + y + 1) * kSide;
            Moment* o = D == 2 ? out + y * kSide : along_y + (z * kSide + y) * kSide;
            for (int x = 0; x < kSide; ++x)
                o[x] = r[x] + a * (shift(r[x - kSide], 1, -1) + shift(r[x + kSide], 1, 1));
        }
    if constexpr (D == 3) {
        constexpr int layer = kSide * kSide;
        for (int z = 0; z < kSide; ++z) {
            const Moment* r = along_y + (z + 1) * layer;
            for (int i = 0; i < layer; ++i)
                out[z * layer + i] =
                    r[i] + a * (shift(r[i - layer], 2, -1) + shift(r[i + layer], 2, 1));
        }
    }
}

HalfSpaceProfile::HalfSpaceProfile(const std::function<double(double)>& kernel, double reach) {
    // c(z) = int_z^reach s W(s) ds / int_z^reach W(s) ds, from the far end inwards.
    constexpr int steps = 4096;
    const double h = 2 * reach / steps;
    std::vector<double> centre(steps + 1);
    double mass = 0, moment = 0;
    centre[0] = reach;
    for (int i = 1; i <= steps; ++i) {
        const double s = reach - (i - 0.5) * h;
        mass += kernel(s) * h;
        moment += kernel(s) * s * h;
        centre[i] = moment / mass;
    }
    scale_ = static_cast<float>((kSize - 1) / reach);
    int i = steps;  // walk inwards to outwards while the distance grows
    for (int k = 0; k < kSize; ++k) {
        const double c = reach * k / (kSize - 1);
        while (i > 0 && centre[i] < c) --i;
        table_[k] = static_cast<float>(reach - i * h);
    }
}

template void blur_moments<2>(const Moment*, float, Moment*);
template void blur_moments<3>(const Moment*, float, Moment*);

}  // namespace slosh
