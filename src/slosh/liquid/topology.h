// Which blocks a step needs: those with particles, and all their neighbours. One block of margin is
// eight cells: room for the transfer kernel, the extrapolated band (cfl + 3 cells) and the walls.
#pragma once

#include "slosh/particles/particles.h"

namespace slosh {

template <int D>
BlocksPtr<D> step_topology(const Blocks<D>& occupied) {
    std::vector<Index<D>> coords;
    coords.reserve(static_cast<std::size_t>(occupied.size()) * 2);
    for (int b = 0; b < occupied.size(); ++b) {
        coords.push_back(occupied.coord(b));
        // A neighbour that holds particles is in the list already.
        for (int code = 0; code < kNeighbours<D>; ++code)
            if (occupied.neighbour(b, code) == occupied.size())
                coords.push_back(occupied.coord(b) + neighbour_offset<D>(code));
    }
    return std::make_shared<const Blocks<D>>(std::move(coords));
}

}  // namespace slosh
