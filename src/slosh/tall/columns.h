// One value per stored cell of a tall-cell grid: column after column, y fastest.
//
// A column is [kBelow cells that interpolate the tall cell | its top | ny regular cells | padding],
// the tall cell's bottom is kept apart. Thanks to the cells below, a neighbour whose top is up to
// kBelow cells lower or higher is read by plain vector loads at a shift; others go through a copy
// (Columns::aligned). Whoever changes a top or a bottom refreshes the cells below.
//
// Water takes a small part of most columns. Whoever keeps track of it tells a field the end of what
// is in use; beyond, up to the next column, it holds `above`, and loops need not go there.
//
// T is float, or a vector of four floats that move together (velocity).
#pragma once

#include <immintrin.h>

#include <algorithm>
#include <type_traits>
#include <vector>

#include "slosh/base/hash.h"
#include "slosh/base/memory.h"
#include "slosh/base/parallel.h"
#include "slosh/tall/grid.h"

namespace slosh::tall {

/// What lies under the terrain: nothing (pressure, open fraction), or what lies on it.
enum class Under { Nothing, Bottom };

template <class T>
class Columns {
public:
    Columns() = default;
    /// All zero; `above` is what a reader finds above the grid.
    explicit Columns(const Grid& grid, T above = T{}) { resize(grid, above); }

    void resize(const Grid& grid, T above = T{}) {
        stride_ = grid.stride();
        above_ = above;
        values_.assign(grid.columns() * static_cast<std::size_t>(stride_), T{});
        bottoms_.assign(grid.columns(), T{});
        ends_.assign(grid.columns(), static_cast<short>(grid.ny() + 1));
        const int n = static_cast<int>(grid.columns());
        for (int c = 0; c < n; ++c)
            std::fill(at(c) + grid.ny() + 1, at(c) + grid.length() + Grid::kBelow, above);
    }
    /// Whether it has room for this grid, whatever its heights are.
    bool fits(const Grid& grid) const {
        return stride_ == grid.stride() && bottoms_.size() == grid.columns();
    }
    /// Offsets from here on hold `above`.
    int end(int c) const { return ends_[c]; }
    /// What is not in use becomes `above`; what comes into use is so until it is written.
    void set_end(int c, int end) {
        if (end < ends_[c]) std::fill(at(c) + end, at(c) + ends_[c], above_);
        ends_[c] = static_cast<short>(end);
    }

    /// The same as `other`, of a grid of the same size. What neither uses is not touched.
    void copy_used(const Columns& other) {
        if (values_.size() != other.values_.size() || stride_ != other.stride_) {
            *this = other;
            return;
        }
        parallel_for(bottoms_.size(), 64, [&](std::size_t i) {
            const int c = static_cast<int>(i);
            const int used = std::max(ends_[i], other.ends_[i]);
            std::copy(other.at(c) - Grid::kBelow, other.at(c) + used, at(c) - Grid::kBelow);
            bottoms_[i] = other.bottoms_[i];
            ends_[i] = other.ends_[i];
        });
    }

    const T& above() const { return above_; }

    /// The column's values by i = y - top, from -kBelow to length() - 1 and kBelow beyond.
    T* at(int c) { return values_.data() + static_cast<std::size_t>(c) * stride_ + Grid::kTop; }
    const T* at(int c) const {
        return values_.data() + static_cast<std::size_t>(c) * stride_ + Grid::kTop;
    }
    T& bottom(int c) { return bottoms_[c]; }
    const T& bottom(int c) const { return bottoms_[c]; }

    /// The value at world cell y of column c, as if the grid were regular.
    T value(const Grid& grid, int c, int y, Under under) const {
        const int top = grid.top(c), bottom = grid.bottom(c);
        if (y >= top) return y <= grid.highest(c) ? at(c)[y - top] : above_;
        if (y < bottom) return under == Under::Bottom ? bottoms_[c] : T{};
        const float a = static_cast<float>(y - bottom) * grid.slope(c);
        return bottoms_[c] * (1 - a) + at(c)[0] * a;
    }

    /// Recomputes the interpolated cells below the top.
    void refresh(const Grid& grid, int c, Under under) {
        T* q = at(c);
        const T low = bottoms_[c], high = q[0];
        const int depth = grid.top(c) - grid.bottom(c);
        const float slope = grid.slope(c);
        if constexpr (std::is_same_v<T, float>) {
            static_assert(Grid::kBelow == 8);
            const __m256 k = _mm256_setr_ps(8, 7, 6, 5, 4, 3, 2, 1);
            const __m256 a = _mm256_fnmadd_ps(k, _mm256_set1_ps(slope), _mm256_set1_ps(1));
            const __m256 line = _mm256_fmadd_ps(a, _mm256_set1_ps(high - low), _mm256_set1_ps(low));
            const __m256 in =
                _mm256_cmp_ps(k, _mm256_set1_ps(static_cast<float>(depth)), _CMP_LE_OQ);
            const __m256 out = _mm256_set1_ps(under == Under::Bottom ? low : 0.0f);
            _mm256_storeu_ps(q - Grid::kBelow, _mm256_blendv_ps(out, line, in));
            return;
        }
        for (int k = 1; k <= Grid::kBelow; ++k) {
            const float a = 1 - static_cast<float>(k) * slope;
            q[-k] = k <= depth ? low * (1 - a) + high * a : under == Under::Bottom ? low : T{};
        }
    }
    void refresh_all(const Grid& grid, Under under) {
        parallel_for(grid.columns(), 64,
                     [&](std::size_t c) { refresh(grid, static_cast<int>(c), under); });
    }

    /// Column c read by the offsets of a column whose top is `top`: a pointer p with p[i] the value
    /// at world cell top + i, for i in [-1, count). Copies to `room` (count + 8 values) if the tops
    /// are too far apart.
    const T* aligned(const Grid& grid, int c, int top, int count, Under under, T* room) const {
        const int shift = top - grid.top(c);
        // From -1: the lowest cell read is shift - 1; above, reads end at length + shift.
        if (shift > -Grid::kBelow && shift + count <= grid.length() + Grid::kBelow)
            return at(c) + shift;
        T* p = room + 1;
        for (int i = -1; i < count; ++i) p[i] = value(grid, c, top + i, under);
        return p;
    }

    /// Of all bytes, for comparing runs.
    std::uint64_t hash() const {
        return hash_bytes(values_.data(), values_.size() * sizeof(T),
                          hash_bytes(bottoms_.data(), bottoms_.size() * sizeof(T)));
    }
    std::size_t bytes() const { return (values_.size() + bottoms_.size()) * sizeof(T); }

private:
    int stride_ = 0;
    T above_{};
    std::vector<T, AlignedAllocator<T>> values_, bottoms_;
    std::vector<short> ends_;
};

}  // namespace slosh::tall
