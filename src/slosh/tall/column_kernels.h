// What the loops over columns share: running over them, and reading the four beside one.
#pragma once

#include <algorithm>

#include "slosh/tall/columns.h"
#include "slosh/tall/wavefront.h"

namespace slosh::tall {

/// Longest column that the fixed rooms of the kernels hold.
inline constexpr int kMaxLength = 328;

/// The columns left, right, before and behind column c, each read by c's own offsets.
template <Under under>
struct Neighbourhood {
    const float* side[4];
    alignas(32) float room[4][kMaxLength + 8];

    Neighbourhood(const Columns<float>& f, const Grid& g, int c, int count) {
        const int steps[4] = {-g.step_x(), g.step_x(), -g.step_z(), g.step_z()};
        for (int k = 0; k < 4; ++k)
            side[k] = f.aligned(g, c + steps[k], g.top(c), count, under, room[k]);
    }
};

/// Columns below which a loop stays on one thread: starting others would take longer.
inline constexpr int kFewColumns = 600;

inline Wavefront stages_over(const Grid& g, int stages, int lag = 1) {
    return {g.nz(), stages, lag, g.nx() * g.nz() < kFewColumns};
}

/// Runs body(z) for every row of columns.
template <class Body>
void for_each_row(const Grid& g, const Body& body) {
    if (g.nx() * g.nz() < kFewColumns)
        for (int z = 0; z < g.nz(); ++z) body(z);
    else
        parallel_for(static_cast<std::size_t>(g.nz()), 4,
                     [&](std::size_t z) { body(static_cast<int>(z)); });
}

/// Runs body(c) for every column of row z.
template <class Body>
void for_each_in_row(const Grid& g, int z, const Body& body) {
    const int from = g.column(0, z);
    for (int c = from; c < from + g.nx(); ++c) body(c);
}

/// Runs body(c) for every column inside the border.
template <class Body>
void for_each_column(const Grid& g, const Body& body) {
    for_each_row(g, [&](int z) { for_each_in_row(g, z, body); });
}

/// Runs body(c) for every column with (x + z) % 2 == colour.
template <class Body>
void for_each_column_of(const Grid& g, int colour, const Body& body) {
    for_each_row(g, [&](int z) {
        const int from = g.column(0, z);
        for (int c = from + ((z + colour) & 1); c < from + g.nx(); c += 2) body(c);
    });
}

}  // namespace slosh::tall
