#include "slosh/liquid/projection.h"

#include "slosh/lcp/auto.h"
#include "slosh/liquid/edge_step.h"
#include "slosh/pressure/assemble.h"

namespace slosh {

template <int D>
BlockLcp<D> assemble_pressure(Separation separation, const StepGrid<D>& grid,
                              StepBodies<D>& bodies) {
    BlockLcp<D> lcp(assemble_matrix(grid.phi, grid.solid));
    assemble_rhs(grid.velocity, grid.solid, lcp.system);
    bodies.couple(grid.solid.body_faces, lcp.system);
    if (separation == Separation::Off) return lcp;
    mark_constrained(lcp.system, grid.solid, separation, lcp.constrained);
    if (grid.sticky.blocks_ptr())
        parallel_for(grid.blocks->size(), 16, [&](std::size_t i) {
            const int b = static_cast<int>(i);
            for (int o = 0; o < kBlockCells<D>; ++o)
                lcp.constrained.block(b)[o] &= !grid.sticky.block(b)[o];
        });
    return lcp;
}

template <int D>
Projection<D>::Projection(const LiquidSetup<D>& setup, Separation separation, bool fallback,
                          const StepGrid<D>& grid, StepBodies<D>& bodies, StepReport& report)
    : lcp(assemble_pressure(separation, grid, bodies)),
      q(grid.blocks),
      active(grid.blocks),
      separation_(separation),
      options_{.solver = setup.step.solver,
               .sticky = separation == Separation::Off,
               .bodies = !bodies.empty(),
               .tolerance = setup.step.tolerance,
               .max_iterations = setup.step.max_iterations * (fallback ? 100 : 1),
               .history = setup.step.history},
      solver_(fallback ? next_solver(options_) : meant_solver(options_)) {
    report.liquid_cells = lcp.system.unknowns();
    pockets_ = make_consistent(lcp, &report.squeezed);
    report.squeezed *= std::pow(setup.grid.dx, D - 1);
    report.solver = solver_;
}

template <int D>
void Projection<D>::renew(const StepGrid<D>& grid, const StepBodies<D>& bodies) {
    assemble_rhs(grid.velocity, grid.solid, lcp.system);
    bodies.renew_rhs(bodies.states(), lcp.system);
    (void)make_consistent(lcp);
}

template <int D>
void Projection<D>::add_viscous_pressure(const FaceField<float, D>& w,
                                         const std::vector<BodyState<D>>& states,
                                         const Field<double, D>& before, const StepGrid<D>& grid,
                                         const StepBodies<D>& bodies) {
    assemble_rhs(w, grid.solid, lcp.system);  // minus the divergence, by which q falls
    bodies.renew_rhs(states, lcp.system);
    const bool uniform = !grid.local_nu.blocks_ptr();
    parallel_for(grid.blocks->size(), 16, [&](std::size_t i) {
        const int b = static_cast<int>(i);
        for (int o = 0; o < kBlockCells<D>; ++o)
            if (lcp.system.unknown.block(b)[o])
                q.block(b)[o] += 2 * (uniform ? grid.nu : grid.local_nu.block(b)[o]) *
                                 lcp.system.rhs.block(b)[o];
    });
    // found = g(before); the next try minimises the change, linear between the last two.
    Field<double, D> change = q, found = q;
    const auto each = [&](const auto& body) {
        return parallel_sum(grid.blocks->size(), [&](std::size_t i) {
            double sum = 0;
            const std::size_t first = i * kBlockCells<D>;
            for (std::size_t k = first; k < first + kBlockCells<D>; ++k) sum += body(k);
            return sum;
        });
    };
    each([&](std::size_t k) { return change.data()[k] -= before.data()[k]; });
    if (last_change_.blocks_ptr()) {
        const auto turn = [&](std::size_t k) { return change.data()[k] - last_change_.data()[k]; };
        const double along = each([&](std::size_t k) { return change.data()[k] * turn(k); });
        const double square = each([&](std::size_t k) { return turn(k) * turn(k); });
        const double share = square > 0 ? std::clamp(along / square, -4.0, 0.9) : 0;
        each([&](std::size_t k) {
            return q.data()[k] -= share * (found.data()[k] - last_found_.data()[k]);
        });
    }
    last_found_ = std::move(found);
    last_change_ = std::move(change);
}

template <int D>
bool Projection<D>::sees_air() const {
    return parallel_max(lcp.system.blocks->size(), [&](std::size_t i) {
               const float* e = lcp.system.excess.block(static_cast<int>(i));
               return *std::max_element(e, e + kBlockCells<D>);
           }) > 0;
}

template <int D>
void Projection<D>::subtract(StepGrid<D>& grid) const {
    subtract_gradient(lcp.system, grid.phi, grid.solid, q, grid.velocity, grid.known);
}

template <int D>
bool Projection<D>::solve(StepGrid<D>& grid, StepReport& report) {
    if (separation_ == Separation::Edge) {
        report.pressure = solve_on_edges(grid, options_, lcp, q, active);
        return report.pressure.converged;
    }
    report.pressure = solve_pressure(lcp, solver_, options_, q, active, hierarchy_);
    report.pressure.pockets = pockets_;
    if (!report.pressure.converged) return false;
    subtract(grid);
    return true;
}

template <int D>
Multigrid<D>& Projection<D>::alone() {
    lcp.system.bodies = nullptr;
    if (!hierarchy_) hierarchy_ = std::make_unique<Multigrid<D>>(lcp.system);
    return *hierarchy_;
}

#define SLOSH_INSTANTIATE(D)                                                                   \
    template BlockLcp<D> assemble_pressure<D>(Separation, const StepGrid<D>&, StepBodies<D>&); \
    template class Projection<D>;
SLOSH_INSTANTIATE(2)
SLOSH_INSTANTIATE(3)
#undef SLOSH_INSTANTIATE

}  // namespace slosh
