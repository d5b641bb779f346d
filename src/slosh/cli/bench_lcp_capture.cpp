// Systems for `slosh bench lcp`, captured from runs, with tight reference answers.
#include "slosh/base/error.h"
#include "slosh/cli/bench_lcp.h"
#include "slosh/lcp/auto.h"
#include "slosh/lcp/solve.h"

namespace slosh::cli {

namespace {

// The paper's tolerance is absolute and its residual a divergence in 1/s. Our b is the divergence
// times dx, in m/s, so the same demand is 1e-6 dx.
constexpr double kPaperTolerance = 1e-6;  // 1/s
constexpr double kReference = 1e-3;       // of that

/// `auto`, or policy iteration if that fails.
template <int D>
Field<double, D> reference(const BlockLcp<D>& lcp, double goal) {
    Field<double, D> q(lcp.system.blocks);
    Field<std::uint8_t, D> active(lcp.system.blocks);
    (void)solve_auto(lcp, {.tolerance = 0, .absolute = goal, .max_iterations = 500}, q, active);
    if (natural_residual(lcp, q) <= goal) return q;
    std::vector<double> p;
    (void)solve_lcp("policy-pcg", to_sparse(lcp),
                    {.tolerance = 0, .absolute = goal, .max_iterations = 100000}, p);
    from_rows(lcp, p, q);
    if (natural_residual(lcp, q) <= goal) return q;
    throw SolveError(
        "no reference: neither auto nor policy-pcg reaches a thousandth of the "
        "tolerance on this system");
}

template <int D>
Field<double, D> linear_reference(const BlockSystem<D>& system, double goal) {
    const SolveOptions options{.tolerance = 0, .absolute = goal, .max_iterations = 500};
    Field<double, D> q(system.blocks);
    if (solve_multigrid(system, options, q).converged) return q;
    if (solve_mic(system, {.tolerance = 0, .absolute = goal, .max_iterations = 100000}, q)
            .converged)
        return q;
    throw SolveError(
        "no reference: neither linear nor linear-mic reaches a thousandth of the "
        "tolerance on this system");
}

}  // namespace

Scene lcp_scene(const std::string& name, int n, const std::vector<std::string>& overrides) {
    std::vector<std::string> all = {"resolution=" + std::to_string(n), "separation=cell",
                                    "solver=auto", "fps=100"};
    all.insert(all.end(), overrides.begin(), overrides.end());
    return load_scene(name, all);
}

template <int D>
void advance(LiquidSimulation<D>& simulation, int frames, double fps) {
    const double start = simulation.state().time;
    for (int f = 1; f <= frames; ++f) {
        const double end = start + f / fps;
        while (simulation.state().time < end - 1e-9)
            (void)simulation.step(end - simulation.state().time);
    }
}

template <int D>
CapturedSystem<D> capture(const LiquidSimulation<D>& simulation, double remaining) {
    const double dt = simulation.next_dt(remaining);
    BlockLcp<D> lcp = simulation.pressure_problem(dt);
    BlockSystem<D> linear = lcp.system;
    (void)make_consistent(linear);
    (void)make_consistent(lcp);
    const double goal = kPaperTolerance * simulation.setup().grid.dx;
    Field<double, D> q = reference(lcp, kReference * goal);
    Field<double, D> q_linear = linear_reference(linear, kReference * goal);
    return {std::move(lcp), std::move(linear), goal, dt, std::move(q), std::move(q_linear), {}};
}

#define SLOSH_INSTANTIATE(D)                                     \
    template void advance<D>(LiquidSimulation<D>&, int, double); \
    template CapturedSystem<D> capture<D>(const LiquidSimulation<D>&, double);
SLOSH_INSTANTIATE(2)
SLOSH_INSTANTIATE(3)
#undef SLOSH_INSTANTIATE

}  // namespace slosh::cli
