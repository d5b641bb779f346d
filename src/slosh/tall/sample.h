// Reading a field between cells. Positions are in cells; the centre of cell (x, y, z) is at (x, y,
// z).
#pragma once

#include <immintrin.h>

#include <cmath>

#include "slosh/tall/velocity.h"

namespace slosh::tall {

/// Where a point lies: four columns, a height in each, and weights.
struct Stencil {
    int column[4];
    int offset[4];  ///< Of the value below the point, from the column's top.
    float weight[4];
    int y;      ///< World cell below the point.
    float up;   ///< Share of the cell above it.
    bool near;  ///< All eight values are stored.

    /// Clamped to the domain sideways: a wall shows what lies before it.
    Stencil(const Grid& g, float px, float py, float pz) {
        px = std::min(std::max(px, 0.0f), static_cast<float>(g.nx() - 1));
        pz = std::min(std::max(pz, 0.0f), static_cast<float>(g.nz() - 1));
        const float fx = std::floor(px), fy = std::floor(py), fz = std::floor(pz);
        const int x = static_cast<int>(fx), z = static_cast<int>(fz);
        const float ax = px - fx, az = pz - fz;
        const int dx = x + 1 < g.nx() ? g.step_x() : 0, dz = z + 1 < g.nz() ? g.step_z() : 0;
        column[0] = g.column(x, z);
        column[1] = column[0] + dx;
        column[2] = column[0] + dz;
        column[3] = column[2] + dx;
        weight[0] = (1 - ax) * (1 - az);
        weight[1] = ax * (1 - az);
        weight[2] = (1 - ax) * az;
        weight[3] = ax * az;
        y = static_cast<int>(fy);
        up = py - fy;
        const unsigned last = static_cast<unsigned>(g.length() + 2 * Grid::kBelow - 2);
        near = true;
        for (int k = 0; k < 4; ++k) {
            offset[k] = y - g.top(column[k]);
            near = near && static_cast<unsigned>(offset[k] + Grid::kBelow) <= last;
        }
    }
};

/// Calls visit(weight, lower, upper) for the two values around the point in each column.
template <class T, class Visit>
inline void visit_stencil(const Columns<T>& f, const Grid& g, const Stencil& s,
                          const Visit& visit) {
    for (int k = 0; k < 4; ++k) {
        const int c = s.column[k];
        if (s.near) {
            const T* p = f.at(c) + s.offset[k];
            visit(s.weight[k], p[0], p[1]);
        } else {
            visit(s.weight[k], f.value(g, c, s.y, Under::Bottom),
                  f.value(g, c, s.y + 1, Under::Bottom));
        }
    }
}

template <class T>
inline T sample(const Columns<T>& f, const Grid& g, const Stencil& s) {
    T sum{};
    visit_stencil(f, g, s,
                  [&](float w, const T& a, const T& b) { sum += w * (a + s.up * (b - a)); });
    return sum;
}

/// The smallest box of values that contains those around a point.
struct Bounds {
    Float4 low, high;
};

/// The eight values around a point, those below and above it side by side, and where it lies
/// between them.
struct Eight {
    __m256 pair[4];
    __m128 share;

    Float4 blend() const {
        const __m128 x = _mm_shuffle_ps(share, share, 0x00), z = _mm_shuffle_ps(share, share, 0xaa),
                     one = _mm_set1_ps(1);
        const __m128 across = _mm_blend_ps(_mm_sub_ps(one, x), x, 0b1010);
        const __m128 along = _mm_blend_ps(_mm_sub_ps(one, z), z, 0b1100);
        const __m128 w = _mm_mul_ps(across, along);
        const auto lane = [&](auto k) {
            return _mm256_broadcastss_ps(_mm_permute_ps(w, decltype(k)::value));
        };
        __m256 sum = _mm256_mul_ps(lane(Lane<0x00>{}), pair[0]);
        sum = _mm256_fmadd_ps(lane(Lane<0x55>{}), pair[1], sum);
        __m256 more = _mm256_mul_ps(lane(Lane<0xaa>{}), pair[2]);
        more = _mm256_fmadd_ps(lane(Lane<0xff>{}), pair[3], more);
        sum = _mm256_add_ps(sum, more);
        const __m128 low = _mm256_castps256_ps128(sum), high = _mm256_extractf128_ps(sum, 1);
        const __m128 up = _mm_shuffle_ps(share, share, 0x55);
        return _mm_fmadd_ps(up, _mm_sub_ps(high, low), low);
    }
    Bounds bounds() const {
        const __m256 low =
            _mm256_min_ps(_mm256_min_ps(pair[0], pair[1]), _mm256_min_ps(pair[2], pair[3]));
        const __m256 high =
            _mm256_max_ps(_mm256_max_ps(pair[0], pair[1]), _mm256_max_ps(pair[2], pair[3]));
        return {_mm_min_ps(_mm256_castps256_ps128(low), _mm256_extractf128_ps(low, 1)),
                _mm_max_ps(_mm256_castps256_ps128(high), _mm256_extractf128_ps(high, 1))};
    }

private:
    template <int k>
    struct Lane {
        static constexpr int value = k;
    };
};

/// Reads a velocity between cells. All that does not depend on the point is kept at hand.
class VelocityReader {
public:
    VelocityReader(const Velocity& f, const Grid& g)
        : field_(f),
          grid_(g),
          values_(reinterpret_cast<const float*>(f.at(0))),
          top_(g.tops()),
          stride_(g.stride()),
          step_z_(g.step_z()),
          first_(g.column(0, 0)),
          last_x_(g.nx() - 1),
          last_z_(g.nz() - 1),
          reach_(static_cast<unsigned>(g.length() + 2 * Grid::kBelow - 2)),
          low_(_mm_setr_ps(0, -1e9f, 0, 0)),
          high_(_mm_setr_ps(static_cast<float>(last_x_), 1e9f, static_cast<float>(last_z_), 0)) {}

    /// Around a point (in cells), clamped to the domain sideways: a wall shows what lies before it.
    Eight around(const Float4& point) const {
        const __m128 at = _mm_min_ps(_mm_max_ps(point, low_), high_);
        const __m128 floor = _mm_floor_ps(at);
        const __m128i whole = _mm_cvttps_epi32(floor);
        const int x = _mm_cvtsi128_si32(whole), y = _mm_extract_epi32(whole, 1),
                  z = _mm_extract_epi32(whole, 2);
        const int c0 = first_ + z * step_z_ + x, c1 = c0 + (x < last_x_);
        const int dz = z < last_z_ ? step_z_ : 0, c2 = c0 + dz, c3 = c1 + dz;
        const int i0 = y - top_[c0], i1 = y - top_[c1], i2 = y - top_[c2], i3 = y - top_[c3];
        const auto stored = [&](int i) {
            return static_cast<unsigned>(i + Grid::kBelow) <= reach_;
        };
        const __m128 share = _mm_sub_ps(at, floor);
        if (stored(i0) & stored(i1) & stored(i2) & stored(i3)) [[likely]]
            return {{load(c0, i0), load(c1, i1), load(c2, i2), load(c3, i3)}, share};
        return {{look_up(c0, y), look_up(c1, y), look_up(c2, y), look_up(c3, y)}, share};
    }

    const float* values() const { return values_; }

private:
    __m256 load(int c, int i) const {
        return _mm256_loadu_ps(values_ + 4 * (static_cast<std::ptrdiff_t>(c) * stride_ + i));
    }
    __m256 look_up(int c, int y) const {
        return _mm256_set_m128(field_.value(grid_, c, y + 1, Under::Bottom),
                               field_.value(grid_, c, y, Under::Bottom));
    }

    const Velocity& field_;
    const Grid& grid_;
    const float* values_;
    const int* top_;
    int stride_, step_z_, first_, last_x_, last_z_;
    unsigned reach_;
    __m128 low_, high_;
};

/// A column and the eight around it. From a cell of it, points less than a cell off are read
/// without asking where they lie: the signs of the way say which four columns are around them.
class NearColumns {
public:
    NearColumns(const Grid& g, int x, int z) {
        const int top = g.top(g.column(x, z));
        low_ = -Grid::kBelow;
        high_ = g.length() + Grid::kBelow - 2;
        for (int k = 0; k < 9; ++k) {
            const int c = g.column(std::clamp(x + k % 3 - 1, 0, g.nx() - 1),
                                   std::clamp(z + k / 3 - 1, 0, g.nz() - 1));
            const int shift = top - g.top(c);
            low_ = std::max(low_, -Grid::kBelow - shift);
            high_ = std::min(high_, g.length() + Grid::kBelow - 2 - shift);
            at_[k] = 4 * (static_cast<std::ptrdiff_t>(c) * g.stride() + shift);
        }
    }
    /// Whether `around` may be asked for offset i of the column and this way (in cells).
    bool reaches(int i, const Float4& way) const {
        const __m128 size = _mm_andnot_ps(_mm_set1_ps(-0.0f), way);
        const int small = _mm_movemask_ps(_mm_cmplt_ps(size, _mm_set1_ps(1)));
        return (small & 7) == 7 && i > low_ && i <= high_;
    }
    /// What lies around the point `way` from offset i.
    Eight around(const VelocityReader& reader, int i, const Float4& way) const {
        const __m128 back = _mm_cmplt_ps(way, _mm_setzero_ps());
        const int signs = _mm_movemask_ps(back);
        const std::ptrdiff_t* at = at_ + (signs & 1 ? 0 : 1) + (signs & 4 ? 0 : 3);
        const float* v = reader.values() + 4 * (i - (signs >> 1 & 1));
        return {{_mm256_loadu_ps(v + at[0]), _mm256_loadu_ps(v + at[1]), _mm256_loadu_ps(v + at[3]),
                 _mm256_loadu_ps(v + at[4])},
                _mm_add_ps(way, _mm_and_ps(back, _mm_set1_ps(1)))};
    }

private:
    std::ptrdiff_t at_[9];  ///< Of the own offset 0, from a field's values.
    int low_, high_;        ///< Offsets at which all nine hold a value and one above it.
};

}  // namespace slosh::tall
