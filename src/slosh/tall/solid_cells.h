// The part of cells that moving bodies fill, and how it moves.
#pragma once

#include <vector>

#include "slosh/tall/velocity.h"

namespace slosh::tall {

class SolidCells {
public:
    struct Cell {
        int column, offset;
    };
    /// From this fraction on the level set of a cell means nothing.
    static constexpr float kInside = 0.3f;
    /// From this fraction on a cell counts as full: what is left of it is too little to flow, and
    /// bodies that squeeze it would make it a jet.
    static constexpr float kFull = 0.9f;

    void resize(const Grid& grid) {
        fraction_.resize(grid);
        motion_.resize(grid);
        room_.resize(grid);
        cells_.clear();
    }
    void clear();
    /// Solid fraction s of a cell, and the velocity (m/s) there. Bodies that share a cell add up.
    void add(int column, int offset, float s, const Float4& velocity);
    /// After all bodies: cells that they nearly fill are full.
    void close_slits();
    /// Zero everywhere between uses.
    Columns<float>& room() { return room_; }

    const std::vector<Cell>& cells() const { return cells_; }
    const Columns<float>& fraction() const { return fraction_; }
    /// Fraction times velocity.
    const Velocity& motion() const { return motion_; }

private:
    std::vector<Cell> cells_;
    Columns<float> fraction_, room_;
    Velocity motion_;
};

/// Inside bodies the level set that came by advection means nothing: it becomes that of the water
/// around, layer by layer from outside, as if the surface went on level. (The paper lets it diffuse
/// into a body over several steps, which a body that moves a cell a step outruns.)
void spread_into_bodies(const Grid& grid, SolidCells& solids, Columns<float>& phi);

/// Water in a cell moves with the body as far as it fills the cell. `push` (m/s) is what outer
/// forces have added to the velocity: it is added to the body's share too, so that pressure finds
/// the same weight to hold everywhere, and water at rest around a body stays at rest.
void blend_velocity(const Grid& grid, const SolidCells& solids, const Float4& push,
                    Velocity& velocity);

}  // namespace slosh::tall
