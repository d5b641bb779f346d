// The surface on cells of half the size [CM11, sec. 3.5: a surface grid finer than the
// simulation's].
//
// Only phi lives there. It moves along the paths that the velocity's own advection has found, read
// between cells; what it has become is averaged to the cells of the simulation, where pressure and
// velocity see it. Away from the surface, beyond what the fine cells know, the simulation's own phi
// goes on as it would without.
//
// World cell y of the simulation is the fine cells 2 y and 2 y + 1; offset i of a column the fine
// offsets 2 i - 1 and 2 i.
#pragma once

#include <functional>

#include "slosh/base/vec.h"
#include "slosh/tall/remesh.h"
#include "slosh/tall/separation.h"

namespace slosh::tall {

class SolidCells;

class FineSurface {
public:
    /// `distance` (m) is negative in the water.
    FineSurface(const Grid& coarse, const Terrain& terrain,
                const std::function<double(const Point<3>&)>& distance);

    const Grid& grid() const { return grid_; }
    const Terrain& terrain() const { return terrain_; }
    const Columns<float>& phi() const { return phi_; }  ///< m
    Columns<float>& phi() { return phi_; }

    /// Makes phi a distance, beside the surface or, `wide`, five fine cells off; ends where
    /// coarse_phi does.
    void repair(const Grid& coarse, const Columns<float>& coarse_phi, bool wide);
    /// Moves phi along `path`: the cells of the simulation that what arrives has come.
    void advect(const Grid& coarse, const Velocity& path);
    /// As let_air_in.
    void let_air_in(const Grid& coarse, const std::vector<ReleasedCell>& released, double dt);
    /// Cells of a column of the simulation within `distance` become water.
    void pour(int x, int z, const std::function<double(const Point<3>&)>& distance);
    /// coarse_phi near the surface becomes the mean of the fine cells, in one column or in all.
    void average(const Grid& coarse, int x, int z, Columns<float>& coarse_phi) const;
    void average(const Grid& coarse, Columns<float>& coarse_phi) const;
    /// Inside bodies phi becomes that of the simulation.
    void fill_bodies(const Grid& coarse, const SolidCells& bodies,
                     const Columns<float>& coarse_phi);
    /// New heights, perhaps over new ground.
    void remesh(const Grid& coarse, const Terrain& terrain);

private:
    Grid grid_;
    Terrain terrain_;
    Columns<float> phi_, room_;
};

}  // namespace slosh::tall
