// What a step keeps on the grid.
#pragma once

#include <cstdint>

#include "slosh/grid/field.h"
#include "slosh/shape/solid_field.h"

namespace slosh {

/// The grid of one step: rebuilt from the particles, thrown away at its end. The level set and the
/// transfer write all values of its fields.
template <int D>
struct StepGrid {
    explicit StepGrid(const BlocksPtr<D>& topology)
        : blocks(topology),
          velocity(topology, Unfilled{}),
          weight(topology, Unfilled{}),
          known(topology, Unfilled{}),
          phi(topology, Unfilled{}, 3.0f) {}
    BlocksPtr<D> blocks;
    SolidFields<D> solid;
    FaceField<float, D> velocity, weight;
    FaceField<float, D> transferred;  // the velocity before forces; FLIP only
    FaceField<std::uint8_t, D> known;
    Field<float, D> phi;
    double nu = 0;                  // dt eta / (rho dx^2), the largest; 0: not viscous
    Field<float, D> local_nu;       // the same at cell centres, where it differs
    bool is_afloat = false;         // no solid but bodies touches the liquid
    Field<std::uint8_t, D> sticky;  // cells where velocity must not lead away from the wall
};

}  // namespace slosh
