// A pressure problem without particles: level set, solids and velocity given by formulas. The
// cases that check the projection alone are made of these.
#pragma once

#include <functional>

#include "slosh/pressure/assemble.h"

namespace slosh {

template <int D>
struct FixedProblem {
    GridGeometry<D> grid;
    BlocksPtr<D> blocks;
    SolidFields<D> solid;
    Field<float, D> phi;           ///< cells
    FaceField<float, D> velocity;  ///< m/s
    FaceField<std::uint8_t, D> known;

    FixedProblem(const GridGeometry<D>& geometry, const std::vector<Solid<D>>& solids,
                 Fractions kind, const std::function<double(const Point<D>&)>& level_set,
                 const std::vector<PlacedBody<D>>& bodies = {})
        : grid(geometry),
          blocks(cover(geometry)),
          phi(blocks, 3.0f),
          velocity(blocks),
          known(blocks) {
        const bool walls[2 * D] = {};
        SolidGrid<D> on_grid(grid, solids, walls);
        on_grid.update(0, 1e-6, blocks, kind, solid, bodies);  // an instant
        for_each([&](int b, int o, const Index<D>& cell) {
            phi.block(b)[o] = static_cast<float>(level_set(grid.centre(cell)) / grid.dx);
        });
    }

    /// body(block, offset, cell) for every cell.
    template <class Body>
    void for_each(const Body& body) const {
        parallel_for(blocks->size(), 4, [&](std::size_t block) {
            const int b = static_cast<int>(block);
            for (int o = 0; o < kBlockCells<D>; ++o)
                body(b, o, blocks->first_cell(b) + local_cell<D>(o));
        });
    }

    void set_velocity(const std::function<Point<D>(const Point<D>&)>& u) {
        for (int d = 0; d < D; ++d)
            for_each([&](int b, int o, const Index<D>& cell) {
                velocity.axis(d).block(b)[o] = static_cast<float>(u(grid.face(d, cell))[d]);
            });
    }

    /// Projects `velocity`; returns q = dt p / (rho dx) and the report.
    SolveReport project(double tolerance, Field<double, D>& q) {
        BlockSystem<D> system = assemble_matrix(phi, solid);
        assemble_rhs(velocity, solid, system);
        const int pockets = make_consistent(system);
        q = Field<double, D>(blocks);
        SolveReport report =
            solve_multigrid(system, {.tolerance = tolerance, .max_iterations = 100}, q);
        report.pockets = pockets;
        subtract_gradient(system, phi, solid, q, velocity, known);
        return report;
    }

    /// Largest |u| over faces that carry liquid.
    double max_speed() const {
        double most = 0;
        for (int d = 0; d < D; ++d)
            for (int b = 0; b < blocks->size(); ++b)
                for (int o = 0; o < kBlockCells<D>; ++o)
                    if (known.axis(d).block(b)[o])
                        most = std::max(most, std::abs(double(velocity.axis(d).block(b)[o])));
        return most;
    }

    /// Every block of the domain and one around it.
    static BlocksPtr<D> cover(const GridGeometry<D>& g) {
        std::vector<Index<D>> coords;
        Index<D> c = Index<D>::filled(-1), hi;
        for (int d = 0; d < D; ++d) hi[d] = (g.cells[d] - 1) / kSide + 1;
        for (;;) {
            coords.push_back(c);
            int d = 0;
            while (d < D && ++c[d] > hi[d]) c[d++] = -1;
            if (d == D) break;
        }
        return std::make_shared<const Blocks<D>>(std::move(coords));
    }
};

}  // namespace slosh
