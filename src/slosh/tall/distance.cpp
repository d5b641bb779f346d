#include "slosh/tall/distance.h"

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

/// Calls body(i, phi, six neighbours) for every stored cell but the bottom.
template <class Body>
void with_neighbours(const Grid& g, const Columns<float>& phi, const Body& body) {
    parallel_for(static_cast<std::size_t>(g.nz()), 2, [&](std::size_t z) {
        for (int x = 0; x < g.nx(); ++x) {
            const int c = g.column(x, static_cast<int>(z)), n = g.ny() + 1;
            const Neighbourhood<Under::Bottom> beside(phi, g, c, n);
            const float* p = phi.at(c);
            // A wall shows what lies before it.
            const float* side[4];
            for (int k = 0; k < 4; ++k) side[k] = beside.side[k];
            if (x == 0) side[0] = p;
            if (x == g.nx() - 1) side[1] = p;
            if (z == 0) side[2] = p;
            if (static_cast<int>(z) == g.nz() - 1) side[3] = p;
            for (int i = 0; i < n; ++i) {
                const float around[6] = {side[0][i], side[1][i], side[2][i],
                                         side[3][i], p[i - 1],   i + 1 < n ? p[i + 1] : p[i]};
                body(c, i, p[i], around);
            }
        }
    });
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
    const float h = static_cast<float>(g.dx()), most = kBand * h;
    room = phi;
    with_neighbours(g, phi, [&](int c, int i, float own, const float* around) {
        const bool beside = beside_surface(own, around);
        room.at(c)[i] = beside ? distance_beside(own, around, h) : std::clamp(own, -most, most);
    });
    for_each_column(g, [&](int c) { room.bottom(c) = std::clamp(phi.bottom(c), -most, most); });
    room.refresh_all(g, Under::Bottom);
    std::swap(phi, room);
}

void redistance(const Grid& g, Columns<float>& phi, Columns<float>& room) {
    const float h = static_cast<float>(g.dx()), most = kBand * h;
    room = phi;
    for (int pass = 0; pass < kPasses; ++pass) {
        with_neighbours(g, phi, [&](int c, int i, float own, const float* around) {
            float& to = room.at(c)[i];
            if (beside_surface(own, around)) {
                to = pass == 0 ? distance_beside(own, around, h) : own;
                return;
            }
            const auto least = [&](int a, int b) {
                return std::min(std::abs(around[a]), std::abs(around[b]));
            };
            const float d = std::min(eikonal(least(0, 1), least(2, 3), least(4, 5), h), most);
            to = own < 0 ? -d : d;
        });
        for_each_column(g, [&](int c) { room.bottom(c) = phi.bottom(c); });
        room.refresh_all(g, Under::Bottom);
        std::swap(phi, room);
    }
}

}  // namespace slosh::tall
