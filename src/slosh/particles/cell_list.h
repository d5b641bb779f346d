// Finds the particles near a particle: a list by cell, on the blocks that hold particles.
#pragma once

#include <vector>

#include "slosh/particles/lanes.h"
#include "slosh/particles/particles.h"

namespace slosh {

/// Positions in the order of cells. A place in this order is called a slot; within a cell the
/// order is that of the particles, so that sums over neighbours do not depend on threads.
template <int D>
class CellList {
public:
    /// Of particles that are sorted by block. Both must stay as they are.
    CellList(const Particles<D>& particles, const ParticleBlocks<D>& pblocks);

    const Blocks<D>& blocks() const { return *blocks_; }
    /// First slot of a cell of block b; that of the cell after the last is the end of the block.
    std::uint32_t start(int b, int cell) const {
        return start_[static_cast<std::size_t>(b) * (kBlockCells<D> + 1) + cell];
    }
    std::uint32_t particle(std::uint32_t slot) const { return particle_[slot]; }
    const float* x(int d) const { return x_[d].data(); }

private:
    BlocksPtr<D> blocks_;
    std::vector<std::uint32_t> start_;
    AlignedVector<std::uint32_t> particle_;  // by slot
    AlignedVector<float> x_[D];              // by slot
};

/// What lies around one cell, copied together: positions, and a value for each. Filled up with
/// particles out of reach to whole vectors.
template <int D>
class Neighbourhood {
public:
    /// All particles in cells at most `reach` cells away, 1 <= reach <= 8. `value`, by slot, may be
    /// null.
    void gather(const CellList<D>& list, int b, const Index<D>& cell, int reach,
                const float* value = nullptr);
    int size() const { return static_cast<int>(x_[0].size()); }  ///< A multiple of kLanes.
    const float* x(int d) const { return x_[d].data(); }
    const float* value() const { return value_.data(); }

private:
    AlignedVector<float> x_[D], value_;
};

extern template class CellList<2>;
extern template class CellList<3>;
extern template class Neighbourhood<2>;
extern template class Neighbourhood<3>;

}  // namespace slosh
