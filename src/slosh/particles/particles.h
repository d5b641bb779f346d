// The particles: mass and momentum carriers, kept as structure of arrays in block order.
//
// Positions are in grid coordinates ((x - origin)/dx, so cell i spans [i, i+1]); velocities in m/s;
// the APIC matrix c[i][j] = d u_i / d x_j in m/s per cell. Ids are unique and persistent. Particles
// of a gas carry smoke and temperature as well, those of liquids of several viscosities their own.
#pragma once

#include <cstdint>
#include <vector>

#include "slosh/base/memory.h"
#include "slosh/base/vec.h"
#include "slosh/grid/blocks.h"

namespace slosh {

/// How velocity goes between particles and grid.
enum class Transfer { Apic, Flip, Pic };

template <class T>
using AlignedVector = std::vector<T, AlignedAllocator<T>>;

template <int D>
struct Particles {
    AlignedVector<float> x[D];
    AlignedVector<float> v[D];
    AlignedVector<float> c[D][D];  ///< Empty unless the transfer is APIC.
    AlignedVector<float> smoke;    ///< Density of smoke; 1 is what a source gives. Empty: a liquid.
    AlignedVector<float> temperature;  ///< K. Empty: a liquid.
    AlignedVector<float> viscosity;    ///< Dynamic. kg/(m s). Empty: the same for all.
    AlignedVector<std::uint32_t> id;

    std::size_t size() const { return id.size(); }
    /// Sizes all arrays; `affine` says whether c is kept, `gas` whether smoke and temperature are,
    /// `viscous` whether viscosity is.
    void resize(std::size_t n, bool affine, bool gas = false, bool viscous = false);
    bool affine() const { return !c[0][0].empty(); }
    bool gas() const { return !smoke.empty(); }
    bool viscous() const { return !viscosity.empty(); }
    Point<D> position(std::size_t i) const;  ///< Grid coordinates.
    Point<D> velocity(std::size_t i) const;  ///< m/s.
    std::size_t bytes() const;
};

/// Adds copies of `more` at the end of `to`; both keep the same arrays, unless one of them is
/// empty.
template <int D>
void append(Particles<D>& to, const Particles<D>& more);

/// Removes the particles whose mark is not zero; the others keep their order. Returns how many
/// were removed.
template <int D>
std::size_t remove_marked(Particles<D>& particles, const std::vector<std::uint8_t>& mark);

/// Which particles lie in which block: block b owns [first[b], first[b+1]).
template <int D>
struct ParticleBlocks {
    BlocksPtr<D> blocks;  ///< Exactly the blocks that hold particles.
    std::vector<std::uint32_t> first;
};

/// Sorts particles by block: stable, so the order within a block is that of before; the result
/// does not depend on the number of threads. Linear in the number of particles.
template <int D>
ParticleBlocks<D> sort_by_block(Particles<D>& particles);

}  // namespace slosh
