#include "slosh/tall/distance.h"

#include <immintrin.h>

#include <cmath>

#include "slosh/tall/column_kernels.h"

namespace slosh::tall {

namespace {

constexpr float kBand = 5;  ///< cells
constexpr int kPasses = 5;

/// The distance whose gradient has length 1, from the least distances along the three axes.
float eikonal(float a, float b, float c, float h) {
    if (a > b) std::swap(a, b);
    if (b > c) std::swap(b, c);
    if (a > b) std::swap(a, b);
    float d = a + h;
    if (d <= b) return d;
    d = 0.5f * (a + b + std::sqrt(std::max(0.0f, 2 * h * h - (a - b) * (a - b))));
    if (d <= c) return d;
    const float s = a + b + c, q = a * a + b * b + c * c - h * h;
    return (s + std::sqrt(std::max(0.0f, s * s - 3 * q))) / 3;
}

constexpr int kVector = 8;

/// Runs change(i, own, six neighbours), which returns the new phi, for cells of `phi` in reach, and
/// swaps the result in. Eight cells at a time are asked first, by wanted(own, six neighbours) ->
/// bits; what is not wanted keeps `own`, clamped to the band.
template <class Wanted, class Change>
void change_distance(const Grid& g, Columns<float>& phi, Columns<float>& room, float most,
                     const Wanted& wanted, const Change& change) {
    if (!room.fits(g)) room.resize(g, phi.above());
    for_each_row(g, [&](int z) {
        for (int x = 0; x < g.nx(); ++x) {
            const int c = g.column(x, z), n = phi.end(c);
            room.set_end(c, n);
            room.bottom(c) = std::clamp(phi.bottom(c), -most, most);
            const float* p = phi.at(c);
            float* out = room.at(c);
            if (n > 0) {
                const Neighbourhood<Under::Bottom> beside(phi, g, c, g.length());
                // A wall shows what lies before it.
                const float* side[6] = {x == 0 ? p : beside.side[0],
                                        x == g.nx() - 1 ? p : beside.side[1],
                                        z == 0 ? p : beside.side[2],
                                        z == g.nz() - 1 ? p : beside.side[3],
                                        p - 1,
                                        p + 1};
                const int start = std::min(g.start(c) / kVector * kVector, n);
                std::copy(p, p + start, out);
                for (int i = start; i < n; i += kVector) {
                    __m256 around[6];
                    for (int k = 0; k < 6; ++k) around[k] = _mm256_loadu_ps(side[k] + i);
                    const __m256 own = _mm256_load_ps(p + i);
                    // Beyond n lies air at the end of the band: it stays so.
                    _mm256_store_ps(out + i,
                                    _mm256_max_ps(_mm256_set1_ps(-most),
                                                  _mm256_min_ps(_mm256_set1_ps(most), own)));
                    for (unsigned bits = wanted(own, around); bits; bits &= bits - 1) {
                        const int j = i + __builtin_ctz(bits);
                        if (j >= n) break;
                        const float six[6] = {side[0][j], side[1][j], side[2][j],
                                              side[3][j], side[4][j], side[5][j]};
                        out[j] = change(p[j], six);
                    }
                }
            }
            room.refresh(g, c, Under::Bottom);
        }
    });
    std::swap(phi, room);
}

/// Cells that have a neighbour of the other sign.
unsigned signs_differ(__m256 own, const __m256* around) {
    __m256 differ = _mm256_setzero_ps();
    for (int k = 0; k < 6; ++k) differ = _mm256_or_ps(differ, _mm256_xor_ps(own, around[k]));
    return static_cast<unsigned>(_mm256_movemask_ps(differ));
}

/// Cells that are, or have a neighbour, nearer than `most`.
unsigned any_nearer(__m256 own, const __m256* around, float most) {
    const __m256 no_sign = _mm256_castsi256_ps(_mm256_set1_epi32(0x7fffffff));
    __m256 least = _mm256_and_ps(own, no_sign);
    for (int k = 0; k < 6; ++k) least = _mm256_min_ps(least, _mm256_and_ps(around[k], no_sign));
    return static_cast<unsigned>(
        _mm256_movemask_ps(_mm256_cmp_ps(least, _mm256_set1_ps(most), _CMP_LT_OQ)));
}

bool beside_surface(float own, const float* around) {
    for (int k = 0; k < 6; ++k)
        if ((own < 0) != (around[k] < 0)) return true;
    return false;
}

/// Distance of a cell beside the surface: phi crosses zero at h own / (own - other) along an axis,
/// and the plane through the crossings lies at d with 1/d^2 = sum over axes of 1/crossing^2. Of a
/// plane that is exact whatever the length of phi's gradient, so the surface does not move.
float distance_beside(float own, const float* around, float h) {
    float sum = 0;
    for (int axis = 0; axis < 3; ++axis) {
        float nearest = 2;  // in cells
        for (int k = 2 * axis; k < 2 * axis + 2; ++k)
            if ((own < 0) != (around[k] < 0)) nearest = std::min(nearest, own / (own - around[k]));
        if (nearest < 2) sum += 1 / std::max(nearest * nearest, 1e-8f);
    }
    return std::copysign(h / std::sqrt(sum), own);
}

}  // namespace

void clamp_distance(const Grid& g, Columns<float>& phi, Columns<float>& room) {
    const float h = static_cast<float>(g.dx());
    change_distance(g, phi, room, kBand * h, signs_differ, [&](float own, const float* around) {
        return beside_surface(own, around) ? distance_beside(own, around, h) : own;
    });
}

void redistance(const Grid& g, Columns<float>& phi, Columns<float>& room) {
    const float h = static_cast<float>(g.dx()), most = kBand * h;
    for (int pass = 0; pass < kPasses; ++pass)
        change_distance(
            g, phi, room, most,
            [&](__m256 own, const __m256* around) { return any_nearer(own, around, most); },
            [&](float own, const float* around) {
                if (beside_surface(own, around))
                    return pass == 0 ? distance_beside(own, around, h) : own;
                const auto least = [&](int a, int b) {
                    return std::min(std::abs(around[a]), std::abs(around[b]));
                };
                const float d = std::min(eikonal(least(0, 1), least(2, 3), least(4, 5), h), most);
                return own < 0 ? -d : d;
            });
}

}  // namespace slosh::tall
