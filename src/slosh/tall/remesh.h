// Choosing new heights for the tall cells, and moving fields to them [CM11, sec. 3.6].
#pragma once

#include <vector>

#include "slosh/tall/velocity.h"

namespace slosh::tall {

struct RemeshOptions {
    int under = 8;  ///< G_L: regular cells wanted below the lowest surface. 4 ... 32.
    int over = 8;   ///< G_A: regular cells wanted above the highest one; goes first. 2 ... 16.
    int max_step =
        4;  ///< D: largest difference of neighbouring tops. 0: no limit (volume is gained).
    int smoothing = 4;  ///< Passes of smoothing. >= 0.
};

/// The world cells of the terrain's surface: `terrain[x + nx z]` cells are solid.
using Terrain = std::vector<int>;

/// In a column without a body.
inline constexpr int kNoBody = 1 << 29;

/// A grid whose tops follow the water of `phi`, on the terrain. `bodies` has the lowest cell of a
/// body over each column (or kNoBody): it shall be a regular one. Empty: there are none.
Grid choose_heights(const Grid& grid, const Columns<float>& phi, const Terrain& terrain,
                    const std::vector<int>& bodies, const RemeshOptions& options);

/// Moves a field from one grid to another with the same columns: copied or interpolated in regular
/// cells, a least-squares line in tall ones.
template <class T>
void transfer(const Grid& from, const Grid& to, Under under, Columns<T>& field);

}  // namespace slosh::tall
