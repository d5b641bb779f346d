// Liquids to slow down: level sets on a full grid, and what the viscous step makes of them.
#pragma once

#include <cmath>
#include <functional>

#include "slosh/grid/geometry.h"
#include "slosh/viscosity/solve.h"

namespace slosh::test {

template <int D>
using Function = std::function<double(const Point<D>&)>;

/// All blocks of n^D cells and one block around them.
template <int D>
BlocksPtr<D> box_blocks(int n) {
    std::vector<Index<D>> coords;
    const int side = (n + kSide - 1) / kSide;
    for (int z = D == 3 ? -1 : 0; z <= (D == 3 ? side : 0); ++z)
        for (int y = -1; y <= side; ++y)
            for (int x = -1; x <= side; ++x) {
                Index<D> c;
                c[0] = x;
                c[1] = y;
                if constexpr (D == 3) c[2] = z;
                coords.push_back(c);
            }
    return std::make_shared<const Blocks<D>>(std::move(coords));
}

/// Fills a field from world points: `where(cell)` is the sample's place.
template <int D, class Where, class Value>
void sample(Field<float, D>& f, const Where& where, const Value& value) {
    for (int b = 0; b < f.blocks().size(); ++b)
        for (int o = 0; o < kBlockCells<D>; ++o)
            f.block(b)[o] =
                static_cast<float>(value(where(f.blocks().first_cell(b) + local_cell<D>(o))));
}

/// A liquid between solids on an n^D grid of unit cells / n.
template <int D>
struct Flow {
    GridGeometry<D> grid;
    BlocksPtr<D> blocks;
    SampleVolumes<D> open, liquid;
    FaceField<float, D> velocity, solid_velocity;

    /// `solid` and `surface` in m, negative inside solid and liquid.
    Flow(int n, const Function<D>& solid, const Function<D>& surface,
         VolumeKind kind = VolumeKind::Consistent)
        : grid{.origin = {}, .dx = 1.0 / n, .cells = Index<D>::filled(n)},
          blocks(box_blocks<D>(n)),
          velocity(blocks),
          solid_velocity(blocks) {
        Field<float, D> nodal(blocks), phi(blocks);
        const auto cells = [&](double d) { return std::clamp(d / grid.dx, -5.0, 5.0); };
        sample(
            nodal, [&](const Index<D>& i) { return grid.node(i); },
            [&](const Point<D>& x) { return cells(solid(x)); });
        sample(
            phi, [&](const Index<D>& i) { return grid.centre(i); },
            [&](const Point<D>& x) { return cells(surface(x)); });
        open = open_volumes(nodal, kind);
        liquid = liquid_volumes(phi, kind);
    }
    void set(FaceField<float, D>& u, const std::function<Point<D>(const Point<D>&)>& v) {
        for (int d = 0; d < D; ++d)
            sample(
                u.axis(d), [&](const Index<D>& i) { return grid.face(d, i); },
                [&](const Point<D>& x) { return v(x)[d]; });
    }

    ViscousSystem<D> assemble(double nu) {
        moved = solid_motion<D>(grid, open, solid_velocity, {}, {}, true, nullptr);
        return assemble_viscosity<D>({.open = &open, .liquid = &liquid, .moved = &moved, .nu = nu});
    }
    /// One step of viscosity.
    SolveReport step(double nu, const ViscousOptions& options = {}) {
        const ViscousSystem<D> system = assemble(nu);
        std::vector<double> rhs, x;
        system.load(velocity, rhs, x);
        const SolveReport report = solve_viscosity<D>(system, nullptr, options, rhs, x);
        system.store(x, velocity);
        return report;
    }
    FaceField<float, D> moved;
};

/// Everywhere far from solids.
template <int D>
double no_solid(const Point<D>&) {
    return 1e3;
}
template <int D>
double all_liquid(const Point<D>&) {
    return -1e3;
}

}  // namespace slosh::test
