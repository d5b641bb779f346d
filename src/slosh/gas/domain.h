// The grid of a gas: all of the domain, without a surface.
#pragma once

#include <cstdint>
#include <functional>

#include "slosh/gas/setup.h"
#include "slosh/grid/field.h"
#include "slosh/grid/geometry.h"
#include "slosh/particles/particles.h"

namespace slosh {

/// All blocks of the domain and one more all around, for walls and what the transfer reaches; the
/// same around particles that have strayed out.
template <int D>
BlocksPtr<D> gas_topology(const GridGeometry<D>& grid, const Blocks<D>& occupied);

/// A level set that is deep inside everywhere but beyond the open sides of the domain (2d the
/// lower, 2d+1 the upper one along d), where it says air: p = 0 holds in the very side. Cells.
template <int D>
void fill_with_gas(const GridGeometry<D>& grid, const bool (&open_side)[2 * D],
                   Field<float, D>& phi);

/// New particles for the cells that hold none, where gas came in through an open side: ambient,
/// with the mean velocity of the cells around. Cells that `inside` (grid coordinates) refuses are
/// left out. `particles` are sorted into `pblocks`; the new ones are returned, without ids.
template <int D>
Particles<D> refill(const GasSetup<D>& gas, const GridGeometry<D>& grid, int per_axis,
                    double jitter, std::uint64_t seed,
                    const std::function<bool(const Point<D>&)>& inside,
                    const Particles<D>& particles, const ParticleBlocks<D>& pblocks);

}  // namespace slosh
