// An account of the volume of shallow water, column by column.
//
// The level set loses films: what is thinner than half a cell has no cell centre in it. Put back
// everywhere at once, as the water's account of all its volume would, a river that runs down a
// valley ends up in the lake below. So columns of shallow water have accounts of their own: what is
// due in a column is what was there, and what flows in and out by the velocity of the water,
// upwind. What is missing moves with the water, and is put back where it is then.
//
// Deep columns, those beside the sides (which may move) and those that hold bodies take no part;
// what leaves the shallow water is the business of the account of all water.
#pragma once

#include <vector>

#include "slosh/tall/grid.h"
#include "slosh/tall/remesh.h"
#include "slosh/tall/velocity.h"

namespace slosh::tall {

class FilmAccount {
public:
    /// Moves what is due over `dt`; before the water moves. phi and velocity as in Water.
    void move(const Grid& grid, const Terrain& terrain, const Columns<float>& phi,
              const Velocity& velocity, double dt);
    /// Cells of water were poured into column (x, z).
    void pour(const Grid& grid, int x, int z, double cells) {
        if (!due_.empty()) due_[index(grid, x, z)] += static_cast<float>(cells);
    }
    /// After the water has moved: `volume` has the cells of water of every column, x fastest, and
    /// is taken; `apart` are those columns that take no part. Returns the cells that shallow
    /// columns lack.
    double settle(const Grid& grid, std::vector<float>& volume, const std::vector<char>& apart);
    /// Keeps but this share of what is missing: the flow between columns is not known so well that
    /// they could lack more than all water does.
    void write_off(double kept);
    /// Rate at which the water of each column is to grow (1/s) for what is missing to come back
    /// within `time`; x fastest.
    const std::vector<float>& growth(const Grid& grid, double time);

private:
    static std::size_t index(const Grid& g, int x, int z) {
        return static_cast<std::size_t>(z) * g.nx() + x;
    }
    std::vector<float> volume_, due_, missing_, growth_;  ///< cells, cells, cells, 1/s
    std::vector<char> shallow_;
    std::vector<float> along_[2];    ///< Mean velocity of columns along x and z. m/s
    std::vector<float> flow_[2];     ///< Cells of water to the next column along x and z.
    std::vector<float> carried_[2];  ///< And what is missing that goes with it.
};

}  // namespace slosh::tall
