// What the loops over columns share: running over them, and reading the four beside one.
#pragma once

#include <algorithm>

#include "slosh/tall/columns.h"

namespace slosh::tall {

/// Longest column that the fixed rooms of the kernels hold.
inline constexpr int kMaxLength = 264;

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

/// Runs body(c) for every column inside the border.
template <class Body>
void for_each_column(const Grid& g, const Body& body) {
    parallel_for(static_cast<std::size_t>(g.nz()), 4, [&](std::size_t z) {
        const int from = g.column(0, static_cast<int>(z));
        for (int c = from; c < from + g.nx(); ++c) body(c);
    });
}

/// Runs body(c) for every column with (x + z) % 2 == colour.
template <class Body>
void for_each_column_of(const Grid& g, int colour, const Body& body) {
    parallel_for(static_cast<std::size_t>(g.nz()), 4, [&](std::size_t z) {
        const int from = g.column(0, static_cast<int>(z));
        const int start = (static_cast<int>(z) + colour) & 1;
        for (int c = from + start; c < from + g.nx(); c += 2) body(c);
    });
}

}  // namespace slosh::tall
