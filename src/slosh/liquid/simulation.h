// A liquid simulation: its state, one step, and what can be read off it.
//
// At the end of a frame particles and bodies are the whole state: the grid is rebuilt from them in
// every step, and the first solve of a frame starts cold. So a state that is saved between frames
// and restored goes on bit for bit as if nothing had happened.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>

#include "slosh/base/timer.h"
#include "slosh/lcp/problem.h"
#include "slosh/liquid/body_report.h"
#include "slosh/liquid/setup.h"
#include "slosh/particles/particles.h"
#include "slosh/particles/spacing.h"
#include "slosh/surface/mesh.h"

namespace slosh {

template <int D>
struct LiquidState {
    double time = 0;            ///< s
    std::uint64_t steps = 0;    ///< Substeps taken.
    std::uint32_t next_id = 0;  ///< Id of the next particle; also how many were ever made.
    std::uint64_t drained = 0;  ///< Particles removed by drains and open sides.
    Particles<D> particles;
    std::vector<BodyState<D>> bodies;
};

/// What one substep did.
struct StepReport {
    double time = 0;        ///< At the end of the step. s.
    double dt = 0;          ///< s
    bool accepted = false;  ///< False: the pressure solve failed; the state is untouched.
    std::string solver;     ///< Solver word that produced the pressure.
    LcpReport pressure;
    SolveReport viscosity;      ///< Of viscous liquid; no unknowns: there was no such solve.
    SpacingReport spacing;      ///< Of constraints between particles; no density: there were none.
    double volume = 0;          ///< Liquid volume by the level set. m^3 (2D: m^2).
    double kinetic_energy = 0;  ///< J (2D: J/m)
    double potential_energy = 0;                                ///< J, against the origin
    double body_kinetic_energy = 0, body_potential_energy = 0;  ///< Of the bodies. J (2D: J/m)
    std::vector<BodyReport> bodies;
    std::size_t contacts = 0;  ///< Points at which bodies touch something.
    double squeezed = 0;       ///< Volume a second that walls press into pockets that cannot give
                               ///< way; it is lost. m^3/s (2D: m^2/s).
    double max_speed = 0;      ///< m/s
    std::size_t particles = 0, emitted = 0, drained = 0;
    std::size_t left_inside = 0;  ///< Particles that a moving solid went over and left no way out.
    std::size_t blocks = 0, liquid_cells = 0;
    std::size_t peak_bytes = 0;
    std::vector<double> probe_pressure;  ///< One per probe; 0 in air. Pa.
    StageTimes times;
};

/// What a frame shows: everything here is a function of the state alone.
template <int D>
struct LiquidFrame {
    Field<float, D> level_set;           ///< Cell centres, negative inside. m.
    FaceField<float, D> velocity;        ///< m/s
    SurfaceMesh surface;                 ///< Empty for a gas.
    Field<float, D> smoke, temperature;  ///< Of a gas, at cell centres (K); no blocks: a liquid.
    std::vector<Transform<D>> bodies;    ///< Where the bodies' shapes are.
};

template <int D>
class LiquidSimulation {
public:
    /// Seeds the initial liquid. Throws InputError if there is nothing to simulate.
    explicit LiquidSimulation(LiquidSetup<D> setup);
    ~LiquidSimulation();

    const LiquidSetup<D>& setup() const;
    const LiquidState<D>& state() const;
    /// Continues from a saved state of the same setup.
    void restore(LiquidState<D> state);

    using Touch = std::function<void(LiquidSetup<D>&, LiquidState<D>&)>;
    /// Lets `change` in between two steps (touch.h has what hands do). It may change options,
    /// gravity, inflows, drains, the bodies' forces, and velocities; not the grid, the solids, nor
    /// which bodies and particles there are and where.
    void touch(const Touch& change);

    /// One step of at most `remaining` seconds; the CFL condition chooses. The last two steps
    /// before `remaining` runs out are evened. A failed solve is tried with the next solver, then
    /// with half the step; below min_dt a SolveError is thrown and the state is that of before.
    /// A particle that ends with no finite velocity is a SolveError, too; then the state is of no
    /// use.
    StepReport step(double remaining);

    /// A gas needs no velocity to show its smoke: without it level set and velocity stay empty.
    LiquidFrame<D> frame(bool with_velocity = true) const;

    /// The pressure problem that a step of `dt` from this state would solve (for benchmarks).
    BlockLcp<D> pressure_problem(double dt) const;
    /// The length that step(remaining) would try first. s.
    double next_dt(double remaining) const;

private:
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

extern template class LiquidSimulation<2>;
extern template class LiquidSimulation<3>;

}  // namespace slosh
